package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A machine is what one core does of the work that every byte of a run costs, on text that is the same everywhere: by it the figures of
// two machines are compared.
type machine struct {
	System string `json:"system"`
	CPU    string `json:"cpu"`
	AVX2   bool   `json:"avx2"`
	SHA    bool   `json:"sha_instructions"`
	Rates  []rate `json:"rates"`
}

// A rate is a median. CPU is of the thread, 0 where that is unknown.
type rate struct {
	Work  string  `json:"work"`
	Speed float64 `json:"bytes_per_second"`
	CPU   float64 `json:"cpu_seconds_per_gb"`
}

// workTimes are the times of machineWork on all of its text.
type workTimes struct {
	size      int // of the text
	wall, cpu []time.Duration
}

// machineText are rows of 8 kB with words, figures, escapes and letters beyond ASCII, more than most caches hold.
func machineText() []byte {
	const size, row = 32 << 20, 8 << 10
	text := make([]byte, 0, size+row)
	for n := 0; len(text) < size; n++ {
		begun := len(text)
		text = fmt.Appendf(text, `{"id":%d,"messages":[`, n)
		for i := 0; len(text)-begun < row; i++ {
			text = fmt.Appendf(text, `{"role":"user","content":"Turn %d: the north wind and the sun\n\"disputed\" who was the stronger, zw\u00f6lf caf\u00e9s, na\u00efve.","at":%d.5},`, i, n*i)
		}
		text = append(text[:len(text)-1], "]}\n"...)
	}
	return text
}

// machineWork lists the work that is timed on blocks of the text, as large as a run reads them.
func machineWork() (names []string, work []func(block []byte)) {
	for _, algorithm := range filehash.Algorithms {
		h := filehash.New(algorithm)
		names, work = append(names, algorithm), append(work, func(block []byte) { h.Write(block) })
	}
	to := make([]byte, 256<<10)
	names = append(names, "copy", "find line ends", "check JSON")
	work = append(work,
		func(block []byte) { copy(to, block) },
		func(block []byte) { bytes.Count(block, []byte{'\n'}) },
		func(block []byte) {
			for row := range bytes.Lines(block) {
				_ = jsontext.Check(row, 100) // the ends of a block are parts of rows, and no JSON
			}
		})
	return names, work
}

// timeMachine times all the work, on one thread.
func timeMachine(ctx context.Context) (t workTimes) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text := machineText()
	t.size = len(text)
	_, work := machineWork()
	for _, do := range work {
		wall, cpu := time.Now(), threadTime()
		for rest := text; len(rest) > 0 && ctx.Err() == nil; {
			n := min(len(rest), 256<<10)
			do(rest[:n])
			rest = rest[n:]
		}
		t.wall, t.cpu = append(t.wall, time.Since(wall)), append(t.cpu, threadTime()-cpu)
	}
	return t
}

func medianMachine(turns []turn) machine {
	m := machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpuid.CPU.BrandName,
		AVX2: cpuid.CPU.Has(cpuid.AVX2), SHA: cpuid.CPU.Has(cpuid.SHA) || cpuid.CPU.Has(cpuid.SHA2),
	}
	size := float64(turns[0].machine.size)
	names, _ := machineWork()
	for i, name := range names {
		wall := medianOf(turns, func(t turn) time.Duration { return t.machine.wall[i] })
		cpu := medianOf(turns, func(t turn) time.Duration { return t.machine.cpu[i] })
		m.Rates = append(m.Rates, rate{name, size / wall.Seconds(), cpu.Seconds() / size * 1e9})
	}
	return m
}

func writeMachine(out io.Writer, m *machine) {
	has := func(what string, is bool) string {
		if is {
			return "with " + what
		}
		return "without " + what
	}
	fmt.Fprintf(out, "%s, %s, %s, %s\n", m.System, m.CPU, has("AVX2", m.AVX2), has("SHA instructions", m.SHA))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tMB/s\tCPU s/GB\t")
	for _, r := range m.Rates {
		fmt.Fprintf(w, "%s\t%.0f\t%.2f\t\n", r.Work, r.Speed/1e6, r.CPU)
	}
	w.Flush()
}
