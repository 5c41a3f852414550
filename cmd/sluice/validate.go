package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host"
)

func validateCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	c := &cobra.Command{
		Use:   "validate FILE",
		Short: "Check a pipeline without running it",
		Long: `validate reads a pipeline, starts its plugins and has them check their attributes. It reads no input and writes no output. It
reports all mistakes at once.

A program that lies beside the pipeline, or that it names, is started only if you trust it, and variables of the environment and
files outside of its folder are read only if you trust it. Otherwise validate says which steps were not checked, as warnings; in a terminal it asks
first. See sluice trust.`,
		Example: `  sluice validate pipelines/eliza-sft.hcl
  sluice validate pipeline.hcl --json`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			opts, err := flags.Options(c, out)
			if err != nil {
				return err
			}
			p, err := host.Load(args[0], opts)
			if p != nil {
				trusted, bad := askTrust(c, out, p, opts)
				if bad != nil {
					return out.Fail(flags.JSON, bad)
				}
				if trusted {
					p, err = host.Load(args[0], opts)
				}
			}
			var warnings host.Diagnostics
			if p != nil {
				warnings, err = p.Check(c.Context())
			}
			found := cli.Diagnosed{Diagnostics: warnings}
			return out.Answer(flags.JSON, found, err, func() error { out.Valid(args[0], warnings); return nil })
		},
	}
	flags.AddChecking(c)
	return c
}
