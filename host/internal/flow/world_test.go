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

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/batch"
)

// lines is a source of JSON texts, in chunks of n.
type lines struct {
	texts []string
	n     int
	arena *batch.Arena
	ord   uint64
	bad   map[int]bool // texts that the source rejects
}

func (l *lines) Next(ctx context.Context) (batch.Chunk, error) {
	var c batch.Chunk
	if len(l.texts) == 0 {
		return c, io.EOF
	}
	n := min(l.n, len(l.texts))
	region, err := l.arena.Alloc(ctx, len(strings.Join(l.texts[:n], "")))
	if err != nil {
		return c, err
	}
	mem := region.Bytes()
	for _, text := range l.texts[:n] {
		size := copy(mem, text)
		var fault *batch.Fault
		if l.bad[int(l.ord)] {
			fault = &batch.Fault{Code: "invalid_json", Message: "want JSON"}
		}
		c.Add(batch.Record{Data: mem[:size:size], Mem: region, File: "in", Line: int64(l.ord + 1), Ord: l.ord}, fault)
		mem = mem[size:]
		l.ord++
	}
	batch.RetainAll(c.Records)
	region.Release()
	l.texts = l.texts[n:]
	return c, nil
}

// text is a sink that keeps lines.
type text struct {
	strings.Builder
	refuses string
	err     error
}

func (t *text) Accepts(r *batch.Record) *batch.Fault {
	if t.refuses != "" && string(r.Data) == t.refuses {
		return &batch.Fault{Code: "no_label", Message: "want a label"}
	}
	return nil
}

func (t *text) Write(records []batch.Record) error {
	for _, r := range records {
		t.WriteString(string(r.Data) + "\n")
	}
	return t.err
}

// fake is a stage made of a function from a text to what becomes of it: "" unchanged, "drop", "reject", "decline",
// "fail", or texts to emit, separated by "|". It answers in parts of at most n records and yields at random.
type fake struct {
	fn    func(string) string
	arena *batch.Arena
	n     int
	rng   *rand.Rand
}

func (f *fake) Close() error { return nil }

