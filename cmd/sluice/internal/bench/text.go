package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// Text says what was measured.
func (b *Benchmark) Text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s in %s, %d cores, medians of %s\n\n", format.Size(b.Bytes), format.Plural(b.Records, "record"), b.Cores, format.Plural(b.Runs, "run"))
	writeRuns(&text, b)
	fmt.Fprintf(&text, "\nstart: from reading the pipeline to the first row at a sink; steady: the throughput after it\n")
	fmt.Fprintf(&text, "switches: context switches of all processes for each MB of input, voluntary and involuntary\n")
	fmt.Fprintf(&text, "out of process reaches %.2f of in process\n", b.Ratio)
	fmt.Fprintf(&text, "\nCPU s/GB of input, out of process\n")
	writeCosts(&text, b)
	if len(b.Serial.Jobs) > 0 {
		fmt.Fprintf(&text, "\nCPU s/GB of input that one goroutine must do, each job timed by itself\n")
		writeSerial(&text, b)
	}
	return text.String()
}

func writeRuns(out io.Writer, b *Benchmark) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tthroughput\tsteady\tstart\tCPU s/GB\tswitches/MB\tmemory\t")
	for _, x := range []struct {
		name string
		measurement
	}{{"out of process", b.OutOfProcess}, {"in process", b.InProcess}} {
		start := time.Duration(x.Start * float64(time.Second)).Round(time.Millisecond)
		switches := fmt.Sprintf("%.1f + %.1f", x.Voluntary, x.Involuntary)
		fmt.Fprintf(w, "%s\t%.0f MB/s\t%.0f MB/s\t%s\t%.2f\t%s\t%s\t\n", x.name, x.Speed/1e6, x.Steady/1e6, start, x.CPU, switches, format.Size(x.Peak))
	}
	w.Flush()
}

func writeCosts(out io.Writer, b *Benchmark) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range b.Steps {
		fmt.Fprintf(w, "  step %s\t%.2f\n", s.Step, s.CPU)
	}
	fmt.Fprintf(w, "  sources, sinks and host\t%.2f\n", b.Host)
	fmt.Fprintf(w, "  of all that, the boundary\t%.2f\tout of process less in process\n", b.Boundary)
	fmt.Fprintf(w, "\nfor comparison\t\n")
	fmt.Fprintf(w, "  a pipeline without a step\t%.2f\n", b.Bare)
	fmt.Fprintf(w, "  a step that does nothing\t%.2f\n", b.Noop)
	w.Flush()
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
