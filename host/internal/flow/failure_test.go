package flow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TestFailure checks which errors end a run, and how they read.
func TestFailure(t *testing.T) {
	cases := []struct {
		reason string
		limit  int64
		body   func(*world) []Node
		want   string
	}{
		{"a step that fails ends the run, with its name", -1, func(w *world) []Node {
			return []Node{w.step("a.x", add("!")), w.step("b.x", is("9!", "fail")), w.step("c.x", add("?")), w.out("main")}
		}, "step b.x: as asked"},
		{"a sink that fails too", -1, func(w *world) []Node {
			out := w.out("main")
			w.sinks["main"].err = errors.New("disk full")
			return []Node{w.step("a.x", add("!")), out}
		}, "sink main: disk full"},
		{"and the sink of an output block", -1, func(w *world) []Node {
			s := w.step("a.x", add("!"))
			s.Sides["log"] = w.out("log")
			w.sinks["log"].err = errors.New("disk full")
			return []Node{s, w.out("main")}
		}, "step a.x: output log: disk full"},
		{"a decline outside a first is a reject", 0, func(w *world) []Node {
			return []Node{w.step("a.x", is("7", "decline")), w.out("main")}
		}, "step a.x: declined: not mine"},
	}
	for _, c := range cases {
		_, _, err := run(t, 5, 57, c.limit, nil, c.body)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

// TestLimits checks that the limit is the highest number that passes, and that the rejects up to it are written.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		reason string
		limit  string
		ok     bool
	}{
		{"one less than there are", "5", false}, {"as many as there are", "6", true}, {"one more", "7", true}, {"none allowed", "0", false}, {"any number", "", true},
		{"less than their share", "9.999999%", false}, {"their share", "10%", true}, {"no share", "0%", false}, {"all", "100%", true},
	} {
		bound := limitOf(t, c.limit)
		for _, workers := range []int{1, 3} {
			found := &Differences{}
			for what, body := range map[string]func(*world) []Node{
				"": func(w *world) []Node { return []Node{w.stepWith("a.x", workers, is("5", "reject")), w.out("main")} },
				"s": func(w *world) []Node {
					return []Node{&Shadow{
						Name: "s", Limit: bound, Differences: found, Rows: w.out("rows"),
						Current: w.stepWith("a.x", workers, add("!")), Candidate: w.stepWith("b.x", workers, func(s string) string {
							if strings.HasSuffix(s, `5"`) {
								return "drop"
							}
							return add("!")(s)
						}),
					}, w.out("main")}
				},
			} {
				rejects := bound
				if what != "" {
					rejects = limit.Limit{}
				}
				have, _, err := runLimited(t, 3, 60, rejects, nil, body)
				passed, ok := errors.AsType[*LimitError](err)
				if ok == c.ok || err != nil && !ok {
					t.Errorf("%s, shadow %q, %d workers: want passed %v, have %v", c.reason, what, workers, c.ok, err)
					continue
				}
				if !ok {
					continue
				}
				most, of := bound.Number()+1, int64(0) // a number ends the run at once, a share in the end
				if bound.IsShare() {
					most, of = 6, 60
				}
				if passed.Shadow != what || passed.Limit != bound || passed.Have != most || passed.Of != of {
					t.Errorf("%s, shadow %q: have %+v", c.reason, what, passed)
				}
				if rows := have[map[string]string{"": "dead", "s": "rows"}[what]]; int64(strings.Count(rows, "\n")) != passed.Have {
					t.Errorf("%s, shadow %q: want the %d that were found written, have\n%s", c.reason, what, passed.Have, rows)
				}
			}
		}
	}
}

