package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

func wantLog(t *testing.T, have []string, want ...string) {
	t.Helper()
	if !slices.Equal(have, want) {
		t.Errorf("want\n%s\nhave\n%s", strings.Join(want, "\n"), strings.Join(have, "\n"))
	}
}

// TestAnswersComeBeforeGrowing holds that a worker that needs memory first says what it has, and that rows and counts
// of a record go with its verdict.
func TestAnswersComeBeforeGrowing(t *testing.T) {
	p := process(func(r *Record, emit func(*Record)) error {
		r.Side("rows", fmt.Appendf(nil, `{"line":%d}`, r.Pos().Line))
		r.Count("n", 1)
		err := r.Set("b", 1)
		emit(r)
		return err
	})
	s := &space{grant: 13, most: 20}
	must(t, s.run(t, open(t, tester(p), false), input(`{"a":1}`, `{"a":2}`, `{"a":"`+strings.Repeat("x", 40)+`"}`, `{"a":4}`)))
	wantLog(t, s.log,
		"note 0", "note 1",
		`emitted {"a":1,"b":1}; side 0 rows {"line":1}; count n 1`, "grow 13", "note 2",
		"note 3", `emitted {"a":2,"b":1}; rejected|too_large||output is larger than the memory of a step: want at most 20 bytes, have 54; `+
			`side 1 rows {"line":2}; count n 1`, "grow 13",
		`emitted {"a":4,"b":1}; side 3 rows {"line":4}; count n 1`)
}

// TestOutputLiesInOneGrant holds that what a record emits stays together when it outgrows the memory at hand, and that
// what does not go on gives its memory back.
func TestOutputLiesInOneGrant(t *testing.T) {
	p := process(func(r *Record, emit func(*Record)) error {
		for _, text := range []string{`[1,2,3]`, `[4,5,6]`, `[7,8,9]`} {
			emit(r.Derive([]byte(text)))
			emit(r)
		}
		if r.Get("drop").Bool() {
			return Drop("asked")
		}
		return nil
	})
	s := &space{grant: 30}
	must(t, s.run(t, open(t, tester(p), false), input(`{"drop":true}`, `{"a":1}`, `{"a":2}`)))
	wantLog(t, s.log,
		"note 0", "note 1", "note 2",
		`dropped|||asked; emitted [1,2,3] {"a":1} [4,5,6] {"a":1} [7,8,9] {"a":1}`, "grow 21",
		`emitted [1,2,3] {"a":2} [4,5,6] {"a":2} [7,8,9] {"a":2}`)
}

// TestRepliesInTime holds that a slow step says something each second, so that its time limit is about a record.
func TestRepliesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &space{}
		p := process(func(r *Record, emit func(*Record)) error {
			time.Sleep(600 * time.Millisecond)
			emit(r)
			return nil
		})
		must(t, s.run(t, open(t, tester(p), false), input(`1`, `2`, `3`, `4`, `5`)))
		wantLog(t, s.log, "note 0", "note 1", "unchanged; unchanged", "note 2", "note 3", "unchanged; unchanged", "note 4", "unchanged")
	})
}

// TestRepliesBeforeRowsPileUp holds that side rows of a batch do not collect without bound.
func TestRepliesBeforeRowsPileUp(t *testing.T) {
	row := []byte(`{"a":"` + strings.Repeat("x", 3<<20) + `"}`)
	p := process(func(r *Record, emit func(*Record)) error { r.Side("rows", row); return Drop("x") })
	s := &space{}
	must(t, s.run(t, open(t, tester(p), false), input(`1`, `2`, `3`)))
	var replies []int
	for _, line := range s.log {
		if n := strings.Count(line, "dropped"); n > 0 {
			replies = append(replies, n)
		}
	}
	if !slices.Equal(replies, []int{2, 1}) {
		t.Errorf("want replies about 2 and 1 records, have %v", replies)
	}
}

// TestManyRowsAndCounts holds that a record may have a million side rows and names to count when its output needs more
// memory: quadratic work does not end.
func TestManyRowsAndCounts(t *testing.T) {
	n := 1 << 20
	if testing.Short() {
		n >>= 4
	}
	p := process(func(r *Record, emit func(*Record)) error {
		for i := range n {
			r.Side("rows", []byte("{}"))
			if i%16 == 0 {
				r.Count(fmt.Sprint("name", i), 1)
			}
		}
		emit(r.Derive([]byte(`[1]`)))
		return nil
	})
	s := &space{grant: 1}
	w := open(t, tester(p), false)
	rows, names := 0, 0
	s.validator.In, s.validator.Depth = input(`1`, `2`), 10
	must(t, w.Process(t.Context(), s.validator.In, s, func(r *wire.Reply) error {
		s.said, rows, names = s.next, rows+len(r.Sides), names+len(r.Counts)
		return nil
	}))
	if rows != 2*n || names != 2*n/16 {
		t.Errorf("want %d rows and %d counts, have %d and %d", 2*n, 2*n/16, rows, names)
	}
	if kept := len(w.(*chain).steps[0].counts.figures); kept > maxFigures {
		t.Errorf("want at most %d names remembered, have %d", maxFigures, kept)
	}
}

