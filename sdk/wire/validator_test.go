package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// admit gives replies to a validator before two records, with a grant of 64 bytes at 1000 that hold text. It returns what the
// answers are, and releases everything.
func admit(t *testing.T, text string, replies ...*Reply) ([]Outcome, []Side, error) {
	t.Helper()
	a := NewArena(make([]byte, 1<<12), 1<<12, nil)
	region, err := a.Alloc(context.Background(), 64)
	if err != nil {
		t.Fatal(err)
	}
	copy(region.Bytes(), text)
	d := Validator{In: []Record{{Data: []byte(`{"n":1}`), File: "in", Line: 1}, {Data: []byte(`{"n":2}`), File: "in", Line: 2}}, Depth: 10, Name: "liar", Capacity: 1 << 20}
	d.Grant(region, 1000)
	var outcomes []Outcome
	var sides []Side
	for _, r := range replies {
		answer, err := d.Admit(r)
		if err != nil {
			d.End()
			for _, o := range outcomes {
				ReleaseAll(o.Emitted)
			}
			checkEmpty(t, a)
			return nil, nil, err
		}
		outcomes, sides = append(outcomes, answer.Outcomes...), append(sides, answer.Sides...)
	}
	d.End()
	for _, o := range outcomes {
		for i := range o.Emitted {
			o.Emitted[i].Data = append([]byte(nil), o.Emitted[i].Data...)
		}
		ReleaseAll(o.Emitted)
	}
	checkEmpty(t, a)
	return outcomes, sides, nil
}

func checkEmpty(t *testing.T, a *Arena) {
	t.Helper()
	if n := a.InUse(); n != 0 {
		t.Errorf("want every region given back, have %d bytes in use", n)
	}
}

func emits(off, n uint64) *Reply {
	return &Reply{Verdicts: []byte{1}, Emitted: []uint32{1}, Offsets: []uint64{off}, Lengths: []uint64{n}}
}

