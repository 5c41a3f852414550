package sdk

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A link is one step of a chain that a test runs.
type link struct {
	or      bool
	private bool
	do      Processor
}

// through gives in to a chain and what its validator lets in: for each record that reached a step a line, then what leaves.
func through(t *testing.T, s *space, in wire.Record, links ...link) []string {
	t.Helper()
	return opened(t, s, in, wire.OpenRequest{}, links...)
}

// opened is through for a chain that was opened in some way.
func opened(t *testing.T, s *space, in wire.Record, req wire.OpenRequest, links ...link) []string {
	t.Helper()
	var plugins []Plugin
	for i, l := range links {
		p := tester(l.do)
		p.Name, p.Private = fmt.Sprintf("p%d", i), l.private
		plugins = append(plugins, p)
		if i == 0 {
			req.Plugin = p.Name
		} else {
			req.Behind = append(req.Behind, wire.Step{Plugin: p.Name, Or: l.or})
		}
	}
	w, bad := Host(plugins...).Open(req)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	s.validator = wire.Validator{In: []wire.Record{in}, Depth: 100, Name: "p0", Behind: req.Behind}
	var lines []string
	must(t, w.Process(t.Context(), s.validator.In, s, func(r *wire.Reply) error {
		a, err := s.validator.Admit(r)
		if err != nil || len(a.Outcomes) == 0 {
			return err
		}
		for i, b := range append([]wire.Answer{a}, a.Behind...) {
			for k, o := range b.Outcomes {
				at := in
				if i > 0 {
					at = b.In[k]
				}
				line := fmt.Sprintf("p%d %s", i, outcome(at, o))
				if o.Fault != nil && o.Fault.Record != nil {
					line += " " + string(o.Fault.Record)
				}
				lines = append(lines, strings.Join(strings.Fields(line), " ")) // bytes that stayed away are none
			}
			for _, c := range b.Counts {
				lines = append(lines, fmt.Sprintf("p%d count %s %d", i, c.Name, c.N))
			}
		}
		for _, r := range a.Out {
			lines = append(lines, "out "+string(r.Data))
		}
		return nil
	}))
	return lines
}

// TestChain holds what becomes of a record on its way through several steps, and that the host gets the bytes of what
// leaves the chain and of what is rejected, and no others.
func TestChain(t *testing.T) {
	same := process(func(r *Record, emit func(*Record)) error { emit(r); return nil })
	set := func(path string, v any) Processor {
		return process(func(r *Record, emit func(*Record)) error { err := r.Set(path, v); emit(r); return err })
	}
	refuse := func(err error) Processor { return process(func(*Record, func(*Record)) error { return err }) }
	split := process(func(r *Record, emit func(*Record)) error {
		for _, part := range []string{`{"p":1}`, `{"p":2}`} {
			emit(r.Derive([]byte(part)))
		}
		emit(r)
		return nil
	})
	second := process(func(r *Record, emit func(*Record)) error {
		r.Count("seen", 1)
		if r.Get("p").Int() == 2 {
			return Reject("bad", "p", "want another")
		}
		emit(r)
		return nil
	})
	broken := process(func(r *Record, emit func(*Record)) error { emit(r.Derive([]byte(`{"a":`))); return nil })
	rejects, declines := refuse(Reject("bad", "", "no")), refuse(Decline("no"))
	for _, c := range []struct {
		reason string
		links  []link
		want   string
	}{
		{"nothing changes it", []link{{do: same}, {do: same}}, `p0 unchanged|p1 unchanged|out {"n":1}`},
		{"what one step makes goes on as it is", []link{{do: set("a", 1)}, {do: same}, {do: same}},
			`p0 emitted {"n":1,"a":1}|p1 unchanged|p2 unchanged|out {"n":1,"a":1}`},
		{"each step changes it", []link{{do: set("a", 1)}, {do: set("b", 2)}}, `p0 emitted|p1 emitted {"n":1,"a":1,"b":2}|out {"n":1,"a":1,"b":2}`},
		{"rejected as it came", []link{{do: same}, {do: rejects}}, `p0 unchanged|p1 rejected|bad||no`},
		{"rejected as it reached the step", []link{{do: set("a", 1)}, {do: rejects}}, `p0 emitted|p1 rejected|bad||no {"n":1,"a":1}`},
		{"rejected by a step that shows nothing", []link{{do: set("a", 1)}, {do: rejects, private: true}}, `p0 emitted|p1 rejected|bad||no null`},
		{"pieces go through one by one", []link{{do: split}, {do: second}},
			`p0 emitted {"p":1} {"n":1}|p1 unchanged|p1 rejected|bad|p|want another {"p":2}|p1 unchanged|p1 count seen 2|out {"p":1}|out {"n":1}`},
		{"the next of a first gets what one declines", []link{{do: set("a", 1)}, {do: declines}, {do: set("b", 2), or: true}, {do: same}},
			`p0 emitted|p1 declined|||no null|p2 emitted {"n":1,"a":1,"b":2}|p3 unchanged|out {"n":1,"a":1,"b":2}`},
		{"the last of a first says what nobody took", []link{{do: set("a", 1)}, {do: declines}, {do: declines, or: true}, {do: same}},
			`p0 emitted|p1 declined|||no null|p2 declined|||no {"n":1,"a":1}`},
		{"no JSON reaches the next step", []link{{do: broken}, {do: refuse(errors.New("reached"))}},
			`p0 rejected|invalid_output||want JSON from plugin p0, have 5 bytes that are not: want a value, have the end at byte 5`},
		{"no JSON from a record that the host lacks", []link{{do: set("a", 1)}, {do: broken}},
			`p0 emitted|p1 rejected|invalid_output||want JSON from plugin p1, have 5 bytes that are not: want a value, have the end at byte 5 {"n":1,"a":1}`},
	} {
		for _, grant := range []int{0, 8, 1 << 10} {
			have := through(t, &space{grant: grant}, wire.Record{Data: []byte(`{"n":1}`)}, c.links...)
			if diff := cmp.Diff(strings.Split(c.want, "|"), strings.Split(strings.Join(have, "|"), "|")); diff != "" {
				t.Errorf("%s, grants of %d bytes (-want +have):\n%s", c.reason, grant, diff)
			}
		}
	}
	lethal := wire.Record{Data: []byte(`{"n":1}`), Lethal: []wire.Lethal{{Step: 1, Nth: 1, Message: "it ended"}}}
	want := []string{`p0 emitted {"p":1} {"n":1}`, "p1 unchanged", `p1 rejected|plugin_crash||it ended {"p":2}`, "p1 unchanged", `out {"p":1}`, `out {"n":1}`}
	if diff := cmp.Diff(want, through(t, &space{}, lethal, link{do: split}, link{do: same})); diff != "" {
		t.Errorf("want what ends a process rejected unseen (-want +have):\n%s", diff)
	}
}

