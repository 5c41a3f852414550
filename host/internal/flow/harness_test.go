package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A lineReader returns JSON texts in chunks of n.
type lineReader struct {
	texts []string
	n     int
	arena *wire.Arena
	ord   uint64
	bad   map[int]bool // texts that are rejected as unreadable
}

func (l *lineReader) Close() error { return nil }

func (l *lineReader) Next(ctx context.Context, most int) (wire.Chunk, error) {
	var c wire.Chunk
	if len(l.texts) == 0 {
		return c, io.EOF
	}
	n := min(l.n, len(l.texts))
	if most > 0 {
		n = min(n, most)
	}
	region, err := l.arena.Alloc(ctx, len(strings.Join(l.texts[:n], "")))
	if err != nil {
		return c, err
	}
	mem := region.Bytes()
	for _, text := range l.texts[:n] {
		size := copy(mem, text)
		var fault *wire.Fault
		if l.bad[int(l.ord)] {
			fault = &wire.Fault{Code: "invalid_json", Message: "want JSON"}
		}
		c.Add(wire.Record{Data: mem[:size:size], Mem: region, File: "in", Line: int64(l.ord + 1), Ord: l.ord}, fault)
		mem = mem[size:]
		l.ord++
	}
	wire.RetainAll(c.Records)
	region.Release()
	l.texts = l.texts[n:]
	return c, nil
}

// A lineWriter keeps the lines that it writes.
type lineWriter struct {
	strings.Builder
	refuses string
	err     error
}

func (t *lineWriter) Accepts(r *wire.Record) *wire.Fault {
	if t.refuses != "" && string(r.Data) == t.refuses {
		return &wire.Fault{Code: "no_label", Message: "want a label"}
	}
	return nil
}

func (t *lineWriter) Write(records []wire.Record) error {
	for _, r := range records {
		t.WriteString(string(r.Data) + "\n")
	}
	return t.err
}

// A textStage calls fn for each text, which returns what becomes of it: "" unchanged, "drop", "reject", "decline",
// "fail", or texts to emit, separated by "|". It answers in parts of at most n records and yields at random.
type textStage struct {
	fn    func(string) string
	arena *wire.Arena
	n     int
	rng   *rand.Rand
}

func (f *textStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	var a wire.Answer
	var region *wire.Region
	begin := 0
	flush := func() error {
		err := out.Answer(a)
		if region != nil {
			region.Release()
			region = nil
		}
		begin += len(a.Outcomes)
		a = wire.Answer{}
		return err
	}
	for i, r := range in {
		for range f.rng.Intn(20) {
			runtime.Gosched()
		}
		var o wire.Outcome
		switch result := f.fn(string(r.Data)); result {
		case "":
		case "fail":
			return errors.New("as asked")
		case "drop":
			o = wire.Outcome{Verdict: wire.Dropped, Fault: &wire.Fault{Message: "as asked"}}
		case "reject":
			o = wire.Outcome{Verdict: wire.Rejected, Fault: &wire.Fault{Code: "bad", Path: "a", Message: "as asked"}}
		case "decline":
			o = wire.Outcome{Verdict: wire.Declined, Fault: &wire.Fault{Message: "not mine"}}
		default:
			if err := flush(); err != nil {
				return err
			}
			var err error
			out.Waiting(true)
			region, err = f.arena.Alloc(ctx, len(result))
			out.Waiting(false)
			if err != nil {
				return err
			}
			o.Verdict = wire.Emitted
			mem := region.Bytes()
			for t := range strings.SplitSeq(result, "|") {
				e := r
				e.Data, e.Mem, mem = mem[:copy(mem, t)], region, mem[len(t):]
				o.Emitted = append(o.Emitted, e)
			}
			wire.RetainAll(o.Emitted)
		}
		a.Sides = append(a.Sides, wire.Side{Index: i - begin, Output: "log", JSON: fmt.Appendf(nil, `{"saw":%q}`, r.Data)})
		a.Outcomes = append(a.Outcomes, o)
		if len(a.Outcomes) >= f.n {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	a.Last = f.rng.Intn(2) == 0 // a worker need not know
	return flush()
}

// A world builds the nodes of one run. All arenas are small, so that nodes have to wait for memory.
type world struct {
	seed   int64
	rng    *rand.Rand
	sinks  map[string]*lineWriter
	arenas []*wire.Arena
}

func newWorld(seed int64) *world {
	return &world{seed: seed, rng: rand.New(rand.NewSource(seed)), sinks: map[string]*lineWriter{"dead": {}}}
}

func (w *world) arena() *wire.Arena {
	a := wire.NewArena(make([]byte, 4096), 64, nil)
	w.arenas = append(w.arenas, a)
	return a
}

func (w *world) step(name string, fn func(string) string) *Step {
	return w.stepWith(name, 1+w.rng.Intn(3), fn)
}

func (w *world) stepWith(name string, workers int, fn func(string) string) *Step {
	s := &Step{Name: name, Plugin: "fake", Account: &Account{}, Sides: map[string]*Sink{}, Batch: w.batchSize()}
	for range workers {
		s.Stages = append(s.Stages, &textStage{fn, w.arena(), 1 + w.rng.Intn(4), rand.New(rand.NewSource(w.rng.Int63()))})
	}
	return s
}

// batchSize returns a size at random, none in the world that others are compared with.
func (w *world) batchSize() BatchSize {
	if w.seed == 1 {
		return BatchSize{}
	}
	return BatchSize{Records: w.rng.Intn(4), Bytes: w.rng.Intn(2) * 10}
}

func (w *world) out(name string) *Sink {
	w.sinks[name] = &lineWriter{}
	return &Sink{Name: name, Writer: w.sinks[name]}
}

func is(suffix, then string) func(string) string {
	return func(s string) string {
		if strings.HasSuffix(s, suffix+`"`) {
			return then
		}
		return ""
	}
}

// add emits the text with a mark at its end.
func add(mark string) func(string) string {
	return func(s string) string { return s[:len(s)-1] + mark + `"` }
}

func numbers(n int) []string {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("%q", fmt.Sprint(i)))
	}
	return texts
}

// run sends n numbers through a body and returns what the sinks, the dead letter and the totals hold then. Any number of rejects
// is allowed when most is negative.
func run(t *testing.T, seed int64, n int, most int64, bad map[int]bool, body func(*world) []Node) (map[string]string, Sums, error) {
	t.Helper()
	var rejects limit.Limit
	if most >= 0 {
		rejects = limitOf(t, fmt.Sprint(most))
	}
	return runLimited(t, seed, n, rejects, bad, body)
}

func runLimited(t *testing.T, seed int64, n int, rejects limit.Limit, bad map[int]bool, body func(*world) []Node) (map[string]string, Sums, error) {
	t.Helper()
	w := newWorld(seed)
	src := &lineReader{texts: numbers(n), n: 1 + w.rng.Intn(8), arena: w.arena(), bad: bad}
	totals := &Totals{}
	err := Run(t.Context(), Plan{
		Sources: []*Source{{Name: "lines.x", Reader: src, Batch: w.batchSize()}}, Body: body(w), DeadLetter: &Sink{Name: "dead", Writer: w.sinks["dead"]}, Limit: rejects, Account: totals,
	})
	have := map[string]string{}
	for name, s := range w.sinks {
		have[name] = s.String()
	}
	if err == nil {
		for i, a := range w.arenas {
			if used := a.InUse(); used != 0 {
				t.Errorf("want arena %d empty after the run, have %d bytes in use", i, used)
			}
		}
	}
	return have, totals.Snapshot(), err
}