func (f *fake) Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) error {
	var a batch.Answer
	var region *batch.Region
	begin := 0
	flush := func() error {
		err := emit(a)
		if region != nil {
			region.Release()
			region = nil
		}
		begin += len(a.Outcomes)
		a = batch.Answer{}
		return err
	}
	for i, r := range in {
		for range f.rng.Intn(20) {
			runtime.Gosched()
		}
		var o batch.Outcome
		switch said := f.fn(string(r.Data)); said {
		case "":
		case "fail":
			return errors.New("as asked")
		case "drop":
			o = batch.Outcome{Verdict: batch.Dropped, Fault: &batch.Fault{Message: "as asked"}}
		case "reject":
			o = batch.Outcome{Verdict: batch.Rejected, Fault: &batch.Fault{Code: "bad", Path: "a", Message: "as asked"}}
		case "decline":
			o = batch.Outcome{Verdict: batch.Declined, Fault: &batch.Fault{Message: "not mine"}}
		default:
			if err := flush(); err != nil {
				return err
			}
			var err error
			if region, err = f.arena.Alloc(ctx, len(said)); err != nil {
				return err
			}
			o.Verdict = batch.Emitted
			mem := region.Bytes()
			for t := range strings.SplitSeq(said, "|") {
				out := r
				out.Data, out.Mem, mem = mem[:copy(mem, t)], region, mem[len(t):]
				o.Emitted = append(o.Emitted, out)
			}
			batch.RetainAll(o.Emitted)
		}
		a.Sides = append(a.Sides, batch.Side{Index: i, Output: "log", JSON: fmt.Appendf(nil, `{"saw":%q}`, r.Data)})
		a.Outcomes = append(a.Outcomes, o)
		if len(a.Outcomes) >= f.n {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	a.Last = f.rng.Intn(2) == 0
	return flush()
}

// world builds nodes for one run. All arenas are small, so that memory is waited for.
type world struct {
	rng    *rand.Rand
	sinks  map[string]*text
	arenas []*batch.Arena
}

func (w *world) arena() *batch.Arena {
	a := batch.NewArena(make([]byte, 4096), 64, nil)
	w.arenas = append(w.arenas, a)
	return a
}

func (w *world) step(name string, fn func(string) string) *Step {
	return w.stepWith(name, 1+w.rng.Intn(3), fn)
}

func (w *world) stepWith(name string, workers int, fn func(string) string) *Step {
	s := &Step{Name: name, Plugin: "fake", Account: &Account{}, Sides: map[string]Sink{}}
	for range workers {
		s.Stages = append(s.Stages, &fake{fn, w.arena(), 1 + w.rng.Intn(4), rand.New(rand.NewSource(w.rng.Int63()))})
	}
	return s
}

func (w *world) out(name string) *Output {
	w.sinks[name] = &text{}
	return &Output{Name: name, Sink: w.sinks[name]}
}

func is(suffix, then string) func(string) string {
	return func(s string) string {
		if strings.HasSuffix(s, suffix+`"`) {
			return then
		}
		return ""
	}
}

// add emits the text with a mark behind it.
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

// run runs a body over n numbers and gives what the sinks, the dead letter and the totals hold.
func run(t *testing.T, seed int64, n int, limit int64, bad map[int]bool, body func(*world) []Node) (map[string]string, Sums, error) {
	t.Helper()
	w := &world{rng: rand.New(rand.NewSource(seed)), sinks: map[string]*text{"dead": {}}}
	src := &lines{texts: numbers(n), n: 1 + w.rng.Intn(8), arena: w.arena(), bad: bad}
	totals := &Totals{}
	err := Run(t.Context(), Plan{
		Sources: []Origin{{"lines.x", src}}, Body: body(w), DeadLetter: w.sinks["dead"], Limit: limit, Account: totals,
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

var bodies = map[string]func(*world) []Node{
	"steps, drops and rejects in order": func(w *world) []Node {
		return []Node{
			w.step("a.x", is("3", "drop")), w.step("b.x", is("5", "reject")), w.step("c.x", is("7", "reject")),
			w.step("d.x", add("!")), w.out("main"),
		}
	},
	"one record becomes many": func(w *world) []Node {
		return []Node{w.step("fan.x", is("4", `"a"|"b"|"c"`)), w.step("b.x", is("b", "reject")), w.step("c.x", add("+")), w.out("main")}
	},
	"first takes what the ranks before declined": func(w *world) []Node {
		return []Node{&First{Name: "f", Steps: []*Step{
			w.stepWith("one.x", 2, is("1", "decline")),
			w.stepWith("two.x", 2, is("1", `"one"|"uno"`)),
		}}, w.out("main")}
	},
	"first of three, with rejects when all decline": func(w *world) []Node {
		decline := func(keep string) func(string) string {
			return func(s string) string {
				if strings.HasSuffix(s, keep+`"`) {
					return s[:len(s)-1] + "/" + keep + `"`
				}
				return "decline"
			}
		}
		return []Node{&First{Name: "f", Steps: []*Step{
			w.stepWith("one.x", 3, decline("1")), w.stepWith("two.x", 3, decline("2")), w.stepWith("three.x", 3, decline("3")),
		}}, w.step("after.x", add("!")), w.out("main")}
	},
	"a route puts its ways back in order": func(w *world) []Node {
		key := func(r *batch.Record) string { s := gjson.ParseBytes(r.Data).Str; return s[len(s)-1:] }
		return []Node{
			&Route{Name: "r", Key: key, Cases: []Case{
				{Value: "1", Body: []Node{w.step("one.x", add("-one"))}},
				{Value: "2", Body: []Node{w.step("two.x", is("2", `"x"|"y"`)), w.step("drop.x", is("x", "drop"))}},
				{Value: "3", Body: []Node{w.out("threes")}},
				{Value: "4"},
			}, Default: &Case{Body: []Node{
				&Route{Name: "inner", Key: key, Cases: []Case{{Value: "5", Body: []Node{w.step("five.x", add("-five"))}}}, Default: &Case{}},
			}}},
			w.step("after.x", add("!")),
			w.out("main"),
		}
	},
	"a route without a default rejects what has no case": func(w *world) []Node {
		key := func(r *batch.Record) string { s := gjson.ParseBytes(r.Data).Str; return s[len(s)-1:] }
		return []Node{&Route{Name: "r", Key: key, Cases: []Case{{Value: "1", Body: []Node{w.out("ones")}}, {Value: "2", Body: []Node{w.out("twos")}}}}}
	},
	"a tee sends a copy": func(w *world) []Node {
		return []Node{
			&Tee{Name: "t", Body: []Node{w.step("side.x", is("6", "reject")), w.step("slow.x", add("-copy")), w.out("copy")}},
			w.step("b.x", is("6", "reject")), w.out("main"),
		}
	},
	"side rows go to their output": func(w *world) []Node {
		s := w.step("a.x", is("2", `"p"|"q"`))
		s.Sides["log"] = w.out("log").Sink
		return []Node{s, w.out("main")}
	},
	"a shadow lets the current step's records go on": func(w *world) []Node {
		return []Node{&Shadow{
			Name: "s", Limit: -1, Differences: &Differences{},
			Current: w.stepWith("old.x", 2, is("5", "reject")), Candidate: w.stepWith("new.x", 2, is("4", `"a"|"b"`)),
		}, w.out("main")}
	},
	"a sink may refuse": func(w *world) []Node {
		out := w.out("main")
		w.sinks["main"].refuses = `"4"`
		return []Node{out}
	},
}
