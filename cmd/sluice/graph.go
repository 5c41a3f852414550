package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

func graphCommand(out *report) *cobra.Command {
	var flags pipelineFlags
	var format, counts string
	c := &cobra.Command{
		Use:   "graph FILE",
		Short: "draw a pipeline",
		Long: `graph draws the way of the records through a pipeline file: as text for a terminal, from top to bottom as in the file, or as
Mermaid or DOT. It starts nothing, and variables need no values. With --receipt it shows how many records of that run
went each way.`,
		Example: `  sluice graph pipelines/eliza-sft.hcl
  sluice graph pipelines/eliza-sft.hcl --receipt out/receipt.json
  sluice graph pipeline.hcl --format dot | dot -Tsvg >pipeline.svg`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			opts, err := flags.options(c, out)
			if err != nil {
				return err
			}
			draw := map[string]func(*receipt.Graph) string{"text": drawText, "mermaid": drawMermaid, "dot": drawDOT}[format]
			if draw == nil {
				return &usageError{command: c, err: fmt.Errorf("--format: want text, mermaid or dot, have %q", format)}
			}
			var account *receipt.Receipt
			if counts != "" {
				if account, err = receipt.Read(counts); err != nil {
					return err
				}
			}
			g, err := host.LoadGraph(args[0], account, opts)
			if err != nil {
				return err
			}
			return out.text(draw(g))
		},
	}
	flags.addVars(c)
	c.Flags().StringVar(&format, "format", "text", "`text`, mermaid or dot")
	c.Flags().StringVar(&counts, "receipt", "", "show the counts of the run whose receipt is at `PATH`")
	return c
}