// TestCountsStartAnew holds that every reply has the counts since the last, of all records that stand.
func TestCountsStartAnew(t *testing.T) {
	var c tally
	c.add("a", 2)
	c.settle(true)
	c.add("a", 40)
	c.add("b", 1)
	c.settle(false)
	if have := fmt.Sprint(c.drain()); have != "[]" {
		t.Errorf("want nothing of a record that is not answered, have %s", have)
	}
	c.keep()
	c.add("a", 3)
	if have := fmt.Sprint(c.drain()); have != "[{a 2}]" {
		t.Errorf("want what stands, have %s", have)
	}
	c.settle(true)
	c.keep()
	if have := fmt.Sprint(c.drain(), c.drain()); have != "[{a 3}] []" {
		t.Errorf("want what was counted meanwhile, and then nothing, have %s", have)
	}
}

// TestEnds holds what ends a worker and with it the run.
func TestEnds(t *testing.T) {
	fatal := Fatal("no disk at %s", "/tmp")
	stopped := errors.New("stopped")
	tests := []struct {
		reason string
		proc   func(ctx context.Context, cancel context.CancelCauseFunc) error
		want   error
	}{
		{"what the author says", func(context.Context, context.CancelCauseFunc) error { return fmt.Errorf("outer: %w", Keep(fatal)) }, fatal},
		{"the end of the run, which is no fault of the record", func(ctx context.Context, cancel context.CancelCauseFunc) error {
			cancel(stopped)
			return ctx.Err()
		}, stopped},
	}
	for _, tt := range tests {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := open(t, tester(Func(func(ctx context.Context, _ *Record, _ func(*Record)) error { return tt.proc(ctx, cancel) })), true)
		err := w.Process(ctx, input(`{}`, `{}`), &space{}, func(*wire.Reply) error { return errors.New("want no reply") })
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: want %v, have %v", tt.reason, tt.want, err)
		}
	}
	if have := fatal.Error(); have != "no disk at /tmp" {
		t.Errorf("want the author's text alone, have %q", have)
	}
	stop := errors.New("stop")
	w := open(t, tester(Map(func(*Record) error { return nil })), false)
	if err := w.Process(t.Context(), input(`{}`), &space{}, func(*wire.Reply) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("want the error of reply, have %v", err)
	}
}

// TestTextsAreCopied holds that no text which a plugin hands over changes with the memory that it was a view of. The
// worker gets memory that is used for other records, as in a run of built-ins in one process.
func TestTextsAreCopied(t *testing.T) {
	tests := []struct {
		reason string
		act    func(r *Record, view string) error
		want   string
	}{
		{"a label", func(r *Record, view string) error { r.SetLabel("split", view); return nil }, `emitted {"v":"train"} split=train`},
		{"a label in place of another", func(r *Record, view string) error { r.SetLabel("split", ""); r.SetLabel("split", view); return nil }, `split=train`},
		{"a label's name", func(r *Record, view string) error { r.SetLabel(view, "x"); return nil }, `emitted {"v":"train"} train=x`},
		{"the reason of a drop", func(_ *Record, view string) error { return Drop(view) }, "dropped|||train"},
		{"the reason of a decline", func(_ *Record, view string) error { return Decline(view) }, "declined|||train"},
		{"all of a reject", func(_ *Record, view string) error { return Reject(view, view, "%s", view) }, "rejected|train|train|train"},
		{"any error", func(_ *Record, view string) error { return errors.New(view) }, "rejected|error||train"},
		{"a count", func(r *Record, view string) error { r.Count(view, 1); return nil }, `unchanged; count train 1`},
		{"a side row", func(r *Record, _ string) error { r.Side("rows", r.JSON()); return nil }, `unchanged; side 0 rows {"v":"train"}`},
		{"an output that is none", func(r *Record, view string) error { r.Side(view, nil); return nil },
			`rejected|error||plugin test: want an output that it declares (ledger, rows), have "train"`},
	}
	for _, tt := range tests {
		p := tester(Map(func(r *Record) error { return tt.act(r, r.View("v").Str) }))
		p.Labels = []string{"*"}
		s := &space{}
		in := input(`{"v":"train"}`)
		s.validator.In, s.validator.Depth, s.validator.Name = in, 10, "test"
		var reply *wire.Reply
		must(t, open(t, p, false).Process(t.Context(), in, s, func(r *wire.Reply) error { reply = r; return nil }))
		for i := range in[0].Data {
			in[0].Data[i] = '#'
		}
		if have := said(reply); !strings.HasSuffix(tt.want, have) {
			t.Errorf("%s: want the end of %q, have %q", tt.reason, tt.want, have)
		}
	}
}

