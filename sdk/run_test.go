package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/batch"
)

// process is a Processor that is a function.
type process func(r *Record, emit func(*Record)) error

func (p process) Process(_ context.Context, r *Record, emit func(*Record)) error { return p(r, emit) }

func open(t testing.TB, p Processor) batch.Worker {
	t.Helper()
	w, err := Plugin{Name: "test", New: func(Args) (Processor, error) { return p, nil }}.Open(nil, 0)
	must(t, err)
	return w
}

func input(docs ...string) []batch.Record {
	in := make([]batch.Record, len(docs))
	for i, doc := range docs {
		in[i] = batch.Record{Data: []byte(doc), File: "in", Line: int64(i + 1)}
	}
	return in
}

// answers runs a processor with the memory of a tiny space and tells what it answered, one line for each thing.
func answers(t testing.TB, p Processor, space batch.Space, in ...batch.Record) []string {
	t.Helper()
	var have []string
	index := 0
	err := open(t, p).Process(t.Context(), in, space, func(a batch.Answer) error {
		for _, o := range a.Outcomes {
			have = append(have, outcome(in[index], o))
			index++
		}
		for _, s := range a.Sides {
			have = append(have, fmt.Sprintf("side %d %s %s", s.Index, s.Output, s.JSON))
		}
		for _, c := range a.Counts {
			have = append(have, fmt.Sprintf("count %s %d", c.Name, c.N))
		}
		return nil
	})
	must(t, err)
	return have
}

func outcome(in batch.Record, o batch.Outcome) string {
	switch o.Verdict {
	case batch.Unchanged:
		return "unchanged"
	case batch.Emitted:
		var b strings.Builder
		b.WriteString("emitted")
		for _, e := range o.Emitted {
			fmt.Fprintf(&b, " %s", e.Data)
			for _, l := range e.Labels {
				fmt.Fprintf(&b, " %s=%s", l.Name, l.Value)
			}
			if e.File != in.File || e.Line != in.Line {
				fmt.Fprintf(&b, " from %s:%d", e.File, e.Line)
			}
		}
		return b.String()
	}
	name := [...]string{batch.Dropped: "dropped", batch.Rejected: "rejected", batch.Declined: "declined"}[o.Verdict]
	return strings.Join([]string{name, o.Fault.Code, o.Fault.Path, o.Fault.Message}, "|")
}

// roomy is a space without a limit.
type roomy struct{}

func (roomy) Take(n int) []byte               { return make([]byte, n) }
func (roomy) Grow(context.Context, int) error { return nil }

func TestAnswers(t *testing.T) {
	tests := []struct {
		reason string
		proc   Processor
		want   []string
	}{
		{"a record that nobody edited is not copied", process(func(r *Record, emit func(*Record)) error { emit(r); return nil }), []string{"unchanged"}},
		{"a map edits", Map(func(r *Record) error { return r.Set("a", 2) }), []string{`emitted {"a":2}`}},
		{"a filter keeps", Filter(func(r *Record) (bool, error) { return true, nil }), []string{"unchanged"}},
		{"a filter leaves out", Filter(func(r *Record) (bool, error) { return false, nil }), []string{"dropped|||nothing emitted"}},
		{"a filter may reject", Filter(func(r *Record) (bool, error) { return true, Reject("bad", "a", "want %s", "b") }), []string{"rejected|bad|a|want b"}},
		{"emitted, edited and emitted again makes two", process(func(r *Record, emit func(*Record)) error {
			emit(r)
			must(t, r.Set("a", 2))
			emit(r)
			must(t, r.Set("a", 3))
			return nil
		}), []string{`emitted {"a":1} {"a":2}`}},
		{"an edited record that is emitted twice, then read", process(func(r *Record, emit func(*Record)) error {
			must(t, r.Set("a", 2))
			emit(r)
			r.JSON()
			emit(r)
			return nil
		}), []string{`emitted {"a":2} {"a":2}`}},
		{"a buffer may be used again once what it held is emitted", process(func(r *Record, emit func(*Record)) error {
			buf := []byte(`{"n":1}`)
			emit(r.Derive(buf))
			copy(buf, `{"n":2}`)
			emit(r.Derive(buf))
			return nil
		}), []string{`emitted {"n":1} {"n":2}`}},
		{"a derived record has the labels of its origin and its own", process(func(r *Record, emit func(*Record)) error {
			r.SetLabel("split", "train")
			d := r.Derive([]byte(`{}`))
			d.SetLabel("part", "1")
			emit(d)
			emit(r)
			return nil
		}), []string{`emitted {} part=1 split=train {"a":1} split=train`}},
		{"a label alone makes no copy but an answer", Map(func(r *Record) error { r.SetLabel("split", "train"); return nil }), []string{`emitted {"a":1} split=train`}},
		{"nothing emitted is a drop", process(func(*Record, func(*Record)) error { return nil }), []string{"dropped|||nothing emitted"}},
		{"a drop with its reason", process(func(*Record, func(*Record)) error { return Drop("seen") }), []string{"dropped|||seen"}},
		{"a decline", process(func(*Record, func(*Record)) error { return Decline("not mine") }), []string{"declined|||not mine"}},
		{"after an error nothing emitted goes on", process(func(r *Record, emit func(*Record)) error {
			emit(r)
			must(t, r.Set("a", 2))
			emit(r)
			return errors.New("late")
		}), []string{"rejected|error||late"}},
		{"a verdict inside another error counts", process(func(*Record, func(*Record)) error {
			return fmt.Errorf("outer: %w", Reject("bad", "", "inner"))
		}), []string{"rejected|bad||inner"}},
		{"side rows and counts go with any verdict", process(func(r *Record, _ func(*Record)) error {
			row := []byte(`{"row":1}`)
			r.Side("ledger", row)
			copy(row, `{"row":2}`)
			r.Side("ledger", row)
			r.Count("rule.a", 2)
			r.Count("rule.b", 1)
			r.Count("rule.a", 3)
			return Reject("bad", "", "no")
		}), []string{"rejected|bad||no", `side 0 ledger {"row":1}`, `side 0 ledger {"row":2}`, "count rule.a 5", "count rule.b 1"}},
	}
	for _, tt := range tests {
		if have := answers(t, tt.proc, roomy{}, input(`{"a":1}`)...); !slices.Equal(have, tt.want) {
			t.Errorf("%s:\nwant %q\nhave %q", tt.reason, tt.want, have)
		}
	}
}

