package wire

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzRuns holds that a reply with runs says the same as the one with a fault for each verdict and labels for each record that a
// plugin without the feature sends, and that it holds no fault twice in a row.
func FuzzRuns(f *testing.F) {
	f.Add([]byte{0, 4, 4, 4, 1, 4, 2, 3, 3, 12, 4, 20, 20, 28, 17})
	f.Add(bytes.Repeat([]byte{4}, 100))
	f.Add(bytes.Repeat([]byte{4, 12, 20, 28, 36, 44, 52, 60, 68, 76, 84}, 3))
	f.Fuzz(func(t *testing.T, dice []byte) {
		var in []Record
		r := &Reply{Done: true}
		for i, d := range dice {
			v, which := Verdict(d&7)%5, d>>3
			in = append(in, Record{Data: []byte("{}"), File: "in", Line: int64(i + 1)})
			r.Verdicts = append(r.Verdicts, byte(v))
			switch v {
			case Unchanged:
			case Emitted:
				r.AddLabels(len(r.Lengths), []Label{{"split", strings.Repeat("x", int(which%3))}})
				r.Emitted, r.Same = append(r.Emitted, 1), append(r.Same, InputBytes)
				r.Offsets, r.Lengths = append(r.Offsets, 0), append(r.Lengths, 0)
			case Dropped, Declined:
				r.AddFault(&Fault{Message: strings.Repeat("no", int(which))})
			case Rejected:
				r.AddFault(&Fault{Code: "bad", Message: strings.Repeat("no", int(which)), Record: []byte("{}")[:2*(which%2)]})
			}
		}
		for i := 1; i < len(r.Runs); i++ {
			if a, b := r.Runs[i-1], r.Runs[i]; a.Fault == b.Fault {
				t.Errorf("want one run of fault %d, have %d and %d verdicts", a.Fault, a.N, b.N)
			}
		}
		var answers [2]Answer
		for i, r := range []*Reply{r, r.Expanded()} {
			val := &Validator{In: in, Depth: 10, Name: "test"}
			a, err := val.Admit(r)
			if err != nil {
				t.Fatal(err)
			}
			if f := a.AllDeclined(); f != nil && slices.ContainsFunc(a.Outcomes, func(o Outcome) bool { return o.Verdict != Declined || o.Fault != f }) {
				t.Errorf("want one fault of all records where AllDeclined says so, have %+v", a.Outcomes)
			}
			a.alike = false // which only runs can say
			answers[i] = a
		}
		if !reflect.DeepEqual(answers[0], answers[1]) {
			t.Errorf("want what the expanded reply says, %+v, have %+v", answers[1], answers[0])
		}
	})
}

// TestRunsOfOneReason holds that a step that declines a whole batch for one reason or two says each once, however they alternate.
func TestRunsOfOneReason(t *testing.T) {
	r := &Reply{}
	for i := range 1000 {
		r.Verdicts = append(r.Verdicts, byte(Declined))
		r.AddFault(&Fault{Message: []string{"not mine", "not mine either"}[i/100%2]})
	}
	if len(r.Faults) != 2 || len(r.Runs) != 10 {
		t.Errorf("want 2 faults in 10 runs, have %d in %d", len(r.Faults), len(r.Runs))
	}
	shared := map[*Fault]bool{}
	a, err := (&Validator{In: make([]Record, 1000), Name: "test"}).Admit(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Outcomes {
		shared[o.Fault] = true
	}
	if len(shared) != 2 || a.AllDeclined() != nil {
		t.Errorf("want 2 faults that outcomes share, have %d and %v for all", len(shared), a.AllDeclined())
	}
}

// TestRunsThatLie holds that runs which name other verdicts, faults or records than there are break the protocol.
func TestRunsThatLie(t *testing.T) {
	faults := []Fault{{Message: "a"}, {Message: "b"}}
	for _, c := range []struct {
		reason string
		runs   []FaultRun
		want   string
	}{
		{"all verdicts", []FaultRun{{1, 2}, {0, 1}}, ""},
		{"too few", []FaultRun{{0, 2}}, "want runs of 3 faults, have 2"},
		{"too many", []FaultRun{{0, 2}, {1, 2}}, "want runs of 3 faults, have 4"},
		{"as many as overflow", slices.Repeat([]FaultRun{{0, 1<<32 - 1}}, 2), "want runs of 3 faults, have 8589934590"},
		{"a fault that is not there", []FaultRun{{2, 3}}, "want runs of one or more verdicts with one of 2 faults, have 3 with fault 2"},
		{"an empty run", []FaultRun{{0, 3}, {1, 0}}, "want runs of one or more verdicts with one of 2 faults, have 0 with fault 1"},
	} {
		r := &Reply{Verdicts: []byte{4, 4, 4}, Faults: slices.Clone(faults), Runs: c.runs}
		_, err := (&Validator{In: make([]Record, 3), Name: "test"}).Admit(r)
		if have := errText(err); !strings.HasSuffix(have, c.want) || c.want == "" && have != "" {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
	for _, l := range []Labels{{Index: 1, N: 2}, {Index: 2}, {Index: 1<<32 - 1, N: 1<<32 - 1}} {
		r := &Reply{Verdicts: []byte{1, 1}, Emitted: []uint32{1, 1}, Same: []byte{1, 1}, Offsets: make([]uint64, 2), Lengths: make([]uint64, 2), Labels: []Labels{l}}
		_, err := (&Validator{In: make([]Record, 2), Name: "test"}).Admit(r)
		if !strings.Contains(errText(err), "want labels of one of 2 new records") {
			t.Errorf("%+v: want labels refused, have %v", l, err)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
