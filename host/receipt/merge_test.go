package receipt

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPartNames holds that the path of a part leads back to that of the whole run, whatever its endings.
func TestPartNames(t *testing.T) {
	p := Part{3, 16}
	for _, c := range []struct{ whole, part string }{
		{"out/train.jsonl", "out/train-00003-of-00016.jsonl"},
		{"out/train.jsonl.gz", "out/train-00003-of-00016.jsonl.gz"},
		{"out/train.v2.jsonl.zst", "out/train.v2-00003-of-00016.jsonl.zst"},
		{"out.d/train", "out.d/train-00003-of-00016"},
		{"out/.hidden", "out/.hidden-00003-of-00016"},
		{"out/{split}.jsonl", "out/{split}-00003-of-00016.jsonl"},
		{"out/{a.b}", "out/{a.b}-00003-of-00016"},
		{"{split}/train.{kind}", "{split}/train-00003-of-00016.{kind}"},
	} {
		if have := p.PathOf(c.whole); have != c.part {
			t.Errorf("%s: want %s, have %s", c.whole, c.part, have)
		}
		if have, whole, ok := PartOf(c.part); !ok || have != p || whole != c.whole {
			t.Errorf("%s: want part %v of %s, have %v of %s (%v)", c.part, p, c.whole, have, whole, ok)
		}
	}
	if _, whole, ok := PartOf("out/train-00003-of-00016-00007.jsonl"); !ok || whole != "out/train-00007.jsonl" {
		t.Errorf("want the number of a sink that rotates kept, have %s", whole)
	}
	for _, none := range []string{"out/train.jsonl", "train-00016-of-00016.jsonl", "train-3-of-16.jsonl", "train-00003-of-00016x.jsonl"} {
		if p, whole, ok := PartOf(none); ok {
			t.Errorf("%s: want no part, have %v of %s", none, p, whole)
		}
	}
	for _, bad := range []string{"", "3", "3/", "/3", "3/3", "-1/3", "0/0", "a/b", "0/100000", "1/2/3"} {
		if p, err := ParsePart(bad); err == nil {
			t.Errorf("%q: want a mistake, have %v", bad, p)
		}
	}
}

// part returns the receipt of a part that read some records of a file of 30 bytes.
func part(index int, records int64, more func(*Receipt)) *Receipt {
	at := time.Date(2026, 1, 1, 0, index, 0, 0, time.UTC)
	by := map[string]int64{"thinned": 1}
	r := &Receipt{
		Run: strings.Repeat(string(rune('A'+index)), 26), Started: at, Finished: at.Add(time.Second), Part: &PartAccount{Part: Part{index, 2}},
		Inputs: []Input{{Name: "a", Records: records, Share: &Share{From: int64(index * 15), To: int64(index*15 + 15), Size: 30}}},
		Steps:  []StepAccount{{Name: "mix.m", In: records, Out: records - 1, Dropped: Sum(by), Counts: map[string]int64{"n": records}, Workers: index + 1}},
		Totals: Totals{Read: records, Written: records - 1, Dropped: Sum(by)},
	}
	r.Outputs = []Output{{Path: r.Part.PathOf("out.jsonl"), Records: records - 1}}
	if more != nil {
		more(r)
	}
	return r
}

