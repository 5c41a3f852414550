package flow

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A holdingStage drops records, of which it holds those whose number takes, and emits them at the end in answers of one record each.
type holdingStage struct {
	arena *wire.Arena
	mark  string
	held  []wire.Record
}

func (s *holdingStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	if len(in) == 0 {
		return s.flush(ctx, out)
	}
	a := wire.Answer{Outcomes: make([]wire.Outcome, len(in)), Last: true}
	for i, r := range in {
		r.Data = []byte(strings.TrimSuffix(string(r.Data), `"`) + s.mark + `"`)
		r.Origins = wire.OriginsOf([]wire.Pos{{File: r.File, Line: r.Line}, {File: "too", Line: 1}})
		s.held = append(s.held, r)
		a.Outcomes[i] = wire.Outcome{Verdict: wire.Dropped, Fault: &wire.Fault{Message: "held"}}
	}
	return out.Answer(a)
}

func (s *holdingStage) flush(ctx context.Context, out Receiver) error {
	for _, r := range s.held {
		out.Waiting(true)
		region, err := s.arena.Alloc(ctx, len(r.Data))
		out.Waiting(false)
		if err != nil {
			return err
		}
		r.Data, r.Mem = region.Bytes()[:copy(region.Bytes(), r.Data)], region
		if err := out.Answer(wire.Answer{Made: []wire.Record{r}}); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) holdingStep(name, mark string) *Step {
	return &Step{
		Name: name, Plugin: "holder", Account: &Account{}, Ordered: true, Finish: true, Sides: map[string]*Sink{},
		Stages: []Stage{&holdingStage{arena: w.arena(), mark: mark}},
	}
}

// flushing runs a body on many seeds, and checks that the account of every step and of the run balances.
func flushing(t *testing.T, n int, want map[string]string, body func(*world) []Node) {
	t.Helper()
	for seed := range int64(20) {
		var steps []*Step
		have, sums, err := run(t, seed, n, -1, nil, func(w *world) []Node {
			nodes := body(w)
			for _, node := range nodes {
				steps = append(steps, stepsOf(node)...)
			}
			return nodes
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, rows := range want {
			if diff := cmp.Diff(rows, have[name]); diff != "" {
				t.Fatalf("seed %d, sink %s (-want +have):\n%s", seed, name, diff)
			}
		}
		out := sums.Written
		for _, counts := range []map[string]int64{sums.Dropped, sums.Rejected} {
			for _, n := range counts {
				out += n
			}
		}
		if sums.Read+sums.Extra+sums.Teed != out {
			t.Errorf("seed %d: want the run balanced, have %+v", seed, sums)
		}
		for _, s := range steps {
			f := s.Account.Snapshot()
			out := f.Out
			for _, counts := range []map[string]int64{f.Dropped, f.Rejected, f.Declined} {
				for _, n := range counts {
					out += n
				}
			}
			if f.In+f.Extra != out {
				t.Errorf("seed %d: want step %s balanced, have %+v", seed, s.Name, f)
			}
		}
	}
}

func lines(format string, numbers ...int) string {
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, format+"\n", n)
	}
	return b.String()
}

// TestFlush checks that what a step emits at the end goes on through the later nodes, and that a later step that holds records too
// gets it before its own end.
func TestFlush(t *testing.T) {
	flushing(t, 6, map[string]string{"main": lines(`"%dabX"`, 0, 1, 2, 3, 4, 5), "copy": lines(`"%da"`, 0, 1, 2, 3, 4, 5)}, func(w *world) []Node {
		return []Node{
			w.holdingStep("h.a", "a"), &Tee{Name: "copy", Body: []Node{w.out("copy")}}, w.holdingStep("h.b", "b"),
			w.stepWith("x.x", 3, add("X")), w.out("main"),
		}
	})
}

// TestFlushInFirst checks that what a member holds goes on behind the first, and not to the members after it.
func TestFlushInFirst(t *testing.T) {
	flushing(t, 5, map[string]string{"main": lines(`"%dlate"`, 3) + lines(`"%da"`, 0, 1, 2, 4)}, func(w *world) []Node {
		return []Node{&First{Name: "f", Members: []Member{
			w.stepWith("x.x", 1, is("3", "decline")), w.stepWith("x.y", 1, is("3", "decline")), w.holdingStep("h.never", "late"),
		}}, &Route{
			Name: "r", Key: func(r *wire.Record) string { return fmt.Sprint(strings.Contains(string(r.Data), "late")) },
			Cases: []Case{{Value: "true"}, {Value: "false", Body: []Node{w.holdingStep("h.a", "a")}}},
		}, w.out("main")}
	})
}

// TestFlushInBranches checks that what the branches of nested routes hold joins the stream behind them, branch after branch, and
// that a branch which ends in a sink has its own.
func TestFlushInBranches(t *testing.T) {
	key := func(i int) func(*wire.Record) string {
		return func(r *wire.Record) string { return string(r.Data[i]) }
	}
	flushing(t, 8, map[string]string{
		"main": lines(`"%d!"`, 3, 5, 6, 7) + lines(`"%da!"`, 1) + lines(`"%db!"`, 4) + lines(`"%dc!"`, 2),
		"own":  lines(`"%dd"`, 0),
	}, func(w *world) []Node {
		return []Node{&Route{Name: "outer", Key: key(1), Cases: []Case{
			{Value: "0", Body: []Node{w.holdingStep("h.d", "d"), w.out("own")}},
			{Value: "1", Body: []Node{w.holdingStep("h.a", "a")}},
			{Value: "3"},
		}, Default: &Case{Body: []Node{&Route{Name: "inner", Key: key(1), Cases: []Case{
			{Value: "4", Body: []Node{w.holdingStep("h.b", "b")}}, {Value: "2", Body: []Node{w.holdingStep("h.c", "c")}},
		}, Default: &Case{}}}}}, w.step("x.x", add("!")), w.out("main")}
	})
}

// TestFlushRejects checks that a record made at the end is rejected behind those of the input, with all its origins.
func TestFlushRejects(t *testing.T) {
	flushing(t, 4, map[string]string{
		"main": lines(`"%da"`, 0, 2),
		"dead": `{"code":"bad","message":"as asked","path":"a","step":"x.early","plugin":"fake","file":"in","line":4,"record":"3"}` + "\n" +
			`{"code":"bad","message":"as asked","path":"a","step":"x.late","plugin":"fake","file":"in","line":2,` +
			`"origins":[{"file":"in","line":2},{"file":"too","line":1}],"record":"1a"}` + "\n",
	}, func(w *world) []Node {
		return []Node{w.step("x.early", is("3", "reject")), w.holdingStep("h.a", "a"), w.step("x.late", is("1a", "reject")), w.out("main")}
	})
}
