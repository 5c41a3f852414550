package sdk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A holder drops every record and keeps its place. flush is its Flush.
type holder struct {
	held  *[]Pos
	flush func(held []Pos, r *Record, emit func(*Record)) error
}

func (h holder) Process(_ context.Context, r *Record, emit func(*Record)) error {
	*h.held = append(*h.held, r.Origins()...)
	return Drop("held")
}

func (h holder) Flush(_ context.Context, r *Record, emit func(*Record)) error {
	return h.flush(*h.held, r, emit)
}

func holding(t *testing.T, flush func([]Pos, *Record, func(*Record)) error) wire.Worker {
	t.Helper()
	p := tester(holder{new([]Pos), flush})
	p.Ordered = true
	w, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name, Poison: true, Flush: true})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	return w
}

// flushed sends three records to a worker and returns the replies to Flush.
func flushed(t *testing.T, w wire.Worker, s *space) (made []string, replies int, err error) {
	t.Helper()
	if err := s.run(t, w, input(`{}`, `{}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	s.validator.End()
	s.validator, s.mem = wire.Validator{Depth: 100, Name: "test"}, nil
	err = w.Process(t.Context(), nil, s, func(r *wire.Reply) error {
		for _, n := range r.Lengths {
			s.said += int(n)
		}
		replies++
		a, err := s.validator.Admit(r)
		for _, m := range a.Made {
			made = append(made, fmt.Sprintf("%s %v %s:%d %v", m.Data, m.Labels, m.File, m.Line, m.Origins.List))
		}
		for _, row := range a.Sides {
			made = append(made, fmt.Sprintf("side %s %s", row.Output, row.JSON))
		}
		for _, c := range a.Counts {
			made = append(made, fmt.Sprintf("count %s %d", c.Name, c.N))
		}
		return err
	})
	return made, replies, err
}

// TestFlush holds that what a step still holds reaches the host after the last record, with labels, rows, counts and all origins.
func TestFlush(t *testing.T) {
	w := holding(t, func(held []Pos, r *Record, emit func(*Record)) error {
		joined := r.Derive([]byte(`{"n":2}`))
		joined.SetOrigins(held[:2]...)
		joined.SetLabel("split", "val")
		emit(joined)
		r.Side("rows", []byte(`{"row":1}`))
		r.Count("joined", 1)
		last := r.Derive([]byte(`{}`))
		last.SetOrigins(held[2])
		if err := last.Set("n", 1); err != nil {
			return err
		}
		emit(last)
		return nil
	})
	have, _, err := flushed(t, w, &space{grant: 64})
	want := []string{
		`{"n":2} [{split val}] in:1 [{in 1} {in 2}]`, `{"n":1} [] in:3 [{in 3}]`, `side rows {"row":1}`, "count joined 1",
	}
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Errorf("%v (-want +have):\n%s", err, diff)
	}
}

// TestFlushInParts holds that all together may be larger than the memory that the host grants.
func TestFlushInParts(t *testing.T) {
	const n = 50
	w := holding(t, func(held []Pos, r *Record, emit func(*Record)) error {
		for i := range n {
			joined := r.Derive(fmt.Appendf(nil, `{"n":%d,"text":%q}`, i, strings.Repeat("a", i)))
			joined.SetOrigins(held...)
			emit(joined)
		}
		return nil
	})
	s := &space{grant: 100}
	have, replies, err := flushed(t, w, s)
	if err != nil || len(have) != n || replies < 10 {
		t.Fatalf("want %d records in parts, have %d in %d: %v", n, len(have), replies, err)
	}
	for i, made := range have {
		if !strings.HasPrefix(made, fmt.Sprintf(`{"n":%d,"text":%q} `, i, strings.Repeat("a", i))) {
			t.Errorf("want record %d, have %s", i, made)
		}
	}
}

// TestFlushFails holds that what is wrong with the last records ends the run: there is no record to reject.
func TestFlushFails(t *testing.T) {
	place := Pos{"in", 1}
	cases := []struct {
		reason string
		flush  func(r *Record, emit func(*Record)) error
		want   string
	}{
		{"an error of its own", func(*Record, func(*Record)) error { return errors.New("disk full") }, "disk full"},
		{"no origins", func(r *Record, emit func(*Record)) error { emit(r.Derive([]byte(`{}`))); return nil }, "want SetOrigins on a record that Flush emits"},
		{"origins that are none", func(r *Record, emit func(*Record)) error { r.SetOrigins(Pos{}); return nil }, "want the places of records"},
		{"no origins at all", func(r *Record, emit func(*Record)) error { r.SetOrigins(); return nil }, "as origins, have 0"},
		{"the record that it got", func(r *Record, emit func(*Record)) error { r.SetOrigins(place); emit(r); return nil }, "have a record without bytes"},
		{"nil", func(_ *Record, emit func(*Record)) error { emit(nil); return nil }, "want a record to emit, have nil"},
		{"what is no JSON", func(r *Record, emit func(*Record)) error {
			bad := r.Derive([]byte(`{`))
			bad.SetOrigins(place)
			emit(bad)
			return nil
		}, "after the last record, want JSON from plugin test"},
		{"a record that is too large", func(r *Record, emit func(*Record)) error {
			large := r.Derive([]byte(`"` + strings.Repeat("a", 200) + `"`))
			large.SetOrigins(place)
			emit(large)
			return errors.New("want emit to have failed")
		}, "want at most 100 bytes, have 202"},
		{"an undeclared label", func(r *Record, emit func(*Record)) error {
			bad := r.Derive([]byte(`{}`))
			bad.SetOrigins(place)
			bad.SetLabel("other", "x")
			emit(bad)
			return nil
		}, "want a label that it declares"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			w := holding(t, func(_ []Pos, r *Record, emit func(*Record)) error { return c.flush(r, emit) })
			made, _, err := flushed(t, w, &space{grant: 64, most: 100})
			if err == nil || !strings.Contains(err.Error(), c.want) || len(made) > 0 {
				t.Errorf("want %q and no record, have %v and %v", c.want, err, made)
			}
		})
	}
}

// TestFlushKeptRecord holds that the record of Flush cannot be used afterwards.
func TestFlushKeptRecord(t *testing.T) {
	var kept *Record
	w := holding(t, func(_ []Pos, r *Record, _ func(*Record)) error { kept = r; return nil })
	if _, _, err := flushed(t, w, &space{grant: 64}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("want a panic")
		}
	}()
	kept.Count("late", 1)
}

// TestFlushIsAgreed holds that a plugin is refused where its last records would be lost: by two workers, and by an older host.
func TestFlushIsAgreed(t *testing.T) {
	p := tester(holder{})
	for _, c := range []struct {
		ordered, takes bool
		want           string
	}{
		{false, true, "want plugin test Ordered, since its processor has Flush"},
		{true, false, "want a version of sluice that takes the records which plugin test emits after the last one"},
		{true, true, ""},
	} {
		p.Ordered = c.ordered
		_, bad := Host(p).Open(wire.OpenRequest{Plugin: p.Name, Flush: c.takes})
		if have := fmt.Sprint(bad); !strings.Contains(have, c.want) || (len(bad) == 0) != (c.want == "") {
			t.Errorf("ordered %v, taken %v: want %q, have %s", c.ordered, c.takes, c.want, have)
		}
	}
}

// TestSetOrigins holds that the origins that a step sets stay with the record through the later steps of a chain, and that a record
// which no step says anything of comes from the one at hand.
func TestSetOrigins(t *testing.T) {
	var seen [][]Pos
	join := tester(Map(func(r *Record) error {
		if r.Get("n").Int() == 2 {
			r.SetOrigins(Pos{"other", 7}, r.Pos())
		}
		return nil
	}))
	look := tester(Map(func(r *Record) error { seen = append(seen, r.Origins()); return r.Set("seen", true) }))
	join.Name, look.Name = "join", "look"
	w, bad := Host(join, look).Open(wire.OpenRequest{Plugin: "join", Behind: []wire.Step{{Plugin: "look"}}})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	s := &space{grant: 1000, validator: wire.Validator{Behind: []wire.Step{{Plugin: "look"}}}}
	in := input(`{"n":1}`, `{"n":2}`)
	var have []string
	s.validator.In, s.validator.Depth = in, 100
	if err := w.Process(t.Context(), in, s, func(r *wire.Reply) error {
		a, err := s.validator.Admit(r)
		for _, r := range a.Out {
			have = append(have, fmt.Sprintf("%s:%d %v", r.File, r.Line, r.Origins))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]Pos{{{"in", 1}}, {{"other", 7}, {"in", 2}}}, seen); diff != "" {
		t.Errorf("in the chain (-want +have):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"in:1 <nil>", "other:7 &{[{other 7} {in 2}] 0}"}, have); diff != "" {
		t.Errorf("at the host (-want +have):\n%s", diff)
	}
}

// TestManyOrigins holds that a record lists so many origins and counts the others.
func TestManyOrigins(t *testing.T) {
	places := make([]Pos, wire.MaxOrigins+5)
	for i := range places {
		places[i] = Pos{"in", int64(i + 1)}
	}
	var have []Pos
	s := &space{grant: 64}
	w := open(t, tester(Map(func(r *Record) error { r.SetOrigins(places...); have = r.Origins(); return nil })), true)
	if err := s.run(t, w, input(`{}`)); err != nil {
		t.Fatal(err)
	}
	if len(have) != wire.MaxOrigins || have[0] != places[0] {
		t.Errorf("want the first %d, have %d", wire.MaxOrigins, len(have))
	}
}
