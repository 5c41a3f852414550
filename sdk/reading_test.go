package sdk

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A logged reading says how often it was read.
type logged struct {
	calls int
	names []string
}

func readLogged(into *logged, json jsontext.JSON) {
	into.calls++
	into.names = into.names[:0]
	c := json.Cursor()
	for key := range c.Members() {
		into.names = append(into.names, key)
	}
}

// TestReading holds when a reading is given again and when it is made anew, in one call of Process.
func TestReading(t *testing.T) {
	buf := []byte(`{"x":1}`)
	tests := []struct {
		reason string
		edit   func(r *Record) *Record
		calls  int
		names  string
	}{
		{"nothing changed", func(r *Record) *Record { return r }, 1, "a b"},
		{"reading is no edit", func(r *Record) *Record { r.JSON(); r.View("a"); return r }, 1, "a b"},
		{"deriving leaves the record as it was", func(r *Record) *Record { r.Derive([]byte(`{}`)); return r }, 1, "a b"},
		{"an edit that fails", func(r *Record) *Record { r.Set("a.b", 1); return r }, 1, "a b"},
		{"a label", func(r *Record) *Record { r.SetLabel("split", "a"); return r }, 1, "a b"},
		{"a value was set", func(r *Record) *Record { r.Set("c", 1); return r }, 2, "a b c"},
		{"a value was set to what it was", func(r *Record) *Record { r.Set("a", 1); return r }, 2, "a b"},
		{"a value was deleted", func(r *Record) *Record { r.Delete("a"); return r }, 2, "b"},
		{"a splice", func(r *Record) *Record { r.Splice(2, 3, []byte("c")); return r }, 2, "c b"},
		{"a derived record", func(r *Record) *Record { return r.Derive([]byte(`{"d":1}`)) }, 2, "d"},
		{"a derived record that is read already", func(r *Record) *Record {
			d := r.Derive(buf)
			Reading(d, readLogged)
			return d
		}, 2, "x"},
		{"one buffer for two derived records", func(r *Record) *Record {
			Reading(r.Derive(buf), readLogged)
			copy(buf, `{"y":1}`)
			return r.Derive(buf)
		}, 3, "y"},
		{"what is not JSON has nothing to read", func(r *Record) *Record { return r.Derive([]byte(`{"d":1`)) }, 2, ""},
		{"nor has what was spliced to be none", func(r *Record) *Record { r.Splice(0, 1, nil); return r }, 2, ""},
	}
	for _, tt := range tests {
		r := newRecord(`{"a":1,"b":2}`)
		Reading(r, readLogged)
		r = tt.edit(r)
		have := Reading(r, readLogged)
		if names := strings.Join(have.names, " "); have.calls != tt.calls || names != tt.names {
			t.Errorf("%s: want %d calls and %q, have %d and %q", tt.reason, tt.calls, tt.names, have.calls, names)
		}
	}
}

// TestReadingOfOneBatch holds that a reading never stands for another record, though records lie in the same memory, and
// that its own memory is used again.
func TestReadingOfOneBatch(t *testing.T) {
	for _, poison := range []bool{false, true} {
		var have []string
		seen := map[*logged]bool{}
		w := open(t, tester(Map(func(r *Record) error {
			first := Reading(r, readLogged)
			seen[first] = true
			if again := Reading(r, readLogged); again != first || again.calls != len(have)+1 {
				t.Errorf("want one reading of record %d, have %d calls", len(have)+1, again.calls)
			}
			have = append(have, strings.Clone(first.names[0]))
			return nil
		})), poison)
		memory := []byte(`{"a":1}`)
		for _, doc := range []string{`{"a":1}`, `{"b":1}`, `{"c":1}`} {
			copy(memory, doc)
			must(t, (&space{}).run(t, w, []wire.Record{{Data: memory}}))
		}
		if want := []string{"a", "b", "c"}; !slices.Equal(have, want) || len(seen) != 1 {
			t.Errorf("poison %t: want %q in one value, have %q in %d", poison, want, have, len(seen))
		}
	}
}

// TestReadingKeeps holds what of readings ends with the call of Process in an author's test.
func TestReadingKeeps(t *testing.T) {
	var kept []string
	w := open(t, tester(Map(func(r *Record) error {
		kept = append(kept, Reading(r, readLogged).names...)
		return nil
	})), true)
	must(t, (&space{}).run(t, w, input(`{"ab":1}`)))
	if want := []string{"\xff\xff"}; !slices.Equal(kept, want) {
		t.Errorf("want %q of a view that was kept, have %q", want, kept)
	}
}

// TestReadings holds that types do not share a reading, and that steps may.
func TestReadings(t *testing.T) {
	type other struct{ json string }
	r := newRecord(`{"a":1}`)
	Reading(r, readLogged)
	have := Reading(r, func(into *other, json jsontext.JSON) { into.json = string(json) })
	if calls := Reading(r, readLogged).calls; have.json != `{"a":1}` || calls != 1 {
		t.Errorf("want a reading of each type, have %q and %d calls", have.json, calls)
	}
	next := &Record{document: &document{data: r.data, step: &step{readings: r.step.readings}}}
	if calls := Reading(next, readLogged).calls; calls != 1 {
		t.Errorf("want the next step to have the reading, have %d calls", calls)
	}
	r.step.readings.end()
	if calls := Reading(r, readLogged).calls; calls != 2 {
		t.Errorf("want a reading to end, have %d calls", calls)
	}
}

// TestReadingFails holds that what read left behind when it panicked is not given as a reading.
func TestReadingFails(t *testing.T) {
	r := newRecord(`{"a":1}`)
	func() {
		defer func() { recover() }()
		Reading(r, func(*logged, jsontext.JSON) { panic("no") })
	}()
	if calls := Reading(r, readLogged).calls; calls != 1 {
		t.Errorf("want it read again, have %d calls", calls)
	}
}
