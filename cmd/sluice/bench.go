package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bench"
	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/scheduling"
)

func benchCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	var runs int
	c := &cobra.Command{
		Use:   "bench FILE",
		Short: "Measure the speed and cost of a pipeline",
		Long: `bench runs a pipeline several times over its input, in turn out of process and in process, and prints medians: the throughput,
of the whole run and after the first row reached a sink; the time from reading the file to that row; CPU seconds per GB of input, in
total, for each step and for the boundary between processes; voluntary and involuntary context switches per MB of input; and
the peak memory. Plugins of your own only run in processes: with one, bench leaves out what is in process, and says so.

Some jobs have one goroutine each, however many cores there are: reading and splitting the input, hashing it, writing the
largest output, and reading that back to hash it. bench times each job by itself over the same files. A run does them at the
same time, so the longest is the serial share. For comparison bench measures a pipeline without a step, and one whose steps
do nothing.

Last it prints what one core does of the work that every byte costs: each hash that a pipeline may name, copying, finding line
ends, and checking JSON, on text that is the same everywhere, and whether the processor has instructions for it. With that the
figures of two machines can be compared.

All that the pipeline would write, wherever it is told to, goes to a temporary folder, and limits of rejects and differences
do not apply.`,
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
			scheduling.AsBatch() // as run does
			found, err := bench.Measure(c.Context(), args[0], runs, opts, out)
			return out.Answer(flags.JSON, found, err, func() error { out.Print(found.Text()); return nil })
		},
	}
	flags.Add(c)
	c.Flags().IntVar(&runs, "runs", 3, "measure everything `N` times")
	return c
}
