package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/testrun"
)

func testCommand(out *cli.Printer) *cobra.Command {
	var o testrun.Options
	var pattern string
	var verbose, inProcess, asJSON bool
	c := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run the tests of pipelines",
		Long: `test runs the tests of a pipeline NAME.hcl, which are in NAME.test.hcl beside it. Each test sends its input through the real steps,
in their own processes, and compares what comes out with what it expects. The outputs of the pipeline are not written.
A PATH is a pipeline, a file of tests, or a folder with all folders in it; the default is the current folder.

A test checks what it mentions, and that nothing is rejected unexpectedly. Blocks never and always hold for every row that comes out.
--update writes the rows and counts of sinks that
came out differently into the files of tests, and keeps comments and everything else there. --cover reports which steps,
branches of first and route, reject codes and rules of alias no test has exercised.

The exit code is 0 when all tests pass, 1 when one fails, 2 when a file has mistakes.`,
		Example: `  sluice test pipelines
  sluice test pipelines/eliza-sft.hcl --run 'retired' --cover`,
		RunE: func(c *cobra.Command, args []string) error {
			match, err := regexp.Compile(pattern)
			if err != nil {
				return out.Fail(asJSON, cli.Usage(c, fmt.Errorf("--run: %w", err)))
			}
			files, err := testrun.Files(args)
			if err != nil {
				return out.Fail(asJSON, cli.Usage(c, err))
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
				return cli.Usage(c, fmt.Errorf("--run: want a test whose name matches %q, have none", pattern))
			}, func() error { return nil })
		},
	}
	c.Flags().StringVar(&pattern, "run", "", "run the tests whose names match `REGEXP`")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every test, and what plugins print")
	c.Flags().BoolVar(&o.Update, "update", false, "write what came out into the files of tests")
	c.Flags().BoolVar(&o.Cover, "cover", false, "report what no test has exercised")
	cli.InProcessFlag(c, &inProcess)
	cli.JSONFlag(c, &asJSON)
	return c
}
