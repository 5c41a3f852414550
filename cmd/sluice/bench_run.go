package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host"
)

// A bench is a pipeline to measure.
type bench struct {
	file  string
	opts  host.Options
	dir   string       // for what is written
	first *host.Result // of the first run, nil before

	bare, noop string // pipelines over the same input: without a step, and with steps that do nothing
	jq         jq
}

// A turn is every way measured once, so that what else the machine does meets all of them alike.
type turn struct {
	outside, inside measurement
	steps           []float64 // CPU seconds per GB, in the order of the file
	bare, noop      float64   // likewise
	serial          serialTimes
	jq              jqFigures
}

func (b *bench) measure(ctx context.Context, runs int, out *report) (*benchmark, error) {
	var turns []turn
	for i := range runs {
		out.say("run %d of %d", i+1, runs)
		t, err := b.turn(ctx)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return b.medians(turns), nil
}

func (b *bench) turn(ctx context.Context) (t turn, err error) {
	b.opts.InProcess = false
	var r *host.Result
	if t.outside, r, err = once(ctx, b.file, b.opts); err != nil {
		return t, err
	}
	for _, s := range r.Steps {
		t.steps = append(t.steps, s.CPUSeconds/gigabytes(r))
	}
	if b.first == nil {
		b.first = r
		if err := b.writeNoop(); err != nil {
			return t, err
		}
	}
	b.opts.InProcess = true
	if t.inside, _, err = once(ctx, b.file, b.opts); err != nil {
		return t, err
	}
	if t.bare, t.noop, err = b.noopCost(ctx); err != nil {
		return t, err
	}
	if t.serial, err = timeSerial(ctx, r, b.dir); err != nil {
		return t, err
	}
	t.jq, err = b.jq.run(ctx, r, t.serial.lined, b.dir)
	t.jq.Ratio = t.jq.over(t.outside)
	return t, err
}

// once runs a pipeline and measures it.
func once(ctx context.Context, file string, opts host.Options) (measurement, *host.Result, error) {
	before, began := used(), time.Now()
	p, err := host.Load(file, opts)
	if err != nil {
		return measurement{}, nil, err
	}
	peak := watchMemory(os.Getpid())
	r, err := p.Run(ctx)
	took := time.Since(began)
	top := peak()
	if err == nil {
		err = measurable(r)
	}
	if err != nil {
		return measurement{}, nil, err
	}
	var start time.Duration
	if !r.FirstOut.IsZero() {
		start = r.FirstOut.Sub(began)
	}
	read := float64(r.Totals.BytesRead)
	m := measurement{Speed: read / took.Seconds(), Start: start.Seconds(), Steady: read / (took - start).Seconds(), Peak: top}
	m.spend(before, read)
	return m, r, nil
}

// measurable says why the input of a run cannot be measured.
func measurable(r *host.Result) error {
	for _, in := range r.Inputs {
		if in.Name == "-" {
			return errors.New("want files, which can be read again, have standard input")
		}
	}
	if r.Totals.BytesRead == 0 {
		return errors.New("want input to measure, have none")
	}
	return nil
}

// gigabytes is the size of a run's input.
func gigabytes(r *host.Result) float64 { return float64(r.Totals.BytesRead) / 1e9 }

// noopSteps is how many steps that do nothing are run behind each other, to tell their cost from noise.
const noopSteps = 4

// noopCost is the CPU seconds per GB of a pipeline without a step, and what one step that does nothing adds.
func (b *bench) noopCost(ctx context.Context) (bare, noop float64, err error) {
	opts := b.opts
	opts.InProcess, opts.Vars, opts.NoReceipt = false, nil, true
	without, _, err := once(ctx, b.bare, opts)
	if err != nil {
		return 0, 0, err
	}
	with, _, err := once(ctx, b.noop, opts)
	return without.CPU, (with.CPU - without.CPU) / noopSteps, err
}

// writeNoop writes two pipelines over the input of the first run: from source to sink, and with steps between.
func (b *bench) writeNoop() error {
	var paths []string
	for _, in := range b.first.Inputs {
		abs, err := filepath.Abs(in.Name)
		if err != nil {
			return err
		}
		paths = append(paths, abs)
	}
	b.bare, b.noop = filepath.Join(b.dir, "bare.hcl"), filepath.Join(b.dir, "noop.hcl")
	out := filepath.Join(b.dir, "noop", "out.jsonl")
	return errors.Join(writeSteps(b.bare, paths, 0, out), writeSteps(b.noop, paths, noopSteps, out))
}

// writeSteps writes a pipeline from files through so many steps that do nothing to a file.
func writeSteps(file string, in []string, steps int, out string) error {
	var paths []string
	for _, path := range in {
		paths = append(paths, strconv.Quote(path))
	}
	text := fmt.Sprintf("source \"jsonl\" \"corpus\" {\n  paths = [%s]\n}\n", strings.Join(paths, ", "))
	for i := range steps {
		text += fmt.Sprintf("step \"noop\" \"n%d\" {}\n", i)
	}
	text += fmt.Sprintf("sink \"jsonl\" \"out\" {\n  path = %q\n}\n", out)
	return os.WriteFile(file, []byte(text), 0o644)
}

// medians are those of the turns. What compares two ways is the median of the turns' own comparisons.
func (b *bench) medians(turns []turn) *benchmark {
	of := func(f func(turn) float64) float64 { return medianOf(turns, f) }
	x := &benchmark{
		Cores: runtime.NumCPU(), Runs: len(turns), Bytes: b.first.Totals.BytesRead, Records: b.first.Totals.Read,
		OutOfProcess: medianRun(turns, func(t turn) measurement { return t.outside }),
		InProcess:    medianRun(turns, func(t turn) measurement { return t.inside }),
		Ratio:        of(func(t turn) float64 { return t.outside.Speed / t.inside.Speed }),
		Boundary:     of(func(t turn) float64 { return t.outside.CPU - t.inside.CPU }),
		Bare:         of(func(t turn) float64 { return t.bare }),
		Noop:         of(func(t turn) float64 { return t.noop }),
		Serial:       medianSerial(turns, gigabytes(b.first)),
		JQ:           medianJQ(turns),
		Steps:        []stepCost{},
	}
	for i, s := range b.first.Steps {
		x.Steps = append(x.Steps, stepCost{s.Name, of(func(t turn) float64 { return t.steps[i] })})
	}
	x.Host = of(func(t turn) float64 {
		rest := t.outside.CPU
		for _, s := range t.steps {
			rest -= s
		}
		return rest
	})
	return x
}

func medianRun[T any](turns []T, way func(T) measurement) measurement {
	of := func(f func(measurement) float64) float64 {
		return medianOf(turns, func(t T) float64 { return f(way(t)) })
	}
	return measurement{
		Speed:  of(func(m measurement) float64 { return m.Speed }),
		Start:  of(func(m measurement) float64 { return m.Start }),
		Steady: of(func(m measurement) float64 { return m.Steady }),
		CPU:    of(func(m measurement) float64 { return m.CPU }),
		Peak:   int64(of(func(m measurement) float64 { return float64(m.Peak) })),

		Voluntary:   of(func(m measurement) float64 { return m.Voluntary }),
		Involuntary: of(func(m measurement) float64 { return m.Involuntary }),
	}
}

func medianOf[T any, N cmp.Ordered](all []T, value func(T) N) N {
	var values []N
	for _, x := range all {
		values = append(values, value(x))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
