package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bench"
	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
)

func benchCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	var runs int
	c := &cobra.Command{
		Use:   "bench FILE",
		Short: "Measure the speed and cost of a pipeline",
		Long: `bench runs a pipeline over its input several times, out of process and in process in turn, and prints the medians:
throughput, the time from reading the file to the first row at a sink and the throughput after it, CPU seconds per GB of
input in all, for each step and for the boundary between processes, the context switches for each MB of input, voluntary and
involuntary, and the most memory in use.

What one goroutine must do, however many cores there are, is timed on one thread over the same files: reading and
splitting the input, hashing it, writing the largest output, and reading that back to hash it. In a run these happen at
the same time, so the longest of them is the serial share. A pipeline without a step, and one of steps that do nothing,
are measured for comparison.

Outputs go to a temporary folder through the pipeline's variable "out", which it needs.`,
		Example: `  sluice bench pipelines/eliza-sft.hcl --var input=corpus.jsonl --runs 5`,
		Args:    cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if runs < 1 {
				return cli.Usage(c, fmt.Errorf("--runs: want 1 or more, have %d", runs))
			}
			opts, err := flags.Options(c, out)
			if err != nil {
				return err
			}
			found, err := bench.Measure(c.Context(), args[0], runs, opts, out)
			return out.Answer(flags.JSON, found, err, func() error { out.Print(found.Text()); return nil })
		},
	}
	flags.Add(c)
	c.Flags().IntVar(&runs, "runs", 3, "measure everything `N` times")
	return c
}
