// Package bench measures what a pipeline costs: throughput, CPU time and memory, in processes and without.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Benchmark holds the medians of several turns. CPU is in seconds per GB of the pipeline's input, of all processes unless
// it says otherwise.
type Benchmark struct {
	Cores        int         `json:"cores"`
	Runs         int         `json:"runs"`
	Bytes        int64       `json:"bytes"`
	Records      int64       `json:"records"`
	OutOfProcess measurement `json:"out_of_process"`
	*inProcess               // nil where a step is of a program that is not sluice
	Own          []string    `json:"own,omitempty"`           // the plugins of such steps
	Processes    []process   `json:"processes"`               // out of process
	Host         float64     `json:"host_cpu_seconds_per_gb"` // out of process less all steps
	Serial       serialShare `json:"serial"`
	*comparison              // nil where the input has no records by the line or in documents
	Machine      machine     `json:"machine"`

	unlike string // the source that reads such input
}

// A comparison is what other pipelines over the same input cost.
type comparison struct {
	Bare float64 `json:"bare_cpu_seconds_per_gb"` // of a pipeline from source to sink
	Noop float64 `json:"noop_cpu_seconds_per_gb"` // of one step that does nothing
}

// inProcess is a run in process, and how one out of process compares.
type inProcess struct {
	InProcess measurement `json:"in_process"`
	Ratio     float64     `json:"ratio"`                       // out of process against in process, in throughput
	Boundary  float64     `json:"boundary_cpu_seconds_per_gb"` // out of process less in process
}

// A measurement is one run, or the median of several.
type measurement struct {
	Speed  float64 `json:"bytes_per_second"`
	Start  float64 `json:"start_seconds"`           // from reading the file to the first row at a sink
	Steady float64 `json:"steady_bytes_per_second"` // after the start
	CPU    float64 `json:"cpu_seconds_per_gb"`
	Peak   int64   `json:"peak_resident_bytes"` // sum over all processes; shared pages count in each

	Voluntary   float64 `json:"voluntary_switches_per_mb"` // of all threads of all processes: they had to wait
	Involuntary float64 `json:"involuntary_switches_per_mb"`
}

// spent sets what this process and its children have used since before, over so many bytes of input.
func (m *measurement) spent(before usage, bytes float64) {
	now := used()
	m.CPU = (now.cpu - before.cpu).Seconds() / bytes * 1e9
	m.Voluntary = float64(now.voluntary-before.voluntary) / bytes * 1e6
	m.Involuntary = float64(now.involuntary-before.involuntary) / bytes * 1e6
}

// usage is what this process and the children that it has waited for have used.
type usage struct {
	cpu                    time.Duration
	voluntary, involuntary int64 // context switches
}

// A process is what the process of some steps used.
type process struct {
	Steps []string `json:"steps"`
	CPU   float64  `json:"cpu_seconds_per_gb"`
}

type bench struct {
	file  string
	opts  host.Options
	dir   string       // of the outputs
	first *host.Result // of the first run, nil before
	own   []string     // plugins that only run in processes of their own, known after the first run

	bare, noop string              // pipelines over the same input: without a step, and with steps that do nothing
	inputs     map[string][]string // that input, by the name of its source
	unlike     string              // the source of the file that they cannot replace, "" for none
}

// A turn measures everything once, so that other load on the machine affects all of it alike.
type turn struct {
	outside, inside measurement
	steps           []float64 // CPU seconds per GB, in the order of the file
	bare, noop      float64   // likewise
	serial          serialTimes
	machine         workTimes
}