func TestUnchangedIsNotCopied(t *testing.T) {
	in := input(`{"a":1}`)
	w := open(t, Map(func(r *Record) error { r.SetLabel("x", "y"); return nil }))
	must(t, w.Process(t.Context(), in, roomy{}, func(a batch.Answer) error {
		if out := a.Outcomes[0].Emitted[0].Data; &out[0] != &in[0].Data[0] {
			t.Error("want the bytes of the input, have a copy")
		}
		return nil
	}))
}

func TestKeptRecordPanics(t *testing.T) {
	var kept *Record
	tests := []struct {
		reason string
		derive bool
		use    func(r *Record, emit func(*Record))
	}{
		{"reading", false, func(r *Record, _ func(*Record)) { r.Get("a") }},
		{"editing", false, func(r *Record, _ func(*Record)) { r.Set("a", 1) }},
		{"deleting", false, func(r *Record, _ func(*Record)) { r.Delete("a") }},
		{"deriving", false, func(r *Record, _ func(*Record)) { r.Derive(nil) }},
		{"a side row", false, func(r *Record, _ func(*Record)) { r.Side("x", nil) }},
		{"counting", false, func(r *Record, _ func(*Record)) { r.Count("x", 1) }},
		{"emitting", false, func(r *Record, emit func(*Record)) { emit(r) }},
		{"emitting what was derived from it", true, func(r *Record, emit func(*Record)) { emit(r) }},
	}
	for _, tt := range tests {
		w := open(t, process(func(r *Record, emit func(*Record)) error {
			if r.Pos().Line == 1 {
				kept = r
				if tt.derive {
					kept = r.Derive([]byte(`{}`))
				}
				return nil
			}
			defer func() {
				const want = "sdk: record used after the call of Process that it belongs to has returned"
				if have := recover(); have != want {
					t.Errorf("%s: want panic %q, have %v", tt.reason, want, have)
				}
			}()
			tt.use(kept, emit)
			return nil
		}))
		must(t, w.Process(t.Context(), input(`{}`, `{}`), roomy{}, func(batch.Answer) error { return nil }))
	}
}

// tiny is a space of a few bytes that only comes back when everything before was answered.
type tiny struct {
	size, used int
	log        *[]string
}

func (s *tiny) Take(n int) []byte {
	if s.used+n > s.size {
		return nil
	}
	s.used += n
	return make([]byte, n)
}

func (s *tiny) Grow(_ context.Context, n int) error {
	*s.log = append(*s.log, fmt.Sprintf("grow %d", n))
	if n > s.size {
		return batch.ErrTooLarge
	}
	s.used = 0
	return nil
}

func TestAnswersComeBeforeGrowing(t *testing.T) {
	var log []string
	p := process(func(r *Record, emit func(*Record)) error {
		r.Side("rows", fmt.Appendf(nil, `{"line":%d}`, r.Pos().Line))
		must(t, r.Set("b", 1))
		emit(r)
		return nil
	})
	in := input(`{"a":1}`, `{"a":2}`, `{"a":"`+strings.Repeat("x", 40)+`"}`, `{"a":4}`)
	w := open(t, p)
	err := w.Process(t.Context(), in, &tiny{size: 20, log: &log}, func(a batch.Answer) error {
		line := fmt.Sprintf("answer %d:", len(a.Outcomes))
		for _, o := range a.Outcomes {
			if o.Fault != nil {
				line += " " + o.Fault.Code
			} else {
				line += " " + string(o.Emitted[0].Data)
			}
		}
		for _, s := range a.Sides {
			line += fmt.Sprintf(" side %d", s.Index)
		}
		log = append(log, line)
		return nil
	})
	must(t, err)
	want := []string{
		`answer 1: {"a":1,"b":1} side 0`, "grow 13",
		`answer 1: {"a":2,"b":1} side 1`, "grow 54",
		`answer 1: too_large side 2`, "grow 13",
		`answer 1: {"a":4,"b":1} side 3`,
	}
	if !slices.Equal(log, want) {
		t.Errorf("want\n%s\nhave\n%s", strings.Join(want, "\n"), strings.Join(log, "\n"))
	}
}

func TestProcessStops(t *testing.T) {
	p := Map(func(r *Record) error { return r.Set("a", 2) })
	stop := errors.New("stop")
	if err := open(t, p).Process(t.Context(), input(`{}`), roomy{}, func(batch.Answer) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("want the error of emit, have %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := open(t, p).Process(ctx, input(`{}`), roomy{}, func(batch.Answer) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("want it cancelled, have %v", err)
	}
}

type closer struct{ closed bool }

func (c *closer) Process(context.Context, *Record, func(*Record)) error { return nil }
func (c *closer) Close() error                                          { c.closed = true; return nil }

func TestClose(t *testing.T) {
	c := &closer{}
	must(t, open(t, c).Close())
	if !c.closed {
		t.Error("want Close to reach the processor")
	}
	must(t, open(t, Map(nil)).Close())
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