// TestDoorRefuses holds the host to trusting nothing that a worker says about records and memory.
func TestDoorRefuses(t *testing.T) {
	side := func(i int, json string) []Side { return []Side{{Index: i, Output: "log", JSON: []byte(json)}} }
	cases := []struct {
		reason  string
		replies []*Reply
		want    string
	}{
		{"bytes behind the grant", []*Reply{emits(1062, 4)}, "want new records inside the grant"},
		{"bytes before the grant", []*Reply{emits(999, 4)}, "want new records inside the grant"},
		{"an offset that wraps around", []*Reply{emits(math.MaxUint64-1, 100)}, "want new records inside the grant"},
		{"a length that wraps around", []*Reply{emits(1000, math.MaxUint64-5)}, "want new records inside the grant"},
		{"more answers than records", []*Reply{{Verdicts: []byte{0, 0, 0}}}, "want at most 2 records answered, have 3"},
		{"more answers than are left", []*Reply{{Verdicts: []byte{0}}, {Verdicts: []byte{0, 0}}}, "want at most 1 records answered, have 2"},
		{"an end before the last answer", []*Reply{{Verdicts: []byte{0}, Done: true}}, "want 2 records answered, have 1"},
		{"an end at once", []*Reply{{Done: true}}, "want 2 records answered, have 0"},
		{"a verdict that does not exist", []*Reply{{Verdicts: []byte{9}}}, "want a verdict from 0 to 4, have 9"},
		{"a drop without a reason", []*Reply{{Verdicts: []byte{2}}}, "want 1 faults, have 0"},
		{"a fault that belongs to no record", []*Reply{{Verdicts: []byte{2}, Faults: make([]Fault, 2)}}, "want 1 faults, have 2"},
		{"a record that becomes none: it would vanish", []*Reply{{Verdicts: []byte{1}, Emitted: []uint32{0}}}, "want one or more emitted records for a verdict 1, have 0"},
		{"emitted records without a number", []*Reply{{Verdicts: []byte{1}}}, "want 1 numbers of emitted records, have 0"},
		{"a number without a verdict", []*Reply{{Verdicts: []byte{0}, Emitted: []uint32{1}}}, "want 0 numbers of emitted records, have 1"},
		{"numbers without records", []*Reply{{Verdicts: []byte{1}, Emitted: []uint32{3}}}, "want 3 emitted records, have 0 lengths"},
		{"records without a number", []*Reply{{Verdicts: []byte{0}, Offsets: []uint64{1000}, Lengths: []uint64{2}}}, "want 0 emitted records, have 1 lengths"},
		{"flags for other records", []*Reply{{Verdicts: []byte{1}, Emitted: []uint32{1}, Same: []byte{1, 1}, Offsets: []uint64{0}, Lengths: []uint64{0}}}, "have 1 lengths, 1 offsets and 2 flags"},
		{"the input's bytes at a place of their own", []*Reply{{Verdicts: []byte{1}, Emitted: []uint32{1}, Same: []byte{1}, Offsets: []uint64{1000}, Lengths: []uint64{2}}}, "want no place for a record that is its input's bytes"},
		{"labels of no record", []*Reply{{Verdicts: []byte{0}, Labels: []Labels{{Index: 5}}}}, "want labels of one of 0 new records, have 5"},
		{"a side row of no record", []*Reply{{Verdicts: []byte{0}, Sides: side(7, "{}")}}, "want a side row of a record that this message answers, have record 7"},
		{"a side row of a record that was answered before", []*Reply{{Verdicts: []byte{0}}, {Verdicts: []byte{0}, Sides: side(0, "{}")}}, "have record 0"},
		{"a side row before its record's answer", []*Reply{{Verdicts: []byte{0}, Sides: side(1, "{}")}}, "have record 1"},
		{"rows without an answer, for ever", []*Reply{{Sides: side(0, "{}")}}, "together with the verdict on their record"},
		{"counts without an answer, for ever", []*Reply{{Counts: []Count{{Name: "c", N: 1}}}}, "together with the verdict on their record"},
		{"a count below nothing", []*Reply{{Verdicts: []byte{0}, Counts: []Count{{Name: "c", N: -1}}}}, "want a count with a name, of 0 or more, have -1"},
		{"a count whose sum with others would overflow", []*Reply{{Verdicts: []byte{0}, Counts: []Count{{Name: "c", N: math.MaxInt64}, {Name: "c", N: math.MaxInt64}}}}, "want a count of at most 9007199254740992, have 9223372036854775807"},
		{"an answer of a later step outside of a chain", []*Reply{{Verdicts: []byte{0}, Behind: []Reply{{Verdicts: []byte{0}}}}}, "want answers of 0 later steps, have 1"},
		{"more rows than a host has memory for", []*Reply{{Verdicts: []byte{0}, Sides: slices.Repeat(side(0, "{}"), 1<<17+1)}}, "want at most 131072 side rows in a message, have 131073"},
		{"more records than a host has memory for", []*Reply{{Verdicts: []byte{1}, Emitted: []uint32{1<<18 + 1}, Same: bytes.Repeat([]byte{1}, 1<<18+1), Offsets: make([]uint64, 1<<18+1), Lengths: make([]uint64, 1<<18+1)}}, "want at most 262144 new records in a message, have 262145"},
		{"a count without a name", []*Reply{{Verdicts: []byte{0}, Counts: []Count{{N: 1}}}}, "want a count with a name"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if _, _, err := admit(t, "{}", c.replies...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}

// TestDoorRejects holds that a record for which a plugin gives something else is a reject, and neither lost nor passed on.
func TestDoorRejects(t *testing.T) {
	cases := []struct {
		reason, text string
		n            uint64
		want         string
	}{
		{"no bytes are not the input", "", 0, "have a record without bytes"},
		{"not JSON", "{not json}", 10, "have 10 bytes that are not: want a key"},
		{"two values", "{}\n{}", 5, "want the end of the record"},
		{"blanks only", "   ", 3, "want a value"},
		{"not UTF-8", "\"\xff\"", 3, "want UTF-8"},
		{"deeper than records may be", strings.Repeat("[", 11) + strings.Repeat("]", 11), 22, "want at most 10 levels"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			have, _, err := admit(t, c.text, emits(1000, c.n), &Reply{Verdicts: []byte{0}, Done: true})
			if err != nil {
				t.Fatal(err)
			}
			if o := have[0]; o.Verdict != Rejected || o.Fault.Code != InvalidOutput || !strings.Contains(o.Fault.Message, c.want) || o.Emitted != nil {
				t.Errorf("want %s with %q, have %+v", InvalidOutput, c.want, o)
			}
			if have[1].Verdict != Unchanged {
				t.Errorf("want the next record as it is, have %+v", have[1])
			}
		})
	}
	for _, row := range []string{"[1]", "", "  ", "{", strings.Repeat("[", 1<<20), `{"a":` + strings.Repeat("[", 1<<20)} {
		have, sides, err := admit(t, "", &Reply{
			Verdicts: []byte{0, 0}, Sides: []Side{{0, "log", []byte(`{"good":1}`)}, {0, "log", []byte(row)}, {1, "log", []byte("{}")}},
		})
		if err != nil || have[0].Verdict != Rejected || have[0].Fault.Code != InvalidOutput || len(sides) != 1 || sides[0].Index != 1 {
			t.Errorf("want the record of the row %.10q rejected, and its rows gone, have %+v %v (%v)", row, have[0], sides, err)
		}
	}
}

// TestDoorHides holds that no secret passes in the code of a reject, in a part of one, or in the name of a count.
func TestDoorHides(t *testing.T) {
	long := strings.Repeat("hunter2", 20)
	hide := strings.NewReplacer(long, "(sensitive)", "hunter2", "(sensitive)").Replace
	val := &Validator{Hide: hide, HideNames: hide}
	for _, code := range []string{"hunter2", "Hunter2 hunter2", long} {
		f := val.fault(Rejected, &Fault{Code: code, Message: "it failed"}, false)
		if f.Code != PlainError || strings.Contains(f.Message, "hunter2") || !strings.Contains(f.Message, "(sensitive)") {
			t.Errorf("%.20s: want it hidden, have %+v", code, f)
		}
	}
	if f := val.fault(Rejected, &Fault{Code: "no_target", Message: "it failed"}, false); f.Code != "no_target" {
		t.Errorf("want the code as it is, have %+v", f)
	}
	own := &Validator{Hide: strings.NewReplacer("target", "(sensitive)").Replace}
	if f := own.fault(Rejected, &Fault{Code: "no_target", Message: "it failed"}, false); f.Code != "no_target" {
		t.Errorf("want a built-in code as it is, however short the secret, have %+v", f)
	}
	counts := []Count{{"seen hunter2", 1}, {"seen", 2}}
	if have := val.hiddenCounts(counts); have[0].Name != "seen (sensitive)" || have[1] != counts[1] || counts[0].Name != "seen hunter2" {
		t.Errorf("want the name hidden, and the plugin's own counts as they were, have %v and %v", have, counts)
	}
}

func TestDoorAdmits(t *testing.T) {
	same := &Reply{
		Verdicts: []byte{1}, Emitted: []uint32{2}, Same: []byte{1, 0}, Offsets: []uint64{0, 1002}, Lengths: []uint64{0, 2},
		Labels: []Labels{{1, 0, []Label{{"b", "1"}, {"a", "2"}, {"b", "3"}}}},
	}
	fault := &Reply{Verdicts: []byte{3}, Faults: []Fault{{Code: "Bad Code\x1b", Message: "why", Record: []byte("{\n}")}}, Done: true}
	have, _, err := admit(t, "..[]", same, fault)
	if err != nil {
		t.Fatal(err)
	}
	first := have[0].Emitted
	if len(first) != 2 || string(first[0].Data) != `{"n":1}` || string(first[1].Data) != "[]" || first[1].Line != 1 {
		t.Errorf("want the input's bytes and new ones of the same origin, have %+v", first)
	}
	if l := first[1].Labels; len(l) != 2 || l[0] != (Label{"a", "2"}) || l[1] != (Label{"b", "3"}) {
		t.Errorf("want labels sorted, the last of a name, have %v", l)
	}
	if f := have[1].Fault; f.Code != "error" || !strings.Contains(f.Message, "why") || string(f.Record) != "{}" {
		t.Errorf("want a code that is none said in the message, and a record on one line, have %+v", f)
	}
}

// FuzzAnswer holds that whatever a worker says, every record of the batch has one outcome, all that goes on is JSON
// inside the grant, and no memory is lost.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte{0, 0}, []byte{}, []byte{}, uint64(1000), uint64(2), "{}", byte(0), true)
	f.Add([]byte{1, 3}, []byte{1}, []byte{1}, uint64(0), uint64(0), "[1]", byte(1), true)
	f.Add([]byte{1}, []byte{2}, []byte{0, 1}, uint64(math.MaxUint64), uint64(100), "{", byte(9), false)
	f.Fuzz(func(t *testing.T, verdicts, emitted, same []byte, off, n uint64, text string, index byte, done bool) {
		r := &Reply{Verdicts: verdicts, Same: same, Done: done, Sides: []Side{{int(index), "log", []byte(text)}}}
		for _, e := range emitted {
			r.Emitted = append(r.Emitted, uint32(e))
			for range e {
				r.Offsets, r.Lengths = append(r.Offsets, off), append(r.Lengths, n)
			}
		}
		for _, v := range verdicts {
			if v >= 2 {
				r.Faults = append(r.Faults, Fault{Code: text, Record: []byte(text)})
			}
		}
		have, sides, err := admit(t, text, r)
		if err != nil {
			return
		}
		if len(have) != len(verdicts) {
			t.Errorf("want %d outcomes, have %d", len(verdicts), len(have))
		}
		for _, o := range have {
			if (o.Verdict == Emitted) != (len(o.Emitted) > 0) || (o.Verdict >= Dropped) != (o.Fault != nil) {
				t.Errorf("want an outcome that is one thing, have %+v", o)
			}
			for _, e := range o.Emitted {
				if !json.Valid(e.Data) {
					t.Errorf("want JSON, have %q", e.Data)
				}
			}
		}
		for _, s := range sides {
			if !json.Valid(s.JSON) || have[s.Index].Verdict == Rejected && have[s.Index].Fault.Code == InvalidOutput {
				t.Errorf("want rows that are JSON, of records that are not invalid, have %q", s.JSON)
			}
		}
	})
}

// at returns the origins of the first new record, of lines in one file.
func at(lines ...int64) []NewOrigins {
	o := &Origins{}
	for _, n := range lines {
		o.List = append(o.List, Pos{"in", n})
	}
	return []NewOrigins{{0, o}}
}

// TestDoorLastWord holds that a worker that is asked about no record says nothing of records.
func TestDoorLastWord(t *testing.T) {
	row := []Side{{Output: "log", JSON: []byte("{}")}}
	cases := []struct {
		reason string
		reply  *Reply
		want   string // "" when it is let in
	}{
		{"rows and counts", &Reply{Sides: row, Counts: []Count{{Name: "c", N: 1}}}, ""},
		{"nothing to say", &Reply{Done: true}, ""},
		{"a verdict on no record", &Reply{Verdicts: []byte{0}, Done: true}, "want at most 0 records answered, have 1"},
		{"a record that lies nowhere", &Reply{Offsets: []uint64{0}, Lengths: []uint64{2}, Done: true}, "want no new records without a grant"},
		{"a record without a place", &Reply{Lengths: []uint64{0}, Done: true}, "want 1 emitted records, have 1 lengths, 0 offsets"},
		{"a record without origins", &Reply{Offsets: []uint64{0}, Lengths: []uint64{0}}, "want the origins of every record, have record 0 without"},
		{"a record with its input's bytes", &Reply{Same: []byte{InputBytes}, Offsets: []uint64{0}, Lengths: []uint64{0}, Origins: at(1)}, "want new bytes for every record, have kind 1"},
		{"a record without bytes", &Reply{Offsets: []uint64{0}, Lengths: []uint64{0}, Origins: at(1)}, "after the last record, want JSON from plugin liar"},
		{"origins of no record", &Reply{Origins: at(1)}, "want origins of one of 0 new records, have 0"},
		{"origins without a line", &Reply{Offsets: []uint64{0}, Lengths: []uint64{0}, Origins: at(0)}, "want a file and a line from 1"},
		{"no origins", &Reply{Offsets: []uint64{0}, Lengths: []uint64{0}, Origins: at()}, "want the place of at least one record"},
		{"too many origins", &Reply{Offsets: []uint64{0}, Lengths: []uint64{0}, Origins: at(make([]int64, MaxOrigins+1)...)}, "want at most 1000 places"},
		{"a row of a record", &Reply{Sides: []Side{{Index: 1, Output: "log", JSON: []byte("{}")}}}, "have record 1"},
		{"a row that is none: there is no record to reject", &Reply{Sides: []Side{{Output: "log", JSON: []byte("[]")}}}, "after the last record, want a JSON object"},
		{"a count below nothing", &Reply{Counts: []Count{{Name: "c", N: -1}}}, "of 0 or more, have -1"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			d := Validator{Depth: 10, Name: "liar", Capacity: 1 << 20}
			a, err := d.Admit(c.reply)
			if c.want == "" {
				if err != nil || len(a.Sides) != len(c.reply.Sides) || len(a.Counts) != len(c.reply.Counts) || len(a.Outcomes) != 0 {
					t.Errorf("want it let in, have %v and %v", a, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
}