func merged(t *testing.T, parts ...*Receipt) *Receipt {
	t.Helper()
	x, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestMerge holds that a merged receipt is the sum of its parts, that it balances as they do, and that it is the same for the same parts.
func TestMerge(t *testing.T) {
	meant := func(r *Receipt) { r.Steps[0].Dropped.Means = map[string]string{"thinned": "not drawn"} }
	parts := []*Receipt{part(0, 10, nil), part(1, 5, meant)}
	x := merged(t, parts...)
	if err := x.Recheck(); err != nil {
		t.Error(err)
	}
	s := x.Steps[0]
	if x.Totals.Read != 15 || s.In != 15 || s.Out != 13 || s.Dropped.By["thinned"] != 2 || s.Counts["n"] != 15 || s.Workers != 2 {
		t.Errorf("want sums, have %+v and %+v", x.Totals, s)
	}
	if have := s.Dropped.Means["thinned"]; have != "not drawn" {
		t.Errorf("want what a part says of its reason, have %q", have)
	}
	if len(x.Inputs) != 2 || len(x.Outputs) != 2 || x.Part != nil || len(x.Merged) != 2 || x.Totals.Seconds != 61 {
		t.Errorf("want inputs and outputs of both parts, have %+v", x)
	}
	if parts[0].Steps[0].In != 10 || parts[0].Totals.Dropped.By["thinned"] != 1 {
		t.Errorf("want the receipts of the parts as they were, have %+v", parts[0])
	}
	if again := merged(t, parts...); again.Run != x.Run {
		t.Errorf("want one id for the same parts, have %s and %s", x.Run, again.Run)
	}
	empty := part(1, 1, func(r *Receipt) { r.Inputs[0].Share = &Share{From: 30, To: 30, Size: 30} })
	if x := merged(t, parts[0], empty); len(x.Inputs) != 1 {
		t.Errorf("want no share without a byte, have %+v", x.Inputs)
	}
}

// TestMergeReused holds that a merged receipt says how much of all parts was not run again, and behind which steps the rest began.
func TestMergeReused(t *testing.T) {
	a := part(0, 10, func(r *Receipt) {
		r.Reused = &Reused{Files: 1, Of: 3, Records: 4, Bytes: 8, Behind: []ReusedBehind{{"late", 1, 3, 6}}}
	})
	b := part(1, 5, func(r *Receipt) {
		r.Reused = &Reused{Files: 1, Of: 3, Records: 1, Bytes: 2, Behind: []ReusedBehind{{"early", 1, 2, 4}, {"late", 1, 2, 4}}}
	})
	for _, p := range []*Receipt{a, b} {
		p.Steps = []StepAccount{{Name: "early"}, {Name: "late"}}
	}
	want := &Reused{Files: 2, Of: 6, Records: 5, Bytes: 10, Behind: []ReusedBehind{{"early", 1, 2, 4}, {"late", 2, 5, 10}}}
	if have := merged(t, a, b).Reused; !reflect.DeepEqual(have, want) {
		t.Errorf("want %+v, have %+v", want, have)
	}
	if a.Reused.Behind[0].Files != 1 {
		t.Errorf("want the receipt of the part as it was, have %+v", a.Reused)
	}
	if have := merged(t, part(0, 1, nil), part(1, 1, nil)).Reused; have != nil {
		t.Errorf("want nothing of parts without a store, have %+v", have)
	}
}

// TestMergeReports holds what is no plain sum: cases that another part met, warnings with counts, and what a first shows.
func TestMergeReports(t *testing.T) {
	warn := func(n string) []Warning {
		return []Warning{{Code: "cut", Message: "step a.b: cut in " + n + ": say so"}, {Code: "pipeline", Message: "no sink", Place: "p.hcl:1:1"}}
	}
	a := part(0, 10, func(r *Receipt) {
		r.Warnings = append(warn("1 record"), Warning{Code: "private_rejects", Message: "out/rejects-00000-of-00002.jsonl may hold personal data"})
		r.Routes = []RouteReport{{Route: "r", Branches: []Branch{{Case: "x"}, {Case: "y"}}, Unmet: []UnmetCase{{Case: "x", Like: 1}, {Case: "y", Like: 2, Value: "Y"}}}}
		r.Firsts = []FirstReport{{First: "f", Records: 3, Steps: []FirstMember{{Step: "s", Rows: 0}}}}
	})
	b := part(1, 5, func(r *Receipt) {
		r.Warnings = append(warn("4 records"), Warning{Code: "private_rejects", Message: "out/rejects-00001-of-00002.jsonl may hold personal data"})
		r.Routes = []RouteReport{{Route: "r", Branches: []Branch{{Case: "x", Records: 2}, {Case: "y"}}, Unmet: []UnmetCase{{Case: "y", Like: 5}}}}
		r.Firsts = []FirstReport{{First: "f", Records: 3, Steps: []FirstMember{{Step: "s", Rows: 2, First: &Position{"a", 9}}}}}
	})
	x := merged(t, a, b)
	want := []string{"step a.b: cut in 5 records: say so", "no sink", "out/rejects.jsonl may hold personal data"}
	var have []string
	for _, w := range x.Warnings {
		have = append(have, w.Message)
	}
	if !slices.Equal(have, want) {
		t.Errorf("want the warnings %q, have %q", want, have)
	}
	if u := x.Routes[0].Unmet; len(u) != 1 || u[0] != (UnmetCase{"y", 7, "Y"}) || x.Routes[0].Branches[0].Records != 2 {
		t.Errorf("want the case that no part met, have %+v", x.Routes[0])
	}
	if m := x.Firsts[0].Steps[0]; m.Rows != 2 || m.Share != 0.333333 || m.CanGo || m.First == nil || m.First.Line != 9 {
		t.Errorf("want the member needed by one part, have %+v", m)
	}
}
