package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// tester is a plugin whose steps do what proc does.
func tester(proc Processor) Plugin {
	return Plugin{
		Name: "test", Doc: "does what a test says", New: func(Args) (Processor, error) { return proc, nil },
		Outputs: []string{"ledger", "rows"}, Labels: []string{"part", "split"},
	}
}

func open(t testing.TB, p Plugin, poison bool) wire.Worker {
	t.Helper()
	w, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name, Poison: poison})
	if len(bad) > 0 {
		t.Fatalf("want the plugin opened, have %v", bad)
	}
	return w
}

func input(docs ...string) []wire.Record {
	in := make([]wire.Record, len(docs))
	for i, doc := range docs {
		in[i] = wire.Record{Data: []byte(doc), File: "in", Line: int64(i + 1)}
	}
	return in
}

// A space grants memory piece by piece, and its validator lets answers in. It logs what its worker asks of it.
type space struct {
	validator wire.Validator
	grant     int // bytes of the first grant, and of the least
	most      int // bytes of the largest; 0: any
	mem       []byte
	next      int
	said      int // bytes of mem that replies have named
	log       []string
}

func (s *space) Take(n int) (uint64, []byte) {
	if s.mem == nil {
		s.use(s.grant)
	}
	if s.next+n > len(s.mem) {
		return 0, nil
	}
	s.next += n
	return uint64(s.next - n), s.mem[s.next-n : s.next : s.next]
}

func (s *space) use(n int) {
	region, err := wire.NewArena(make([]byte, n), n, nil).Alloc(context.Background(), n)
	if err != nil {
		panic(err)
	}
	s.validator.Grant(region, 0)
	s.mem, s.next, s.said = region.Bytes(), 0, 0
}

func (s *space) Untake(n int) { s.next -= n }

func (s *space) Grow(_ context.Context, n int) error {
	s.log = append(s.log, fmt.Sprintf("grow %d", n))
	if s.next != s.said {
		return fmt.Errorf("want nothing taken and not answered, have %d bytes", s.next-s.said)
	}
	s.use(max(n, s.grant))
	return nil
}

func (s *space) Limit() int {
	if s.most > 0 {
		return s.most
	}
	return math.MaxInt
}

func (s *space) Note(at wire.Spot) { s.log = append(s.log, fmt.Sprintf("note %d", at.Record)) }

// run gives in to w and logs its answers, one line for each reply.
func (s *space) run(t testing.TB, w wire.Worker, in []wire.Record) error {
	t.Helper()
	s.validator.In, s.validator.Depth, s.validator.Name = in, 100, "test"
	return w.Process(t.Context(), in, s, func(r *wire.Reply) error {
		from := s.validator.Answered()
		for _, n := range r.Lengths {
			s.said += int(n)
		}
		a, err := s.validator.Admit(r)
		if err != nil {
			return err
		}
		var line []string
		for i, o := range a.Outcomes {
			line = append(line, outcome(in[from+i], o))
		}
		for _, row := range a.Sides {
			line = append(line, fmt.Sprintf("side %d %s %s", from+row.Index, row.Output, row.JSON))
		}
		for _, c := range a.Counts {
			line = append(line, fmt.Sprintf("count %s %d", c.Name, c.N))
		}
		s.log = append(s.log, strings.Join(line, "; "))
		return nil
	})
}

