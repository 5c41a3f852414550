package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A speechlessStage fails when it is asked for what it holds.
type speechlessStage struct{ Stage }

func (s speechlessStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	if len(in) == 0 {
		return errors.New("no last words")
	}
	return s.Stage.Process(ctx, in, out)
}

// TestShadowLastWords holds that what the steps of a shadow emit after the last record is compared by the places that it was made of,
// in a first and alone, and that a candidate which fails there changes nothing of the stream.
func TestShadowLastWords(t *testing.T) {
	drops := func(w *world, name string) *Step { return w.stepWith(name, 1, func(string) string { return "drop" }) }
	differs := func(n int64, current, candidate string, lines ...int64) []receipt.ShadowGroup {
		g := receipt.ShadowGroup{ShadowDifference: differAt("", current, candidate), Records: n}
		for _, line := range lines {
			g.Examples = append(g.Examples, receipt.Example{Position: lineAt(line), Origins: []receipt.Position{lineAt(line), {File: "too", Line: 1}}})
		}
		return []receipt.ShadowGroup{g}
	}
	held := lines(`"%da"`, 0, 1, 2)
	for _, c := range []struct {
		reason             string
		current, candidate func(*world) *Step
		main               string
		want               receipt.Comparison
	}{
		{"both say the same", func(w *world) *Step { return w.holdingStep("old.x", "a") }, func(w *world) *Step { return w.holdingStep("new.x", "a") }, held,
			receipt.Comparison{Records: 6, Differences: []receipt.ShadowGroup{}}},
		{"both say something else", func(w *world) *Step { return w.holdingStep("old.x", "a") }, func(w *world) *Step { return w.holdingStep("new.x", "b") }, held,
			receipt.Comparison{Records: 6, Differing: 3, Differences: differs(3, "a string", "another string", 1, 2, 3)}},
		{"the candidate says nothing", func(w *world) *Step { return w.holdingStep("old.x", "a") }, func(w *world) *Step { return drops(w, "new.x") }, held,
			receipt.Comparison{Records: 6, Differing: 3, Differences: differs(3, "emitted 1", "emitted 0", 1, 2, 3)}},
		{"the current step says nothing", func(w *world) *Step { return drops(w, "old.x") }, func(w *world) *Step { return w.holdingStep("new.x", "a") }, "",
			receipt.Comparison{Records: 6, Differing: 3, Differences: differs(3, "emitted 0", "emitted 1", 1, 2, 3)}},
		{"the candidate fails", func(w *world) *Step { return w.holdingStep("old.x", "a") }, func(w *world) *Step {
			s := w.holdingStep("new.x", "a")
			s.Stages[0] = speechlessStage{s.Stages[0]}
			return s
		}, held, receipt.Comparison{Records: 3, NotCompared: 3, Differences: []receipt.ShadowGroup{}, Stopped: &receipt.Cutoff{
			After: &receipt.Position{File: "in", Line: 3}, Why: "step new.x: after the last record: no last words",
		}}},
		{"the candidate alone has something to say, and fails", func(w *world) *Step { return drops(w, "old.x") }, func(w *world) *Step {
			s := w.holdingStep("new.x", "a")
			s.Stages[0] = speechlessStage{s.Stages[0]}
			return s
		}, "", receipt.Comparison{Records: 3, Differences: []receipt.ShadowGroup{}, Stopped: &receipt.Cutoff{
			After: &receipt.Position{File: "in", Line: 3}, Why: "step new.x: after the last record: no last words",
		}}},
	} {
		for _, inFirst := range []bool{false, true} {
			for seed := range int64(10) {
				found := &Differences{}
				have, _, err := run(t, seed, 3, -1, nil, func(w *world) []Node {
					var n Node = &Shadow{Name: "s", Differences: found, Current: c.current(w), Candidate: c.candidate(w), Rows: w.out("rows")}
					if inFirst {
						n = &First{Name: "f", Members: []Member{n.(*Shadow)}}
					}
					return []Node{n, w.out("main")}
				})
				if err != nil {
					t.Fatalf("%s: %v", c.reason, err)
				}
				report := found.Snapshot()
				if diff := cmp.Diff(c.want, report); diff != "" {
					t.Fatalf("%s, in a first %t, seed %d (-want +have):\n%s", c.reason, inFirst, seed, diff)
				}
				if have["main"] != c.main || strings.Count(have["rows"], `"origins":[{"file":"in"`) != int(c.want.Differing) {
					t.Fatalf("%s: want the stream as without a candidate, and rows of what differs, have\n%s%s", c.reason, have["main"], have["rows"])
				}
			}
		}
	}
}

// TestShadowLimitOfLost holds that a limit is not known to be kept when the candidate fails after the last record.
func TestShadowLimitOfLost(t *testing.T) {
	for _, c := range []struct{ limit, want string }{
		{"0", "shadow s: want at most 0 differing records, have 0, and 1 not compared, since the candidate failed after in:3"},
		{"1", ""},
		{"24%", "shadow s: want at most 24% of the records to differ, have 0 of 3, and 1 not compared, since the candidate failed after in:3"},
		{"25%", ""},
	} {
		_, _, err := run(t, 1, 3, -1, nil, func(w *world) []Node {
			candidate := w.holdingStep("new.x", "b")
			candidate.Stages[0] = speechlessStage{candidate.Stages[0]}
			current := w.stepWith("old.x", 1, func(string) string { return "drop" })
			return []Node{&Shadow{Name: "s", Differences: &Differences{}, Limit: limitOf(t, c.limit), Current: current, Candidate: candidate}, w.out("main")}
		})
		if have := errText(err); have != c.want {
			t.Errorf("limit %s: want %q, have %q", c.limit, c.want, have)
		}
	}
}

// TestShadowLastWordsLimit holds that what differs after the last record counts for the limit.
func TestShadowLastWordsLimit(t *testing.T) {
	_, _, err := run(t, 1, 3, -1, nil, func(w *world) []Node {
		return []Node{&Shadow{
			Name: "s", Differences: &Differences{}, Limit: limitOf(t, "2"), Current: w.holdingStep("old.x", "a"), Candidate: w.holdingStep("new.x", "b"),
		}, w.out("main")}
	})
	if want := "in:3: shadow s: want at most 2 differing records, have 3"; err == nil || fmt.Sprint(err) != want {
		t.Errorf("want %q, have %v", want, err)
	}
}