func limitOf(t *testing.T, text string) (l limit.Limit) {
	t.Helper()
	if text == "" {
		return l
	}
	l, err := limit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLimitRecord checks that the record beyond the limit is named.
func TestLimitRecord(t *testing.T) {
	for _, c := range []struct {
		e    LimitError
		want string
	}{
		{LimitError{Limit: limitOf(t, "0.5%"), Have: 3, Of: 200, What: "in:7: step a.x: bad: x"}, "want at most 0.5% of the records rejected, have 3 of 200 (1.5%), first in:7: step a.x: bad: x"},
		{LimitError{Shadow: "s", Limit: limitOf(t, "1%"), Have: 3, Of: 200, What: "in:7"}, "shadow s: want at most 1% of the records to differ, have 3 of 200 (1.5%), first in:7"},
		{LimitError{Limit: limitOf(t, "2"), Have: 3, What: "in:7: step a.x: bad: x"}, "want at most 2 rejects, have 3: in:7: step a.x: bad: x"},
		{LimitError{Shadow: "s", Limit: limitOf(t, "2"), Have: 3, What: "in:7"}, "in:7: shadow s: want at most 2 differing records, have 3"},
	} {
		if have := c.e.Error(); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
		}
	}
	_, _, err := runLimited(t, 3, 60, limitOf(t, "2"), nil, func(w *world) []Node { return []Node{w.step("a.x", is("5", "reject")), w.out("main")} })
	if e, ok := errors.AsType[*LimitError](err); !ok || e.What != "in:26: step a.x: bad at a: as asked" {
		t.Errorf("want the third reject named, have %v", err)
	}
}

// TestCrashFails checks that by default a crash ends the run with an error that names the records and the remedy, and that
// a crash of a plugin with state always does.
func TestCrashFails(t *testing.T) {
	const hint = `; without on_crash = "fail" in its host block such records are rejected and the run goes on`
	for _, c := range []struct {
		reason           string
		stage            func([]wire.Record, Receiver) error
		workers          int
		isolate, ordered bool
		want             string
	}{
		{"the record that was at hand", crashAfter(2, 4), 1, false, false, "in:5: step a.x: the plugin ended: exit status 2" + hint},
		{"or those that are left", crashAfter(2, -1), 1, false, false, "in:3 to in:6: step a.x: the plugin ended: exit status 2" + hint},
		{"a record that is answered was not at hand", crashAfter(2, 1), 1, false, false, "in:3 to in:6: step a.x: the plugin ended: exit status 2" + hint},
		{"behind the last answer", crashAfter(6, -1), 1, false, false, "in:6: step a.x: the plugin ended: exit status 2" + hint},
		{"it may have been another worker's record", crashAfter(2, 4), 2, false, false,
			"in:5: step a.x: the plugin ended: exit status 2, at this record or at the record of another of its 2 workers" + hint},
		{"state from record to record is lost", crashAfter(2, 4), 1, true, true,
			"in:5: step a.x: the plugin ended: exit status 2; it keeps state from record to record, so a crash ends the run"},
		{"another error is the plugin's own", func([]wire.Record, Receiver) error { return errFatal }, 1, true, false, "step a.x: cannot go on"},
		{"of a record that it knows", failsAt(2, 4), 1, true, false, "in:5: step a.x: cannot go on"},
		{"of another batch, whose worker ended this one's process", func([]wire.Record, Receiver) error {
			return &RecordError{At: receipt.Position{File: "in", Line: 99}, Err: errFatal}
		}, 2, true, false, "in:99: step a.x: cannot go on"},
		{"too few answers", func(in []wire.Record, out Receiver) error { return answerAll(in[:2], out) }, 1, false, false, "step a.x: want 6 records answered, have 2"},
		{"too many answers", func(in []wire.Record, out Receiver) error { return answerAll(append(in, in...), out) }, 1, false, false, "step a.x: want 6 records answered, have 12"},
		{"a side row of another record", func(in []wire.Record, out Receiver) error {
			return out.Answer(wire.Answer{Outcomes: make([]wire.Outcome, 1), Sides: []wire.Side{{Index: 1}}})
		}, 1, false, false, "step a.x: want side rows with the answer to their record, have one of record 1"},
	} {
		step := &Step{Name: "a.x", Isolate: c.isolate, Restarts: 100, Ordered: c.ordered, Account: &Account{}}
		for range c.workers {
			step.Stages = append(step.Stages, &script{c.stage})
		}
		if err := step.prepare(false); err != nil {
			t.Fatal(err)
		}
		err := step.process(t.Context(), onlySlot, letters("abcdef"), func([]wire.Record, wire.Answer) error { return nil })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\nwant %s\nhave %v", c.reason, c.want, err)
		}
	}
}