func outcome(in wire.Record, o wire.Outcome) string {
	switch o.Verdict {
	case wire.Unchanged:
		return "unchanged"
	case wire.Emitted:
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
	name := [...]string{wire.Dropped: "dropped", wire.Rejected: "rejected", wire.Declined: "declined"}[o.Verdict]
	return strings.Join([]string{name, o.Fault.Code, o.Fault.Path, o.Fault.Message}, "|")
}

// TestAnswers tells what a processor's doing comes to, with memory for all and with so little that every record asks
// for more.
func TestAnswers(t *testing.T) {
	for _, tt := range slices.Concat(goesOn, staysBack, mistakes) {
		for _, grant := range []int{4096, 1} {
			s := &space{grant: grant}
			must(t, s.run(t, open(t, tester(tt.proc), true), input(`{"a":1}`)))
			have := s.log[len(s.log)-1]
			if diff := cmp.Diff(tt.want, have); diff != "" {
				t.Errorf("%s, grants of %d bytes (-want +have):\n%s", tt.reason, grant, diff)
			}
		}
	}
}

type answer struct {
	reason string
	proc   Processor
	want   string
}

func process(f func(r *Record, emit func(*Record)) error) Processor {
	return Func(func(_ context.Context, r *Record, emit func(*Record)) error { return f(r, emit) })
}

var goesOn = []answer{
	{"a record that nobody edited is not copied", process(func(r *Record, emit func(*Record)) error { emit(r); return nil }), "unchanged"},
	{"a map edits", Map(func(r *Record) error { return r.Set("a", 2) }), `emitted {"a":2}`},
	{"a filter keeps", Filter(func(r *Record) (bool, error) { return true, nil }), "unchanged"},
	{"emitted, edited and emitted again makes two", process(func(r *Record, emit func(*Record)) error {
		emit(r)
		err := r.Set("a", 2)
		emit(r)
		return errors.Join(err, r.Set("a", 3))
	}), `emitted {"a":1} {"a":2}`},
	{"an edited record that is emitted twice, then read", process(func(r *Record, emit func(*Record)) error {
		err := r.Set("a", 2)
		emit(r)
		r.JSON()
		emit(r)
		return err
	}), `emitted {"a":2} {"a":2}`},
	{"a buffer may be used again once what it held is emitted", process(func(r *Record, emit func(*Record)) error {
		buf := []byte(`{"n":1}`)
		emit(r.Derive(buf))
		copy(buf, `{"n":2}`)
		emit(r.Derive(buf))
		return nil
	}), `emitted {"n":1} {"n":2}`},
	{"a derived record has the labels of its origin and its own", process(func(r *Record, emit func(*Record)) error {
		r.SetLabel("split", "train")
		d := r.Derive([]byte(`{}`))
		d.SetLabel("part", "1")
		emit(d)
		emit(r)
		return nil
	}), `emitted {} part=1 split=train {"a":1} split=train`},
	{"a label alone makes no copy but an answer", Map(func(r *Record) error { r.SetLabel("split", "train"); return nil }), `emitted {"a":1} split=train`},
	{"a spliced record that is emitted, spliced again and emitted", process(func(r *Record, emit func(*Record)) error {
		r.JSON()
		err := r.Splice(5, 6, []byte("2"))
		emit(r)
		err = errors.Join(err, r.Splice(2, 3, []byte("b")))
		emit(r)
		return err
	}), `emitted {"a":2} {"b":2}`},
	{"side rows and counts go with it", process(func(r *Record, emit func(*Record)) error {
		row := []byte(`{"row":1}`)
		r.Side("ledger", row)
		copy(row, `{"row":2}`)
		r.Side("ledger", row)
		r.Count("rule.a", 2)
		r.Count("rule.b", 0)
		r.Count("rule.a", 3)
		emit(r)
		return nil
	}), `unchanged; side 0 ledger {"row":1}; side 0 ledger {"row":2}; count rule.a 5; count rule.b 0`},
}

// giveRows gives a row, a count and a record before what it returns.
func giveRows(err error) Processor {
	return process(func(r *Record, emit func(*Record)) error {
		r.Side("rows", []byte(`{}`))
		r.Count("n", 1)
		emit(r.Derive([]byte(`[1,2,3]`)))
		return err
	})
}

var staysBack = []answer{
	{"a filter leaves out", Filter(func(r *Record) (bool, error) { return false, nil }), "dropped|||nothing emitted"},
	{"a filter may reject", Filter(func(r *Record) (bool, error) { return true, Reject("bad", "a", "want %s", "b") }), "rejected|bad|a|want b"},
	{"nothing emitted is a drop", process(func(*Record, func(*Record)) error { return nil }), "dropped|||nothing emitted"},
	{"a drop keeps what the record gave beside the stream", giveRows(Drop("seen")), "dropped|||seen; side 0 rows {}; count n 1"},
	{"a declined record gives nothing: another step does", giveRows(Decline("not mine")), "declined|||not mine"},
	{"a rejected record gives nothing", giveRows(Reject("bad", "", "no")), "rejected|bad||no"},
	{"an error is a reject", giveRows(errors.New("late")), "rejected|error||late"},
	{"unless the author keeps it", giveRows(Keep(Reject("bad", "", "no"))), "rejected|bad||no; side 0 rows {}; count n 1"},
	{"of any error", giveRows(fmt.Errorf("outer: %w", Keep(errors.New("late")))), "rejected|error||outer: late; side 0 rows {}; count n 1"},
	{"keeping no error is no error", giveRows(Keep(nil)), "emitted [1,2,3]; side 0 rows {}; count n 1"},
	{"a verdict inside another error counts", process(func(*Record, func(*Record)) error {
		return fmt.Errorf("outer: %w", Reject("bad", "", "inner"))
	}), "rejected|bad||inner"},
	{"text that is not UTF-8 must not break the protocol", giveRows(Drop("a\xff")), "dropped|||a\uFFFD; side 0 rows {}; count n 1"},
}

var mistakes = []answer{
	{"no record", process(func(_ *Record, emit func(*Record)) error { emit(nil); return nil }), "rejected|invalid_output||plugin test: want a record to emit, have nil"},
	{"a record without bytes is never the input", process(func(r *Record, emit func(*Record)) error { emit(r.Derive(nil)); return nil }),
		"rejected|invalid_output||plugin test: want JSON to emit, have a record without bytes"},
	{"not even beside others", process(func(r *Record, emit func(*Record)) error {
		emit(r)
		emit(r.Derive([]byte{}))
		return nil
	}), "rejected|invalid_output||plugin test: want JSON to emit, have a record without bytes"},
	{"text that is not JSON", process(func(r *Record, emit func(*Record)) error { emit(r.Derive([]byte(`{"a"`))); return nil }),
		"rejected|invalid_output||want JSON from plugin test, have 4 bytes that are not: want ':', have the end at byte 4"},
	{"what is no JSON for a splice", Map(func(r *Record) error { r.JSON(); return r.Splice(4, 5, nil) }),
		"rejected|invalid_output||want JSON from plugin test, have 6 bytes that are not: want ':', have a digit at byte 4"},
	{"an output that nobody declared loses no rows silently", process(func(r *Record, emit func(*Record)) error {
		r.Side("leger", []byte(`{}`))
		emit(r)
		return nil
	}), `rejected|error||plugin test: want an output that it declares (ledger, rows), have "leger"`},
	{"a label that nobody declared, whatever is returned", process(func(r *Record, _ func(*Record)) error {
		r.SetLabel("splitt", "train")
		return Drop("seen")
	}), `rejected|error||plugin test: want a label that it declares (part, split), have "splitt"`},
	{"a row that is no object", Map(func(r *Record) error { r.Side("rows", []byte("[1]")); return nil }),
		"rejected|invalid_output||want a JSON object for output rows, have 3 bytes that are none"},
	{"a count that takes away", Map(func(r *Record) error { r.Count("n", -1); return nil }), `rejected|error||plugin test: want a count with a name, of 0 or more, have "n" of -1`},
	{"a warning without a code", Map(func(r *Record) error { r.Warn("", "n"); return nil }), `rejected|error||plugin test: want a warning with a code that the plugin declares, have ""`},
	{"a code that is none", giveRows(Reject("Bad Code!", "a", "no")), `rejected|error|a|no (code "Bad Code!", which is not snake_case)`},
	{"the first mistake is told", process(func(r *Record, emit func(*Record)) error {
		emit(nil)
		r.Side("leger", nil)
		return Keep(errors.New("late"))
	}), "rejected|invalid_output||plugin test: want a record to emit, have nil"},
}

// TestMistake holds that a test kit learns of mistakes that a run makes into rejects.
func TestMistake(t *testing.T) {
	for _, tt := range mistakes {
		w := open(t, tester(tt.proc), false).(*chain)
		must(t, (&space{grant: 64}).run(t, w, input(`{"a":1}`)))
		if atDoor := strings.Contains(tt.want, "bytes that are"); (w.Mistake() == nil) != atDoor {
			t.Errorf("%s: want a mistake unless the validator finds it, have %v", tt.reason, w.Mistake())
		}
	}
}

func TestUnchangedIsNotCopied(t *testing.T) {
	s := &space{}
	w := open(t, tester(Map(func(r *Record) error { r.SetLabel("split", "y"); return nil })), false)
	in := input(`{"a":1}`)
	s.validator.In = in
	must(t, w.Process(t.Context(), in, s, func(r *wire.Reply) error {
		a, err := s.validator.Admit(r)
		if out := a.Outcomes[0].Emitted[0].Data; &out[0] != &in[0].Data[0] {
			t.Error("want the bytes of the input, have a copy")
		}
		return err
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
		{"editing", false, func(r *Record, _ func(*Record)) { _ = r.Set("a", 1) }},
		{"deleting", false, func(r *Record, _ func(*Record)) { _ = r.Delete("a") }},
		{"splicing", false, func(r *Record, _ func(*Record)) { _ = r.Splice(0, 0, nil) }},
		{"a reading", false, func(r *Record, _ func(*Record)) { Reading(r, readLogged) }},
		{"deriving", false, func(r *Record, _ func(*Record)) { r.Derive(nil) }},
		{"a label", false, func(r *Record, _ func(*Record)) { r.SetLabel("split", "a") }},
		{"a side row", false, func(r *Record, _ func(*Record)) { r.Side("rows", nil) }},
		{"counting", false, func(r *Record, _ func(*Record)) { r.Count("x", 1) }},
		{"emitting", false, func(r *Record, emit func(*Record)) { emit(r) }},
		{"emitting what was derived from it", true, func(r *Record, emit func(*Record)) { emit(r) }},
	}
	for _, tt := range tests {
		w := open(t, tester(process(func(r *Record, emit func(*Record)) error {
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
		})), false)
		must(t, (&space{}).run(t, w, input(`{}`, `{}`)))
	}
}

type closer struct {
	Processor
	closed bool
}

func (c *closer) Close() error { c.closed = true; return io.ErrClosedPipe }

func TestClose(t *testing.T) {
	c := &closer{}
	if err := open(t, tester(c), false).Close(); !c.closed || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("want Close to reach the processor and its error to come back, have %v", err)
	}
	must(t, open(t, tester(Map(nil)), false).Close())
}

// TestDerivedTooLate holds that a derived record which a processor kept refuses use, also when its memory serves another by then.
func TestDerivedTooLate(t *testing.T) {
	var kept *Record
	refused := 0
	w := open(t, tester(Func(func(_ context.Context, r *Record, emit func(*Record)) error {
		made := r.Derive([]byte(`{"made":1}`))
		if kept != nil {
			func() {
				defer func() {
					if recover() != nil {
						refused++
					}
				}()
				kept.JSON()
			}()
		}
		kept = made
		emit(made)
		return nil
	})), false)
	var out int
	err := w.Process(t.Context(), input(`{}`, `{}`, `{}`), &ring{memory: make([]byte, 1000)}, func(r *wire.Reply) error { out += len(r.Lengths); return nil })
	if err != nil || refused != 2 || out != 3 {
		t.Errorf("want 2 late uses refused and 3 records, have %d and %d (%v)", refused, out, err)
	}
}
