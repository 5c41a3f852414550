package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
)

func benchCommand(out *report) *cobra.Command {
	var flags pipelineFlags
	var runs int
	c := &cobra.Command{
		Use:   "bench FILE",
		Short: "measure a pipeline",
		Long: `bench runs a pipeline over its input several times, out of process and in process in turn, and prints the medians:
throughput, CPU seconds per GB of input in all and for each step, and the most memory in use. It also measures what a
step costs that does nothing. Outputs go to a temporary folder through the pipeline's variable "out", which it needs.`,
		Example: `  sluice bench pipelines/eliza-sft.hcl --var input=corpus.jsonl`,
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
			b, err := measure(c.Context(), args[0], opts, dir, runs, out)
			if err != nil {
				return out.json(flags.json, err)
			}
			if flags.json {
				return out.writeJSON(b)
			}
			out.bench(b)
			return nil
		},
	}
	flags.add(c)
	c.Flags().IntVar(&runs, "runs", 3, "how often each way is measured")
	return c
}

// A benchmark is the medians of several runs in turn.
type benchmark struct {
	Cores        int         `json:"cores"`
	Runs         int         `json:"runs"`
	Bytes        int64       `json:"bytes"`
	Records      int64       `json:"records"`
	OutOfProcess measurement `json:"out_of_process"`
	InProcess    measurement `json:"in_process"`
	Ratio        float64     `json:"ratio"` // out of process against in process, in throughput; the median of pairs
	Steps        []stepCost  `json:"steps"`
	Noop         float64     `json:"noop_cpu_seconds_per_gb"` // of one step that does nothing
}

// A measurement is one way of running.
type measurement struct {
	Speed float64 `json:"bytes_per_second"`
	CPU   float64 `json:"cpu_seconds_per_gb"`  // of input; all processes
	Peak  int64   `json:"peak_resident_bytes"` // sum over all processes; shared pages count in each
}

// stepCost is what one step's process used.
type stepCost struct {
	Step string  `json:"step"`
	CPU  float64 `json:"cpu_seconds_per_gb"` // of the pipeline's input
}

// noopSteps is how many steps that do nothing are run behind each other, to tell their cost from noise.
const noopSteps = 4

func measure(ctx context.Context, file string, opts host.Options, dir string, runs int, out *report) (*benchmark, error) {
	b := &benchmark{Cores: runtime.NumCPU(), Runs: runs}
	var outside, inside []measurement
	var ratios, noops []float64
	steps := map[string][]float64{}
	var names []string
	var bare, noop string
	for i := range runs {
		out.say("run %d of %d", i+1, runs)
		opts.InProcess = false
		m, r, err := once(ctx, file, opts)
		if err != nil {
			return nil, err
		}
		opts.InProcess = true
		in, _, err := once(ctx, file, opts)
		if err != nil {
			return nil, err
		}
		outside, inside, ratios = append(outside, m), append(inside, in), append(ratios, m.Speed/in.Speed)
		names = nil
		for _, s := range r.Steps {
			names = append(names, s.Name)
			steps[s.Name] = append(steps[s.Name], s.CPUSeconds/(float64(r.Totals.BytesRead)/1e9))
		}
		if i == 0 {
			b.Bytes, b.Records = r.Totals.BytesRead, r.Totals.Read
			if bare, noop, err = noopPipelines(r, dir); err != nil {
				return nil, err
			}
		}
		opts.InProcess = false
		cost, err := noopCost(ctx, bare, noop, opts)
		if err != nil {
			return nil, err
		}
		noops = append(noops, cost)
	}
	b.OutOfProcess, b.InProcess, b.Ratio, b.Noop = medians(outside), medians(inside), median(ratios), median(noops)
	for _, n := range names {
		b.Steps = append(b.Steps, stepCost{n, median(steps[n])})
	}
	return b, nil
}

// once runs a pipeline and measures it.
func once(ctx context.Context, file string, opts host.Options) (measurement, *host.Result, error) {
	p, err := host.Load(file, opts)
	if err != nil {
		return measurement{}, nil, err
	}
	peak := watchMemory()
	cpu, began := cpuTime(), time.Now()
	r, err := p.Run(ctx)
	took := time.Since(began)
	top := peak()
	if err != nil {
		return measurement{}, nil, err
	}
	read := float64(r.Totals.BytesRead)
	return measurement{
		Speed: read / took.Seconds(),
		CPU:   (cpuTime() - cpu).Seconds() / (read / 1e9),
		Peak:  top,
	}, r, nil
}

// noopCost is the CPU seconds per GB that one step which does nothing adds.
func noopCost(ctx context.Context, bare, noop string, opts host.Options) (float64, error) {
	opts.Vars, opts.NoReceipt = nil, true
	without, _, err := once(ctx, bare, opts)
	if err != nil {
		return 0, err
	}
	with, _, err := once(ctx, noop, opts)
	return (with.CPU - without.CPU) / noopSteps, err
}

// noopPipelines writes two pipelines over the inputs of a run: source to sink, and with steps between.
func noopPipelines(r *host.Result, dir string) (bare, noop string, err error) {
	var paths []string
	for _, in := range r.Inputs {
		abs, err := filepath.Abs(in.Name)
		if err != nil {
			return "", "", err
		}
		paths = append(paths, fmt.Sprintf("%q", abs))
	}
	source := fmt.Sprintf("source \"jsonl\" \"corpus\" {\n  paths = [%s]\n}\n", strings.Join(paths, ", "))
	sink := fmt.Sprintf("sink \"jsonl\" \"out\" {\n  path = %q\n}\n", filepath.Join(dir, "noop", "out.jsonl"))
	steps := ""
	for i := range noopSteps {
		steps += fmt.Sprintf("step \"noop\" \"n%d\" {}\n", i)
	}
	bare, noop = filepath.Join(dir, "bare.hcl"), filepath.Join(dir, "noop.hcl")
	if err := os.WriteFile(bare, []byte(source+sink), 0o644); err != nil {
		return "", "", err
	}
	return bare, noop, os.WriteFile(noop, []byte(source+steps+sink), 0o644)
}

func medians(all []measurement) measurement {
	pick := func(f func(measurement) float64) float64 {
		var values []float64
		for _, m := range all {
			values = append(values, f(m))
		}
		return median(values)
	}
	return measurement{
		Speed: pick(func(m measurement) float64 { return m.Speed }),
		CPU:   pick(func(m measurement) float64 { return m.CPU }),
		Peak:  int64(pick(func(m measurement) float64 { return float64(m.Peak) })),
	}
}

func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
