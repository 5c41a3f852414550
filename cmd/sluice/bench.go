package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
)

func benchCommand(out *report) *cobra.Command {
	var flags pipelineFlags
	var runs int
	c := &cobra.Command{
		Use:   "bench FILE",
		Short: "measure a pipeline",
		Long: `bench runs a pipeline over its input several times, out of process and in process in turn, and prints the medians:
throughput, the time from reading the file to the first row at a sink and the throughput behind it, CPU seconds per GB of
input in all, for each step and for the boundary between processes, the context switches for each MB of input, voluntary and
involuntary, and the most memory in use.

What one goroutine must do, however many cores there are, is timed on one thread over the same files: reading and
splitting the input, hashing it, writing the largest output, and reading that back to hash it. In a run these go on beside
each other, so the longest of them is the serial share. A pipeline without a step, and one of steps that do nothing, are
measured for comparison.

Where jq is in PATH, and the pipeline ends in step chatml and reads JSON Lines that are not compressed, jq -c renders the
same rows in turn with the rest. It only renders: it checks, replaces and redacts nothing.

Outputs go to a temporary folder through the pipeline's variable "out", which it needs.`,
		Example: `  sluice bench pipelines/eliza-sft.hcl --var input=corpus.jsonl --runs 5`,
		Args:    oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if runs < 1 {
				return &usageError{command: c, err: fmt.Errorf("--runs: want 1 or more, have %d", runs)}
			}
			opts, err := flags.options(c, out)
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "sluice-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			opts.Vars["out"] = dir
			opts.MaskName = nil // the receipt's names are read again
			b := bench{file: args[0], opts: opts, dir: dir}
			found, err := b.measure(c.Context(), runs, out)
			if err != nil {
				return out.json(flags.json, err)
			}
			if flags.json {
				return out.writeJSON(found)
			}
			out.bench(found)
			return nil
		},
	}
	flags.add(c)
	c.AddCommand(scalingCommand(out))
	c.Flags().IntVar(&runs, "runs", 3, "how often each way is measured")
	return c
}

// A benchmark is the medians of several turns. CPU is in seconds per GB of the pipeline's input, of all processes unless
// it says otherwise.
type benchmark struct {
	Cores        int         `json:"cores"`
	Runs         int         `json:"runs"`
	Bytes        int64       `json:"bytes"`
	Records      int64       `json:"records"`
	OutOfProcess measurement `json:"out_of_process"`
	InProcess    measurement `json:"in_process"`
	Ratio        float64     `json:"ratio"`                       // out of process against in process, in throughput
	Boundary     float64     `json:"boundary_cpu_seconds_per_gb"` // out of process less in process
	Steps        []stepCost  `json:"steps"`                       // out of process
	Host         float64     `json:"host_cpu_seconds_per_gb"`     // out of process less all steps
	Serial       serialShare `json:"serial"`
	Bare         float64     `json:"bare_cpu_seconds_per_gb"` // of a pipeline from source to sink
	Noop         float64     `json:"noop_cpu_seconds_per_gb"` // of one step that does nothing
	JQ           jqFigures   `json:"jq"`
}

// A measurement is one way of running.
type measurement struct {
	Speed  float64 `json:"bytes_per_second"`
	Start  float64 `json:"start_seconds"`           // from reading the file to the first row at a sink
	Steady float64 `json:"steady_bytes_per_second"` // behind the start
	CPU    float64 `json:"cpu_seconds_per_gb"`
	Peak   int64   `json:"peak_resident_bytes"` // sum over all processes; shared pages count in each

	Voluntary   float64 `json:"voluntary_switches_per_mb"` // of all threads of all processes: they had to wait
	Involuntary float64 `json:"involuntary_switches_per_mb"`
}

// spend enters what this process and its children have used since before, over so many bytes of input.
func (m *measurement) spend(before usage, bytes float64) {
	now := used()
	m.CPU = (now.cpu - before.cpu).Seconds() / bytes * 1e9
	m.Voluntary = float64(now.voluntary-before.voluntary) / bytes * 1e6
	m.Involuntary = float64(now.involuntary-before.involuntary) / bytes * 1e6
}

// switches is both kinds of context switches for each MB.
func (m *measurement) switches() string {
	return fmt.Sprintf("%.1f + %.1f", m.Voluntary, m.Involuntary)
}

// usage is what this process and the children that it has waited for have used.
type usage struct {
	cpu                    time.Duration
	voluntary, involuntary int64 // context switches
}

// A stepCost is what one step used: its part, by the time it was busy, of the process that it runs in.
type stepCost struct {
	Step string  `json:"step"`
	CPU  float64 `json:"cpu_seconds_per_gb"`
}

// A serialShare is what more cores cannot take. Its jobs run beside each other, so CPU is that of the longest.
type serialShare struct {
	CPU  float64     `json:"cpu_seconds_per_gb"`
	Jobs []serialJob `json:"jobs"`
}

// A serialJob is work that one goroutine does, timed by itself.
type serialJob struct {
	Job string  `json:"job"`
	CPU float64 `json:"cpu_seconds_per_gb"`
}