// TestChainTraced holds that a traced chain tells what every record is between its steps, and does all else as ever.
func TestChainTraced(t *testing.T) {
	set := func(path string) Processor {
		return process(func(r *Record, emit func(*Record)) error { err := r.Set(path, 1); emit(r); return err })
	}
	same := process(func(r *Record, emit func(*Record)) error { emit(r); return nil })
	two := process(func(r *Record, emit func(*Record)) error {
		emit(r.Derive([]byte(`{"p":1}`)))
		emit(r.Derive([]byte(`{"p":2}`)))
		return nil
	})
	rejects := process(func(*Record, func(*Record)) error { return Reject("bad", "", "no") })
	large := process(func(r *Record, emit func(*Record)) error {
		return emitted(emit, r.Set("text", strings.Repeat("x", maxTraced)), r)
	})
	for _, c := range []struct {
		reason string
		links  []link
		want   string
	}{
		{"each step changes it", []link{{do: set("a")}, {do: set("b")}, {do: set("c")}},
			`p0 emitted {"n":1,"a":1}|p1 emitted {"n":1,"a":1,"b":1}|p2 emitted {"n":1,"a":1,"b":1,"c":1}|out {"n":1,"a":1,"b":1,"c":1}`},
		{"pieces do not overwrite each other", []link{{do: two}, {do: set("b")}, {do: set("c")}},
			`p0 emitted {"p":1} {"p":2}|p1 emitted {"p":1,"b":1}|p1 emitted {"p":2,"b":1}|p2 emitted {"p":1,"b":1,"c":1}|p2 emitted {"p":2,"b":1,"c":1}|` +
				`out {"p":1,"b":1,"c":1}|out {"p":2,"b":1,"c":1}`},
		{"what leaves as a step made it lies where it did", []link{{do: set("a")}, {do: same}}, `p0 emitted {"n":1,"a":1}|p1 unchanged|out {"n":1,"a":1}`},
		{"rejected as it reached the step", []link{{do: set("a")}, {do: rejects}}, `p0 emitted {"n":1,"a":1}|p1 rejected|bad||no {"n":1,"a":1}`},
		{"what is too large to be told goes its way", []link{{do: large}, {do: set("b")}, {do: rejects, private: true}},
			`p0 emitted|p1 emitted|p2 rejected|bad||no null`},
	} {
		have := opened(t, &space{grant: 1 << 10}, wire.Record{Data: []byte(`{"n":1}`)}, wire.OpenRequest{Trace: true}, c.links...)
		if diff := cmp.Diff(strings.Split(c.want, "|"), strings.Split(strings.Join(have, "|"), "|")); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// emitted emits a record that was edited without an error.
func emitted(emit func(*Record), err error, r *Record) error {
	if err == nil {
		emit(r)
	}
	return err
}

// TestChainReads holds that the steps of a chain share the reading of a record until one changes it, and that the next
// record is read anew.
func TestChainReads(t *testing.T) {
	type size struct{ n int }
	reads := 0
	look := process(func(r *Record, emit func(*Record)) error {
		s := Reading(r, func(into *size, json jsontext.JSON) { reads++; into.n = len(json) })
		if s.n != len(r.JSON()) {
			return fmt.Errorf("want the reading of %d bytes, have one of %d", len(r.JSON()), s.n)
		}
		emit(r)
		return nil
	})
	edit := process(func(r *Record, emit func(*Record)) error { err := r.Set("a", r.Pos().Line); emit(r); return err })
	w := newChain([]*step{
		{plugin: tester(look), proc: look}, {plugin: tester(look), proc: look}, {plugin: tester(edit), proc: edit},
		{plugin: tester(look), proc: look}, {plugin: tester(look), proc: look},
	}, wire.OpenRequest{})
	in := input(`{"n":1}`, `{"n":22}`, `{"n":333}`)
	s := &space{grant: 1 << 10}
	must(t, w.Process(t.Context(), in, s, func(r *wire.Reply) error {
		for i := range r.Behind {
			for _, f := range r.Behind[i].Faults {
				t.Error(f.Message)
			}
		}
		return nil
	}))
	if want := 2 * len(in); reads != want {
		t.Errorf("want %d records read twice, before the edit and after it, have %d reads", len(in), reads)
	}
}
