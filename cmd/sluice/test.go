package main

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/testrun"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/plugins"
)

func testCommand(out *cli.Printer) *cobra.Command {
	var o testrun.Options
	var pattern string
	var verbose, inProcess, asJSON, mutate bool
	var m pipetest.MutateOptions
	c := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run the tests of pipelines",
		Long: `test runs the tests of a pipeline NAME.hcl, which are in NAME.test.hcl beside it. Each test sends its input through the real steps,
in processes of their own, and compares what comes out with what it expects. The outputs of the pipeline are not written.
A PATH is a pipeline, a file of tests, or a folder with all folders in it; the default is the current folder.

A test checks what it mentions, and that nothing is rejected unexpectedly. Blocks never and always hold for every row that comes out,
and a block mock takes the place of a step that calls a service.

--update writes the rows and counts of sinks that came out differently into the files of tests, and keeps comments and everything
else there. --cover reports which steps, branches of first and route, reject codes and rules of alias no test has exercised, and
where rows came to a sink without going through a step: from before it, or by another branch of a route.

--mutate finds out what the tests would not notice: it changes one thing of the pipeline at a time, and lists the changes with which
all tests pass. It removes a step, a branch or an attribute, in included files of steps too; swaps neighbours, values of cases or
paths of sinks; moves a step behind a tee; and puts another word, true for false or false for true in an attribute. --mutants is how
many changes are tried, drawn by --seed. A change that is known to make no difference is not tried, and listed with the reason:
removing an attribute that has its default, or that is null in all tests. Others may make no difference either: --unnoticed is how
many changes may go unnoticed.

The exit code is 0 when all tests pass, 1 when one fails or too many changes are unnoticed, 2 when a file has mistakes or is missing.`,
		Example: `  sluice test pipelines
  sluice test pipelines/eliza-sft.hcl --run 'retired' --cover
  sluice test pipelines/eliza-sft.hcl --mutate`,
		RunE: func(c *cobra.Command, args []string) error {
			match, err := regexp.Compile(pattern)
			if err != nil {
				return out.Fail(asJSON, cli.Usage(c, fmt.Errorf("--run: %w", err)))
			}
			files, err := testrun.Files(args)
			if missing, ok := errors.AsType[host.Diagnostics](err); ok {
				return out.Fail(asJSON, missing)
			}
			if err != nil {
				return out.Fail(asJSON, cli.Usage(c, err))
			}
			if err := cli.With(c, "mutate", "mutants", "seed", "unnoticed"); err != nil {
				return out.Fail(asJSON, err)
			}
			switch {
			case m.Limit < 0:
				return out.Fail(asJSON, cli.Usage(c, fmt.Errorf("--mutants: want 0 or more, have %d", m.Limit)))
			case o.Allow < 0:
				return out.Fail(asJSON, cli.Usage(c, fmt.Errorf("--unnoticed: want 0 or more, have %d", o.Allow)))
			case mutate:
				m.Match, m.Idle, o.Mutate = match.MatchString, plugins.Idle, &m
			}
			if o.Match = match.MatchString; !asJSON {
				o.Report = func(f *testrun.File) { _ = out.Write(f.Text(verbose)) }
			}
			opts := out.Options(c)
			opts.InProcess, opts.Stdin, opts.Log, opts.MaskName = inProcess, nil, nil, nil
			r, err := testrun.Run(c.Context(), files, o, opts)
			return out.Judge(asJSON, r, err, func() error {
				if err := r.Verdict(); err != nil || r.Passed > 0 {
					return err
				}
				return cli.Usage(c, fmt.Errorf("--run: want a pattern that matches the name of a test, have %q", pattern))
			}, func() error { return nil })
		},
	}
	c.Flags().StringVar(&pattern, "run", "", "run the tests whose names match `REGEXP`")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every test, and what plugins print")
	c.Flags().BoolVar(&o.Update, "update", false, "write what came out into the files of tests")
	c.Flags().BoolVar(&o.Cover, "cover", false, "report what no test has exercised")
	c.Flags().BoolVar(&mutate, "mutate", false, "report changes of the pipeline that no test notices")
	c.Flags().IntVar(&m.Limit, "mutants", 100, "with --mutate: try at most `N` changes; 0 tries all")
	c.Flags().Uint64Var(&m.Seed, "seed", 0, "with --mutate: draw the changes of seed `N`")
	c.Flags().IntVar(&o.Allow, "unnoticed", 0, "with --mutate: fail when more than `N` changes go unnoticed")
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
