package main

import (
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
)

func validateCommand(out *report) *cobra.Command {
	var flags pipelineFlags
	c := &cobra.Command{
		Use:   "validate FILE",
		Short: "check a pipeline without running it",
		Long: `validate reads a pipeline, starts its plugins and lets them check their arguments. It reads no input and writes
no output. All mistakes are reported at once.`,
		Example: `  sluice validate pipelines/eliza-sft.hcl
  sluice validate pipeline.hcl --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			opts, err := flags.options(c, out)
			if err != nil {
				return err
			}
			p, err := host.Load(args[0], opts)
			var warnings host.Diagnostics
			if err == nil {
				warnings, err = p.Check(c.Context())
			}
			if err != nil {
				return out.json(flags.json, err)
			}
			if flags.json {
				return out.writeJSON(diagnosed{Diagnostics: warnings})
			}
			out.valid(args[0], warnings)
			return nil
		},
	}
	flags.add(c)
	return c
}