// said gives what a reply about one record says beside the record itself.
func said(r *wire.Reply) string {
	for _, l := range r.Labels {
		return l.Labels[0].Name + "=" + l.Labels[0].Value
	}
	for _, f := range r.Faults {
		return strings.Join([]string{f.Code, f.Path, f.Message}, "|")
	}
	for _, s := range r.Sides {
		return s.Output + " " + string(s.JSON)
	}
	for _, c := range r.Counts {
		return fmt.Sprintf("%s %d", c.Name, c.N)
	}
	return "nothing"
}

// TestPoison holds that a view which was kept shows in what a poisoned worker says, and that what Get gave does not.
func TestPoison(t *testing.T) {
	var view, kept string
	p := process(func(r *Record, emit func(*Record)) error {
		if r.Pos().Line == 1 {
			view, kept = r.View("k").Str, r.Get("k").Str
		}
		emit(r)
		return nil
	})
	in := input(`{"k":"abc"}`, `{}`)
	s := &space{}
	must(t, s.run(t, open(t, tester(p), true), in))
	if view != "\xff\xff\xff" || kept != "abc" || string(in[0].Data) != `{"k":"abc"}` {
		t.Errorf("want the view overwritten and nothing else, have %q, %q and %s", view, kept, in[0].Data)
	}
}

func TestVerdictText(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{Reject("bad_role", "messages.0.role", "want a string, have %s", "null"), "bad_role at messages.0.role: want a string, have null"},
		{Reject("empty", "", "want messages"), "empty: want messages"},
		{Drop("seen"), "drop: seen"},
		{Decline("not mine"), "decline: not mine"},
		{Keep(Drop("seen")), "drop: seen"},
	}
	for _, tt := range tests {
		if have := tt.err.Error(); have != tt.want {
			t.Errorf("want %q, have %q", tt.want, have)
		}
	}
	if have := (Pos{File: "a.jsonl", Line: 3}).String(); have != "a.jsonl:3" {
		t.Errorf("want a.jsonl:3, have %s", have)
	}
}

// TestDeclarations holds that a record is rejected when its plugin does what it has declared not to do, and that nothing else is.
func TestDeclarations(t *testing.T) {
	for _, tt := range []struct {
		reason string
		act    func(r *Record) error
		want   string
	}{
		{"a declared value", func(r *Record) error { r.SetLabel("split", "val"); return nil }, "split=val"},
		{"no value", func(r *Record) error { r.SetLabel("split", ""); return nil }, "split="},
		{"any value of a label without a list", func(r *Record) error { r.SetLabel("part", "x"); return nil }, "part=x"},
		{"another value", func(r *Record) error { r.SetLabel("split", "valid"); return nil },
			`error||plugin test: want a value of label split that it declares (train, val), have "valid"`},
		{"a text that may be personal", func(r *Record) error { r.SetLabel("split", "Ada Lovelace"); return nil },
			"error||plugin test: want a value of label split that it declares (train, val), have a string"},
		{"a reject is no decline", func(*Record) error { return Reject("bad", "", "no") }, "bad||no"},
		{"a decline", func(*Record) error { return Decline("not mine") }, "error||plugin test: want no decline from a plugin that takes all records, have one"},
	} {
		p := tester(Map(tt.act))
		p.TakesAll, p.LabelValues = true, map[string][]string{"split": {"train", "val"}}
		s := &space{}
		in := input(`{}`)
		s.validator.In, s.validator.Depth, s.validator.Name = in, 10, "test"
		var reply *wire.Reply
		must(t, open(t, p, false).Process(t.Context(), in, s, func(r *wire.Reply) error { reply = r; return nil }))
		if have := said(reply); have != tt.want {
			t.Errorf("%s: want %q, have %q", tt.reason, tt.want, have)
		}
	}
}
