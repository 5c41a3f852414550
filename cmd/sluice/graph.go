package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/graph"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

func graphCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	var format, counts string
	c := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw a pipeline",
		Long: `graph draws the path of the records through a pipeline file: as text for a terminal, from top to bottom as in the file, or as
Mermaid or DOT. It starts no plugin, and variables need no values. Values from the environment and from
files outside of its folder are left out unless you trust it; see sluice trust. With --receipt it shows how many records of that run took each edge.`,
		Example: `  sluice graph pipelines/eliza-sft.hcl
  sluice graph pipelines/eliza-sft.hcl --receipt out/receipt.json
  sluice graph pipeline.hcl --format dot | dot -Tsvg >pipeline.svg`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			opts, err := flags.Options(c, out)
			if err != nil {
				return err
			}
			draw := map[string]func(*receipt.Graph) string{"text": graph.Text, "mermaid": graph.Mermaid, "dot": graph.DOT}[format]
			if draw == nil {
				return cli.Usage(c, fmt.Errorf("--format: want text, mermaid or dot, have %q", format))
			}
			var run *receipt.Receipt
			if counts != "" {
				if run, err = receipt.Read(counts); err != nil {
					return err
				}
			}
			g, err := host.LoadGraph(args[0], run, opts)
			if err != nil {
				return err
			}
			return out.Write(draw(g))
		},
	}
	flags.AddLooking(c)
	c.Flags().StringVar(&format, "format", "text", "draw as `FORMAT`: text, mermaid or dot")
	c.Flags().StringVar(&counts, "receipt", "", "show the counts of the run whose receipt is at `PATH`")
	return c
}
