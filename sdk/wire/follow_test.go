package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chained admits what a chain of three says about one record: "one", or else "two", and then "three". The grant holds
// {"new":1} and then text that is no JSON.
func chained(t *testing.T, r *Reply) (Answer, error) {
	t.Helper()
	a := NewArena(make([]byte, 64), 64, nil)
	region, err := a.Alloc(t.Context(), 64)
	if err != nil {
		t.Fatal(err)
	}
	copy(region.Bytes(), `{"new":1} nothing`)
	d := Validator{
		In: []Record{{Data: []byte(`{"n":1}`), Lethal: []Lethal{{Step: 1}}}}, Depth: 10, Name: "one",
		Behind: []Step{{Plugin: "two", Or: true}, {Plugin: "three"}},
	}
	d.Grant(region, 0)
	defer d.End()
	return d.Admit(r)
}

// what are the parts of a reply that tests begin with.
var (
	unchanged = Reply{Verdicts: []byte{byte(Unchanged)}}
	declined  = Reply{Verdicts: []byte{byte(Declined)}, Faults: []Fault{{Message: "no"}}}
	nothing   = Reply{}
)

func emitted(what byte, offset, length uint64) Reply {
	return Reply{Verdicts: []byte{byte(Emitted)}, Emitted: []uint32{1}, Same: []byte{what}, Offsets: []uint64{offset}, Lengths: []uint64{length}}
}

func chain(first Reply, behind ...Reply) *Reply {
	first.Behind = behind
	return &first
}

// TestDoorFollows holds what reaches each step of a chain, and what leaves it.
func TestDoorFollows(t *testing.T) {
	rejected := Reply{Verdicts: []byte{byte(Rejected)}, Faults: []Fault{{Code: "bad"}}}
	for _, c := range []struct {
		reason  string
		reply   *Reply
		reached []int // records that reached the steps behind
		out     string
	}{
		{"what no step changes leaves as it came", chain(unchanged, nothing, unchanged), []int{0, 1}, `{"n":1}`},
		{"what one declines the next of a first gets", chain(declined, unchanged, unchanged), []int{1, 1}, `{"n":1}`},
		{"what all of a first decline goes nowhere", chain(declined, declined, nothing), []int{1, 0}, ""},
		{"what a step makes lies where it says, if the rest leaves it", chain(emitted(NewBytes, 0, 9), nothing, unchanged), []int{0, 1}, `{"new":1}`},
		{"what stays away is replaced before the end", chain(emitted(AwayBytes, 0, 7), nothing, emitted(NewBytes, 0, 9)), []int{0, 1}, `{"new":1}`},
		{"what stays away is rejected", chain(emitted(AwayBytes, 0, 7), nothing, rejected), []int{0, 1}, ""},
	} {
		a, err := chained(t, c.reply)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		var reached []int
		for _, b := range a.Behind {
			reached = append(reached, len(b.In))
			for i := range b.Outcomes {
				if f := b.Outcomes[i].Fault; f != nil && b.Outcomes[i].Verdict == Rejected && string(f.Record) != "null" {
					t.Errorf("%s: want null where the host has no bytes, have %s", c.reason, f.Record)
				}
			}
		}
		out := ""
		for _, r := range a.Out {
			out += string(r.Data)
		}
		if diff := cmp.Diff(c.reached, reached); diff != "" || out != c.out {
			t.Errorf("%s: want %s to leave, have %s; reached (-want +have):\n%s", c.reason, c.out, out, diff)
		}
	}
}

// TestDoorFollowsNobody holds that a program which chains is trusted no more than another.
func TestDoorFollowsNobody(t *testing.T) {
	side := unchanged
	side.Sides = []Side{{0, "log", []byte("[]")}}
	for _, c := range []struct {
		reason string
		reply  *Reply
		want   string
	}{
		{"no answer of the steps behind", &Reply{Verdicts: []byte{0}}, "plugin one broke the protocol: want answers of 2 later steps, have 0"},
		{"an answer of a step that nothing reached", chain(unchanged, unchanged, unchanged), "plugin two broke the protocol: want answers to the 0 records that reached it in the chain, have 1"},
		{"no answer of a step that a record reached", chain(unchanged, nothing, nothing), "plugin three broke the protocol: want answers to the 1 records"},
		{"a record that leaves without its bytes", chain(emitted(AwayBytes, 0, 7), nothing, unchanged), "want the bytes of what leaves the chain"},
		{"bytes that stay away and have a place", chain(emitted(AwayBytes, 8, 7), nothing, unchanged), "want bytes that stay away inside a chain"},
		{"bytes of a kind that there is not", chain(emitted(9, 0, 7), nothing, unchanged), "want 0, 1 or 2"},
		{"no JSON from one step to another", chain(emitted(NewBytes, 9, 3), nothing, unchanged), "plugin one broke the protocol: inside a chain, want JSON from plugin one"},
		{"a row that is no object beside what goes to another step", chain(side, nothing, unchanged), "inside a chain, want a JSON object for output log"},
		{"no JSON in place of what the host lacks", chain(emitted(AwayBytes, 0, 7), nothing, emitted(NewBytes, 9, 3)), "plugin three broke the protocol: inside a chain, want JSON"},
		{"bytes outside the grant", chain(unchanged, nothing, emitted(NewBytes, 60, 9)), "plugin three broke the protocol: want new records inside the grant"},
	} {
		if _, err := chained(t, c.reply); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
	if a, err := chained(t, chain(unchanged, nothing, emitted(NewBytes, 9, 3))); err != nil || a.Behind[1].Outcomes[0].Verdict != Rejected {
		t.Errorf("want a record that the host has rejected for what became of it, have %v and %v", a, err)
	}
}

// TestNote holds that a spot comes back from its note, and that a step of old programs notes as it always has.
func TestNote(t *testing.T) {
	for _, s := range []Spot{{0, 0, 0}, {7, 3, 2}, {1 << 31, 255, 1<<24 - 1}, {-1, 4, 0}} {
		if have := SpotOf(s.Note()); have != s {
			t.Errorf("want %+v, have %+v", s, have)
		}
	}
	if have := (Spot{Record: 41}).Note(); have != 42 {
		t.Errorf("want the record and 1, have %d", have)
	}
}

// TestDoorTraces holds that what a traced chain tells of records that stay inside is theirs, and that nothing else changes.
func TestDoorTraces(t *testing.T) {
	away := func(told ...string) Reply {
		r := emitted(AwayBytes, 0, 7)
		for _, text := range told {
			r.Away = append(r.Away, []byte(text))
		}
		return r
	}
	last := emitted(NewBytes, 0, 9)
	for _, c := range []struct {
		reason string
		first  Reply
		data   string // of what reaches the last step
		want   string // of the error
	}{
		{"as long as it said", away(`{"a":1}`), `{"a":1}`, ""},
		{"too large to be told", away(""), "", ""},
		{"not asked to tell", away(), "", ""},
		{"of another length", away(`{"a":12}`), "", "want the 7 bytes of a record that stayed in the process, or an empty text, have 8"},
		{"one too many", away(`{"a":1}`, `{"a":2}`), "", "want the bytes of records that stayed in the process, have 1 more"},
		{"no JSON", away(`{"a":1]`), "", "inside a chain, want JSON from plugin one"},
	} {
		a, err := chained(t, chain(c.first, nothing, last))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		in := a.Behind[1].In[0]
		if string(in.Data) != c.data || in.Away != 7 || in.Size() != 7 || in.Mem != nil {
			t.Errorf("%s: want a record of 7 bytes that are away, and %q of it, have %+v", c.reason, c.data, in)
		}
	}
}
