package rows

import (
	"fmt"
	"slices"
	"testing"
)

// TestRecords holds that facets count a record once, whatever files have rows of it, and that rows whose record is unknown count for themselves.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	note := func(line int, entity string) string {
		return fmt.Sprintf(`{"entity":%q,"step":"privacy.redact","place":"value","file":"in","line":%d}`, entity, line)
	}
	in := writeFile(t, dir, "in.jsonl", `{"split":"train"}`, `{"split":"train"}`, `{"split":"val"}`)
	in.Input, in.Outcome = "in", Input
	ledger := writeFile(t, dir, "ledger.jsonl", note(1, "EMAIL"), note(1, "EMAIL"), note(1, "PHONE"), note(2, "EMAIL"))
	ledger.Outcome = Noted
	loose := writeFile(t, dir, "loose.jsonl", `{"split":"train"}`, `{"split":"train"}`)
	loose.Outcome = Kept
	x := open(t, t.TempDir(), in, ledger, loose)
	for _, c := range []struct {
		reason  string
		query   Query
		column  string
		records int
		want    []Facet
	}{
		{"findings", Query{}, "entity", 5, []Facet{{"", 5}, {"EMAIL", 2}, {"PHONE", 1}}},
		{"splits", Query{}, "split", 5, []Facet{{"train", 4}, {"", 2}, {"val", 1}}},
		{"a filter", Query{In: []In{{"entity", []string{"EMAIL"}}}}, "entity", 2, []Facet{{"", 5}, {"EMAIL", 2}, {"PHONE", 1}}},
		{"a filter on another column", Query{In: []In{{"outcome", []string{Noted}}}}, "entity", 2, []Facet{{"EMAIL", 2}, {"PHONE", 1}}},
		{"a search", Query{Text: "email"}, "entity", 2, []Facet{{"EMAIL", 2}}},
	} {
		c.query.Records = true
		for range 2 { // counted, and kept
			found, err := x.FindAll(t.Context(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			if have := found.Facets(c.column); !slices.Equal(have, c.want) || found.Records() != c.records {
				t.Errorf("%s: want %v of %d records, have %v of %d", c.reason, c.want, c.records, have, found.Records())
			}
		}
	}
	found, err := x.Find(Query{})
	if err != nil {
		t.Fatal(err)
	}
	if have := found.Facets("entity")[1]; have != (Facet{"EMAIL", 3}) {
		t.Errorf("want rows counted where nobody asks for records, have %v", have)
	}
}

// TestNumbers holds how the numbers of rows are spread: those that a query finds, sizes as they are masked when that is asked for, and rows
// without a number in no bin.
func TestNumbers(t *testing.T) {
	rows := []string{`{"quality":{"score":0.5}}`, `{"quality":{"score":-2}}`, `{"reward":1}`, `{"score":"high"}`, `{"messages":[{},{},{}]}`, "no JSON"}
	x := openWith(t, Options{Cache: t.TempDir(), Mask: &Mask{
		Row:     func([]byte) []byte { return []byte("{}") },
		Visible: func([]byte, bool) []byte { return nil },
	}}, writeFile(t, t.TempDir(), "a.jsonl", rows...))
	find := func(q Query) *Found {
		t.Helper()
		found, err := x.FindAll(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	numbers := func(q Query, column string) []Bin {
		t.Helper()
		bins, err := find(q).Numbers(column)
		if err != nil {
			t.Fatal(err)
		}
		return bins
	}
	if have := numbers(Query{}, "size"); len(have) != 6 || have[0].From != 7 {
		t.Errorf("want six sizes, have %v", have)
	}
	if have := numbers(Query{Masked: true}, "size"); !slices.Equal(have, []Bin{{2, 2, 5}, {7, 7, 1}}) {
		t.Errorf("want the sizes of what is shown, have %v", have)
	}
	for _, c := range []struct {
		order Order
		want  []int64 // lines
	}{
		{Order{Column: "size"}, []int64{1, 2, 3, 4, 5, 6}},
		{Order{Column: "score"}, []int64{1, 2, 3, 4, 5, 6}},
	} {
		page, err := find(Query{Masked: true, Order: c.order}).Page(0, 9)
		if err != nil {
			t.Fatal(err)
		}
		var have []int64
		for _, r := range page {
			have = append(have, r.Line)
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: want nothing hidden in the order, have %v", c.order.Column, have)
		}
	}
	plain := open(t, t.TempDir(), writeFile(t, t.TempDir(), "a.jsonl", rows...))
	found, err := plain.FindAll(t.Context(), Query{Order: Order{Column: "score", Descending: true}})
	if err != nil {
		t.Fatal(err)
	}
	have, err := found.Numbers("score")
	if err != nil || !slices.Equal(have, []Bin{{-2, -2, 1}, {0.5, 0.5, 1}, {1, 1, 1}}) {
		t.Errorf("want three scores, have %v, %v", have, err)
	}
	have, err = found.Between("score", []float64{-2, -1, 0, 1, 2})
	if err != nil || !slices.Equal(have, []Bin{{-2, -2, 1}, {}, {0.5, 0.5, 1}, {1, 1, 1}}) {
		t.Errorf("want what is between the edges, have %v, %v", have, err)
	}
	if page, err := found.Page(0, 9); err != nil || page[0].Line != 3 || page[2].Line != 2 {
		t.Errorf("want the largest score first and rows without one last, have %v, %v", page, err)
	}
}
