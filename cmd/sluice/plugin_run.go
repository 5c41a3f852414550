package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/pluginrun"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/conformance"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/host/survey"
)

func pluginRunCommand(out *cli.Printer) *cobra.Command {
	var given, env []string
	var output string
	c := &cobra.Command{
		Use:   "run NAME [INPUT...]",
		Short: "Run one plugin on rows, to try it",
		Long: `run sends the rows of INPUT, or of standard input, through one plugin and writes what it emits to stdout. Rejects and a summary go
to stderr. The exit code is 1 when a row was rejected.`,
		Example: `  sluice plugin run hello --arg greeting='good morning' <rows.jsonl
  sluice plugin run alias corpus.jsonl --arg 'aliases={"SEND": "REPLY"}'
  sluice plugin run privacy --output ledger corpus.jsonl`,
		Args: cli.Some("the name of a plugin"),
		RunE: func(c *cobra.Command, args []string) error {
			opts := out.Options(c)
			opts.Pass = env
			plugin, err := registry.Describe(c.Context(), args[0], "", opts)
			if err != nil {
				return err
			}
			if err := pluginrun.CheckOutput(output, args[0], plugin.Outputs); err != nil {
				return cli.Usage(c, err)
			}
			values, err := pluginrun.Attributes(given, plugin.Args)
			if err != nil {
				return cli.Usage(c, err)
			}
			paths := args[1:]
			if len(paths) == 0 {
				paths = []string{"-"}
			}
			err = pluginrun.Run(c.Context(), survey.Step{Plugin: args[0], Args: values, Output: output}, paths, opts, out)
			return cli.OfFlag(c, err, func(attr string) string { return "--arg " + attr })
		},
	}
	c.Flags().StringArrayVar(&given, "arg", nil, "set an attribute of the step, as `name=value`: JSON, or text where the plugin wants a string; may be repeated")
	c.Flags().StringArrayVar(&env, "env", nil, "pass the environment variable `NAME` to the program; may be repeated")
	c.Flags().StringVar(&output, "output", "", "write the rows of the side output `NAME` to stdout instead")
	return c
}

func pluginVerifyCommand(out *cli.Printer) *cobra.Command {
	var name, rows string
	var given, only, env []string
	var timeout time.Duration
	var asJSON, quick bool
	c := &cobra.Command{
		Use:   "verify BINARY",
		Short: "Check a plugin against the protocol, whatever language it is written in",
		Long: `verify starts the program BINARY as a host does and tests how it answers what a run may send: other versions of the protocol,
wrong attributes, batches and records of any size, unusual JSON, records inline and in shared memory, too little memory, the end
of the host. --rows names rows that the plugin can process, --arg an attribute that it needs. A check that is skipped,
or does not apply to the plugin, says why. The exit code is 1 when a check fails.`,
		Example: `  sluice plugin verify ./sluice-plugin-hello
  sluice plugin verify ./sluice-plugin-desk --rows tickets.jsonl --arg agent=bot --json`,
		Args: cli.Arguments(1, 1, "the path of one program"),
		RunE: func(c *cobra.Command, args []string) error {
			values, err := pluginrun.Attributes(given, nil)
			if err != nil {
				return cli.Usage(c, err)
			}
			for _, name := range only {
				if !slices.Contains(conformance.Checks(), name) {
					return cli.Usage(c, fmt.Errorf("--check: want one of %s, have %q", strings.Join(conformance.Checks(), ", "), name))
				}
			}
			v := conformance.Target{Path: args[0], Name: name, Args: []byte(values), Timeout: timeout, Only: only, Env: env, Quick: quick}
			if rows != "" {
				if v.Rows, err = rowfile.Lines(rows); err != nil {
					return out.Fail(asJSON, err)
				}
			}
			report := out.Verified
			if asJSON {
				report = func(conformance.Result) {}
			}
			results, err := conformance.Run(c.Context(), v, out.Options(c), report)
			if err != nil {
				return out.Fail(asJSON, err)
			}
			return out.VerifiedAll(filepath.Base(args[0]), results, asJSON)
		},
	}
	c.Flags().StringVar(&name, "name", "", "verify the plugin `NAME`, when the program has another name")
	c.Flags().StringVar(&rows, "rows", "", "send the records in `FILE`, one per line, which the plugin can process")
	c.Flags().StringArrayVar(&given, "arg", nil, "set an attribute of the step, as `name=value`; may be repeated")
	c.Flags().StringArrayVar(&env, "env", nil, "pass the environment variable `NAME` to the program; may be repeated")
	c.Flags().StringArrayVar(&only, "check", nil, "run the check `NAME` only; may be repeated")
	c.Flags().BoolVar(&quick, "quick", false, "send few records, for a plugin that takes long for each")
	c.Flags().DurationVar(&timeout, "timeout", time.Minute, "wait for each answer for `DURATION`")
	cli.JSONFlag(c, &asJSON)
	return c
}