// Measure runs a pipeline so many times in process and so many times out of process; only the latter when a step is of a program that is
// not sluice. All that it writes goes to a temporary folder.
func Measure(ctx context.Context, file string, runs int, opts host.Options, out *cli.Printer) (*Benchmark, error) {
	dir, err := os.MkdirTemp("", "sluice-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	opts.Root = filepath.Join(dir, "run")
	opts.MaskName = nil // the receipt's names are read again
	b := bench{file: file, opts: opts, dir: dir}
	var turns []turn
	for i := range runs {
		out.Say("run %d of %d", i+1, runs)
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
		b.first, b.own = r, ownPlugins(r.Receipt)
		if err := b.writeNoop(); err != nil {
			return t, err
		}
	}
	if len(b.own) == 0 {
		b.opts.InProcess = true
		if t.inside, _, err = once(ctx, b.file, b.opts); err != nil {
			return t, err
		}
	}
	if b.unlike == "" {
		if t.bare, t.noop, err = b.noopCost(ctx); err != nil {
			return t, err
		}
	}
	t.machine = timeMachine(ctx)
	t.serial, err = timeSerial(ctx, r, b.dir)
	return t, err
}

// ownPlugins returns the plugins of a run that are programs of their own, each once.
func ownPlugins(r *receipt.Receipt) (names []string) {
	for _, p := range r.Plugins {
		if p.Path != receipt.BuiltIn && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func once(ctx context.Context, file string, opts host.Options) (measurement, *host.Result, error) {
	debug.FreeOSMemory() // what earlier work of this process left would count as the run's
	before, began := used(), time.Now()
	p, err := host.Load(file, opts)
	if err != nil {
		return measurement{}, nil, err
	}
	peak := watchMemory(os.Getpid())
	r, err := p.Run(ctx)
	took := time.Since(began)
	top := peak()
	switch {
	case err != nil:
		return measurement{}, nil, err
	case slices.ContainsFunc(r.Inputs, func(in receipt.Input) bool { return in.Name == "-" }):
		return measurement{}, nil, errors.New("want files, which can be read again, have standard input")
	case r.Totals.BytesRead == 0:
		return measurement{}, nil, fmt.Errorf("want input to measure, have 0 records in %s", plural.Of(int64(len(r.Inputs)), "file"))
	}
	var start time.Duration
	if !r.FirstOut.IsZero() {
		start = r.FirstOut.Sub(began)
	}
	read := float64(r.Totals.BytesRead)
	m := measurement{Speed: read / took.Seconds(), Start: start.Seconds(), Steady: read / (took - start).Seconds(), Peak: top}
	m.spent(before, read)
	return m, r, nil
}

func gigabytes(r *host.Result) float64 { return float64(r.Totals.BytesRead) / 1e9 }

const noopSteps = 4 // enough for their cost to exceed noise

// noopCost returns the CPU seconds per GB of a pipeline without a step, and what one step that does nothing adds.
func (b *bench) noopCost(ctx context.Context) (bare, noop float64, err error) {
	opts := b.opts
	opts.InProcess, opts.Vars, opts.NoReceipt, opts.Inputs = false, nil, true, b.inputs
	opts.Root = filepath.Join(b.dir, "bare")
	without, _, err := once(ctx, b.bare, opts)
	if err != nil {
		return 0, 0, err
	}
	opts.Root = filepath.Join(b.dir, "noop")
	with, _, err := once(ctx, b.noop, opts)
	return without.CPU, (with.CPU - without.CPU) / noopSteps, err
}

// writeNoop writes two pipelines over the input of the first run: from source to sink, and with steps between. Their sources are those of
// the file without attributes, which only some kinds can do without.
func (b *bench) writeNoop() error {
	var text strings.Builder
	b.inputs = map[string][]string{}
	for _, in := range b.first.Inputs {
		kind, name, _ := strings.Cut(in.Source, ".")
		if kind != "jsonl" && kind != "auto" {
			b.unlike = in.Source
			return nil
		}
		abs, err := filepath.Abs(in.Name)
		if err != nil {
			return err
		}
		if b.inputs[name] == nil {
			fmt.Fprintf(&text, "source %q %q {\n  paths = []\n}\n", kind, name)
		}
		b.inputs[name] = append(b.inputs[name], abs)
	}
	const sink = "sink \"jsonl\" \"out\" {\n  path = \"compared.jsonl\"\n}\n"
	steps := ""
	for i := range noopSteps {
		steps += fmt.Sprintf("step \"noop\" \"n%d\" {}\n", i)
	}
	b.bare, b.noop = filepath.Join(b.dir, "bare.hcl"), filepath.Join(b.dir, "noop.hcl")
	return errors.Join(os.WriteFile(b.bare, []byte(text.String()+sink), 0o600), os.WriteFile(b.noop, []byte(text.String()+steps+sink), 0o600))
}

// medians returns the medians of the turns. A comparison is the median of each turn's own.
func (b *bench) medians(turns []turn) *Benchmark {
	of := func(f func(turn) float64) float64 { return medianOf(turns, f) }
	x := &Benchmark{
		Cores: runtime.NumCPU(), Runs: len(turns), Bytes: b.first.Totals.BytesRead, Records: b.first.Totals.Read,
		OutOfProcess: medianRun(turns, func(t turn) measurement { return t.outside }),
		Own:          b.own,
		Serial:       medianSerial(turns, gigabytes(b.first)),
		Machine:      medianMachine(turns),
		Processes:    []process{},
		unlike:       b.unlike,
	}
	if b.unlike == "" {
		x.comparison = &comparison{of(func(t turn) float64 { return t.bare }), of(func(t turn) float64 { return t.noop })}
	}
	if len(b.own) == 0 {
		x.inProcess = &inProcess{
			InProcess: medianRun(turns, func(t turn) measurement { return t.inside }),
			Ratio:     of(func(t turn) float64 { return t.outside.Speed / t.inside.Speed }),
			Boundary:  of(func(t turn) float64 { return t.outside.CPU - t.inside.CPU }),
		}
	}
	for i, s := range b.first.Steps {
		if n := len(x.Processes); n > 0 && s.CPUSeconds == 0 { // it runs in the process of the step before
			x.Processes[n-1].Steps = append(x.Processes[n-1].Steps, s.Name)
			continue
		}
		x.Processes = append(x.Processes, process{[]string{s.Name}, of(func(t turn) float64 { return t.steps[i] })})
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

func medianRun(turns []turn, run func(turn) measurement) measurement {
	of := func(f func(measurement) float64) float64 {
		return medianOf(turns, func(t turn) float64 { return f(run(t)) })
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

func medianOf[N cmp.Ordered](turns []turn, value func(turn) N) N {
	var values []N
	for _, t := range turns {
		values = append(values, value(t))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// soonOver is how many seconds a run takes at least whose figures say much.
const soonOver = 1

// Text says what was measured.
func (b *Benchmark) Text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s in %s, %d cores, medians of %s\n\n", format.Size(b.Bytes), plural.Of(b.Records, "record"), b.Cores, plural.Of(b.Runs, "run"))
	if took := float64(b.Bytes) / b.OutOfProcess.Speed; took < soonOver {
		fmt.Fprintf(&text, "a run took %.2f s: below %d s, much of the figures is what starting costs, and they differ from run to run\n\n", took, soonOver)
	}
	writeRuns(&text, b)
	fmt.Fprintf(&text, "\nstart: from reading the pipeline to the first row at a sink; steady: the throughput after it\n")
	fmt.Fprintf(&text, "switches: context switches of all processes for each MB of input, voluntary and involuntary\n")
	if b.inProcess != nil {
		fmt.Fprintf(&text, "out of process reaches %.2f of in process\n", b.Ratio)
	} else {
		fmt.Fprintf(&text, "not measured in process, where only built-in plugins run: %s\n", strings.Join(b.Own, ", "))
	}
	fmt.Fprintf(&text, "\nCPU s/GB of input, out of process\n")
	writeCosts(&text, b)
	if len(b.Serial.Jobs) > 0 {
		fmt.Fprintf(&text, "\nCPU s/GB of input that one goroutine must do, each job timed by itself\n")
		writeSerial(&text, b)
	}
	fmt.Fprintf(&text, "\nWhat one core of this machine does, on text that is the same everywhere\n")
	writeMachine(&text, &b.Machine)
	return text.String()
}

func writeRuns(out io.Writer, b *Benchmark) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tthroughput\tsteady\tstart\tCPU s/GB\tswitches/MB\tmemory\t")
	type run struct {
		name string
		measurement
	}
	runs := []run{{"out of process", b.OutOfProcess}}
	if b.inProcess != nil {
		runs = append(runs, run{"in process", b.InProcess})
	}
	for _, x := range runs {
		start, memory := "-", "-" // where no row came to a sink, and where the system does not show it
		if x.Start > 0 {
			start = time.Duration(x.Start * float64(time.Second)).Round(time.Millisecond).String()
		}
		if x.Peak > 0 {
			memory = format.Size(x.Peak)
		}
		switches := fmt.Sprintf("%.1f + %.1f", x.Voluntary, x.Involuntary)
		fmt.Fprintf(w, "%s\t%s/s\t%s/s\t%s\t%.2f\t%s\t%s\t\n", x.name, format.Size(int64(x.Speed)), format.Size(int64(x.Steady)), start, x.CPU, switches, memory)
	}
	w.Flush()
}

func writeCosts(out io.Writer, b *Benchmark) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range b.Processes {
		name := "step " + p.Steps[0]
		if n := len(p.Steps); n > 1 {
			name = fmt.Sprintf("steps %s to %s", p.Steps[0], p.Steps[n-1])
		}
		fmt.Fprintf(w, "  %s\t%.2f\n", name, p.CPU)
	}
	fmt.Fprintf(w, "  sources, sinks and host\t%.2f\n", b.Host)
	if b.inProcess != nil {
		fmt.Fprintf(w, "  of all that, the boundary\t%.2f\tout of process less in process\n", b.Boundary)
	}
	if b.comparison != nil {
		fmt.Fprintf(w, "\nfor comparison\t\n")
		fmt.Fprintf(w, "  a pipeline without a step\t%.2f\n", b.Bare)
		fmt.Fprintf(w, "  a step that does nothing\t%.2f\n", b.Noop)
	}
	w.Flush()
	if b.comparison == nil {
		fmt.Fprintf(out, "not compared with a pipeline without a step, which reads JSON lines and documents: source %s\n", b.unlike)
	}
}

func writeSerial(out io.Writer, b *Benchmark) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, job := range b.Serial.Jobs {
		fmt.Fprintf(w, "  %s\t%.2f\n", job.Job, job.CPU)
	}
	w.Flush()
	fmt.Fprintf(out, "the longest is the serial share, %.2f, since they run at the same time: at most %.0f MB/s, from %.0f cores on\n",
		b.Serial.CPU, 1000/b.Serial.CPU, math.Ceil(b.OutOfProcess.CPU/b.Serial.CPU))
}
