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

func lineAt(n int64) receipt.Position { return receipt.Position{File: "in", Line: n} }

// TestShadow checks what a comparison holds, and that it does not depend on the schedule.
func TestShadow(t *testing.T) {
	examples := func(path, current, candidate string, lines ...int64) (x []receipt.Example) {
		for _, n := range lines {
			x = append(x, receipt.Example{Position: lineAt(n), Path: path, Current: current, Candidate: candidate})
		}
		return x
	}
	want := receipt.Comparison{Records: 30, Differing: 6, Differences: []receipt.ShadowGroup{
		{ShadowDifference: differAt("", "emitted 1", "rejected bad"), Records: 3, Examples: nil},
		{ShadowDifference: differAt("c.#", "a number", "a string"), Records: 3, Examples: examples("c.1", "2", `"2"`, 9, 19, 29)},
		{ShadowDifference: differAt("c.#", "nothing", "a number"), Records: 3, Examples: examples("c.2", "", "3", 9, 19, 29)},
	}}
	for _, line := range []int64{10, 20, 30} {
		record := fmt.Sprintf(`{"a":{"b":"%d"},"c":[1,2]}`, line-1)
		want.Differences[0].Examples = append(want.Differences[0].Examples, receipt.Example{Position: lineAt(line), Current: record, Candidate: "as asked"})
	}
	for seed := int64(1); seed < 15; seed++ {
		found := &Differences{}
		_, _, err := run(t, seed, 30, -1, nil, func(w *world) []Node {
			return []Node{&Shadow{
				Name: "s", Differences: found, Values: true,
				Current: w.stepWith("old.x", 2, func(s string) string { return `{"a":{"b":` + s + `},"c":[1,2]}` }),
				Candidate: w.stepWith("new.x", 2, func(s string) string {
					switch {
					case strings.HasSuffix(s, `9"`):
						return "reject"
					case strings.HasSuffix(s, `8"`):
						return `{"c":[1,"2",3],"a":{"b":` + s + `}}`
					}
					return `{"c": [1, 2.0],"a":{"b":` + s + `}}`
				}),
			}, w.out("main")}
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, found.Snapshot()); diff != "" {
			t.Fatalf("seed %d: differences (-want +have):\n%s", seed, diff)
		}
	}
}

// TestShadowRows checks that every record that differs is a row, in input order, without the records of private steps.
func TestShadowRows(t *testing.T) {
	for _, private := range []bool{false, true} {
		have, _, err := run(t, 5, 30, -1, nil, func(w *world) []Node {
			old, new := w.stepWith("old.x", 3, is("5", "drop")), w.stepWith("new.x", 3, is("7", "reject"))
			new.Private = private
			return []Node{&Shadow{Name: "s", Differences: &Differences{}, Current: old, Candidate: new, Rows: w.out("rows")}, w.out("main")}
		})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for i := range 30 {
			record := fmt.Sprintf("%q", fmt.Sprint(i))
			if private {
				record = "null"
			}
			emitted := `{"verdict":"emitted","code":"","message":"","records":[` + record + `]}`
			switch i % 10 {
			case 5:
				fmt.Fprintf(&want, `{"file":"in","line":%d,"current":{"verdict":"dropped","code":"","message":"as asked","records":[]},"candidate":%s}`+"\n", i+1, emitted)
			case 7:
				fmt.Fprintf(&want, `{"file":"in","line":%d,"current":%s,"candidate":{"verdict":"rejected","code":"bad","message":"as asked","records":[]}}`+"\n", i+1, emitted)
			}
		}
		if diff := cmp.Diff(want.String(), have["rows"]); diff != "" {
			t.Errorf("private %v: rows (-want +have):\n%s", private, diff)
		}
	}
}

// TestShadowInFirst checks that a shadow accepts and declines what its current step does, and that declines are compared.
func TestShadowInFirst(t *testing.T) {
	for seed := int64(1); seed < 15; seed++ {
		found := &Differences{}
		have, _, err := run(t, seed, 10, -1, nil, func(w *world) []Node {
			return []Node{&First{Name: "f", Members: []Member{
				&Shadow{
					Name: "s", Differences: found,
					Current: w.stepWith("old.x", 2, is("3", "decline")), Candidate: w.stepWith("new.x", 2, is("4", "decline")),
				},
				w.stepWith("rest.x", 2, add("+")),
			}}, w.out("main")}
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := "\"0\"\n\"1\"\n\"2\"\n\"3+\"\n\"4\"\n\"5\"\n\"6\"\n\"7\"\n\"8\"\n\"9\"\n"; have["main"] != want || have["dead"] != "" {
			t.Fatalf("seed %d: want what the current step declines taken by the next, have\n%s%s", seed, have["main"], have["dead"])
		}
		want := receipt.Comparison{Records: 10, Differing: 2, Differences: []receipt.ShadowGroup{
			{ShadowDifference: differAt("", "declined", "emitted 1"), Records: 1, Examples: []receipt.Example{{Position: lineAt(4), Current: "not mine", Candidate: ""}}},
			{ShadowDifference: differAt("", "emitted 1", "declined"), Records: 1, Examples: []receipt.Example{{Position: lineAt(5), Current: "", Candidate: "not mine"}}},
		}}
		if diff := cmp.Diff(want, found.Snapshot()); diff != "" {
			t.Fatalf("seed %d: differences (-want +have):\n%s", seed, diff)
		}
	}
}

// TestShadowFailure checks that nothing that the candidate does ends the run or changes the stream, that the records that
// it fails over are named, and after which record it is left out.
func TestShadowFailure(t *testing.T) {
	const n = 60
	all := strings.Join(numbers(n), "\n") + "\n"
	many := strings.Fields(strings.Join(numbers(n), " "))[20:45]
	after := func(line int64) *receipt.Position { p := lineAt(line); return &p }
	short := errors.New("too short")
	for _, c := range []struct {
		reason  string
		kills   func(string) error
		ordered bool
		want    receipt.Comparison
	}{
		{"a crash", failOn(errKilled, `"3"`, `"40"`), false, receipt.Comparison{Records: n, Differing: 2}},
		{"an error that would end the run", failOn(errFatal, `"3"`, `"40"`), false, receipt.Comparison{Records: n, Differing: 2}},
		{"answers that are missing", failOn(short, `"3"`), false, receipt.Comparison{Records: n, Differing: 1}},
		{"ten failures", failOn(errKilled, many...), false, receipt.Comparison{
			Records: 30, Differing: 10, NotCompared: 30, Stopped: &receipt.Cutoff{After: after(30), Why: "the plugin ended: exit status 2"},
		}},
		{"ten failures, of which the last is at the last record", failOn(errKilled, strings.Fields(strings.Join(numbers(n), " "))[50:]...), false,
			receipt.Comparison{Records: n, Differing: 10}},
		{"the state of an ordered candidate is lost", failOn(errFatal, `"0"`), true, receipt.Comparison{
			NotCompared: n, Stopped: &receipt.Cutoff{Why: "step new.x: cannot go on"},
		}},
	} {
		for _, workers := range []int{1, 3} {
			if c.ordered && workers > 1 {
				continue
			}
			for seed := int64(1); seed < 12; seed++ {
				found := &Differences{}
				have, sums, err := run(t, seed, n, 0, nil, func(w *world) []Node {
					candidate, _ := w.crashingStep("new.x", workers, c.kills)
					candidate.Isolate, candidate.Ordered = false, c.ordered
					for i, st := range candidate.Stages {
						candidate.Stages[i] = &incompleteStage{st, short}
					}
					return []Node{&Shadow{
						Name: "s", Differences: found, Rows: w.out("rows"),
						Current: w.stepWith("old.x", workers, func(string) string { return "" }), Candidate: candidate,
					}, w.out("main")}
				})
				if err != nil {
					t.Fatalf("%s, %d workers, seed %d: %v", c.reason, workers, seed, err)
				}
				report := found.Snapshot()
				for _, g := range report.Differences {
					if g.Candidate != crashed || g.Examples[0].Candidate == "" {
						t.Errorf("%s: want the failure as an outcome with its message, have %+v", c.reason, g)
					}
				}
				report.Differences = nil
				if diff := cmp.Diff(c.want, report); diff != "" {
					t.Fatalf("%s, %d workers, seed %d (-want +have):\n%s", c.reason, workers, seed, diff)
				}
				if have["main"] != all || have["dead"] != "" || sums.Written != n || strings.Count(have["rows"], "\n") != int(report.Differing) {
					t.Fatalf("%s, %d workers, seed %d: want the stream as without a candidate, have %+v and rows\n%s", c.reason, workers, seed, sums, have["rows"])
				}
			}
		}
	}
}

// TestShadowLimitOfFailed holds that a limit is not kept that records may have passed which were not compared, since the candidate
// failed too often.
func TestShadowLimitOfFailed(t *testing.T) {
	const n = 60
	many := strings.Fields(strings.Join(numbers(n), " "))[20:45] // 10 of them are compared, and 30 of all
	for _, c := range []struct{ reason, limit, want string }{
		{"no limit", "", ""},
		{"beyond the number", "20", "in:41: shadow s: want at most 20 differing records, have 10, and 11 not compared, since the candidate failed after in:30"},
		{"beyond it at the last record", "39", "in:60: shadow s: want at most 39 differing records, have 10, and 30 not compared, since the candidate failed after in:30"},
		{"not beyond it, whatever the others are", "40", ""},
		{"beyond it by those that were compared", "9", "in:30: shadow s: want at most 9 differing records, have 10"},
		{"beyond the share", "66.6%", "shadow s: want at most 66.6% of the records to differ, have 10 of 30, and 30 not compared, since the candidate failed after in:30"},
		{"not beyond the share", "66.7%", ""},
		{"beyond the share by those that were compared", "33%", "shadow s: want at most 33% of the records to differ, have 10 of 30 (33.33%), first in:21"},
	} {
		for _, workers := range []int{1, 3} {
			for seed := int64(1); seed < 8; seed++ {
				_, _, err := run(t, seed, n, 0, nil, func(w *world) []Node {
					candidate, _ := w.crashingStep("new.x", workers, failOn(errKilled, many...))
					candidate.Isolate = false
					s := &Shadow{
						Name: "s", Differences: &Differences{},
						Current: w.stepWith("old.x", workers, func(string) string { return "" }), Candidate: candidate,
					}
					if c.limit != "" {
						s.Limit = limitOf(t, c.limit)
					}
					return []Node{s, w.out("main")}
				})
				if have := errText(err); have != c.want {
					t.Fatalf("%s, %d workers, seed %d: want %q, have %q", c.reason, workers, seed, c.want, have)
				}
			}
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// An incompleteStage returns without an error but with too few answers where another stage fails.
type incompleteStage struct {
	Stage
	where error
}

func (f *incompleteStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	if err := f.Stage.Process(ctx, in, out); !errors.Is(err, f.where) {
		return err
	}
	return nil
}