// TestTimeout checks that a plugin that hangs over a record loses only that record, or fails the run by default.
func TestTimeout(t *testing.T) {
	for _, isolate := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			step := &Step{Name: "a.x", Account: &Account{}, Stages: []Stage{hangingStage{}}, Timeout: 5 * time.Second, Isolate: isolate, Restarts: 100}
			if err := step.prepare(false); err != nil {
				t.Fatal(err)
			}
			rejected := ""
			err := step.process(t.Context(), onlySlot, letters("abcd"), func(in []wire.Record, a wire.Answer) error {
				for i, o := range a.Outcomes {
					if o.Verdict == wire.Rejected {
						rejected += string(in[i].Data) + ": " + o.Fault.Message
					}
				}
				return nil
			})
			if want := "c: the plugin ended: want an answer within 5s, have silence"; isolate && (err != nil || rejected != want) {
				t.Errorf("want %q, have %q (%v)", want, rejected, err)
			}
			if !isolate && (err == nil || !strings.HasPrefix(err.Error(), "in:1 to in:4: step a.x: the plugin ended: want an answer within 5s, have silence; ")) {
				t.Errorf("want the time-out and the records, have %v", err)
			}
		})
	}
}

// A hangingStage never answers a batch with a "c".
type hangingStage struct{}

func (hangingStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	for _, r := range in {
		if string(r.Data) == "c" {
			<-ctx.Done()
			return context.Cause(ctx)
		}
	}
	return answerAll(in, out)
}

// TestPrivate checks that a reject of a private step does not show the record, unless the plugin sent one to show.
func TestPrivate(t *testing.T) {
	r := wire.Record{Data: []byte(`"secret"`), File: "in", Line: 1}
	for _, c := range []struct {
		reason  string
		fault   wire.Fault
		private bool
		want    string
	}{
		{"a crash of a private step", wire.Fault{Code: CrashCode}, true, "null"},
		{"output that is none", wire.Fault{Code: wire.InvalidOutput}, true, "null"},
		{"its own reject without a record", wire.Fault{Code: "too_large"}, true, "null"},
		{"its own reject with one", wire.Fault{Code: "leak", Record: []byte(`"***"`)}, true, `"***"`},
		{"another step", wire.Fault{Code: CrashCode}, false, `"secret"`},
	} {
		have := newReject(&r, &c.fault, &rejecter{"a.x", "p", c.private}, 0, false).row.Data
		if !strings.HasSuffix(string(have), `"record":`+c.want+"}") {
			t.Errorf("%s: want %s shown, have %s", c.reason, c.want, have)
		}
	}
	have, _, err := run(t, 2, 4, -1, nil, func(w *world) []Node {
		m, _ := w.crashingStep("m.x", 2, failOn(errKilled, `"1"`))
		m.Private = true
		decline := w.stepWith("d.x", 2, is("3", "decline"))
		f := &First{Name: "f", Members: []Member{w.stepWith("p.x", 2, func(string) string { return "decline" }), decline}}
		f.Members[0].(*Step).Private = true
		return []Node{m, f, w.out("main")}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"code":"plugin_crash","message":"the plugin ended: exit status 2","path":"","step":"m.x","plugin":"mortal","file":"in","line":2,"record":null}` + "\n" +
		`{"code":"declined","message":"no step of first f took it: p.x: not mine; d.x: not mine","path":"","step":"first.f","plugin":"","file":"in","line":4,"record":null}` + "\n"
	if diff := cmp.Diff(want, have["dead"]); diff != "" {
		t.Errorf("dead letter (-want +have):\n%s", diff)
	}
}
