package rows

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestRandom holds the index to a plain reading of random files: rows, queries, orders, pages and facets.
func TestRandom(t *testing.T) {
	seeds := uint64(2)
	if *long {
		seeds = 6
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := maker{rand.New(rand.NewPCG(seed, 1))}
			var files []File
			var rows []wanted
			for i := range 1 + m.IntN(3) {
				f, more := m.file(t, t.TempDir(), fmt.Sprintf("%c.jsonl", 'a'+i))
				files, rows = append(files, f), append(rows, more...)
			}
			cache := t.TempDir()
			for range 2 { // made, and from the cache
				x := open(t, cache, files...)
				compareRows(t, x, rows)
				for range 12 {
					q := m.query()
					if diff := compare(t, x, q, rows); diff != "" {
						t.Fatalf("%+v: %s", q, diff)
					}
				}
			}
		})
	}
}

// compareRows holds each row to the line that it is of.
func compareRows(t *testing.T, x *Index, rows []wanted) {
	t.Helper()
	f, err := x.Find(Query{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != len(rows) || !f.Done {
		t.Fatalf("want %d rows and all of them, have %d, %+v, %+v", len(rows), f.Len(), f.Progress, x.States())
	}
	all, err := f.Page(0, len(rows))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		w := rows[i]
		data, err := x.Read(t.Context(), r.ID)
		if err != nil || string(data) != w.text {
			t.Fatalf("%s:%d: %v, other bytes: %t", w.file, w.line, err, string(data) != w.text)
		}
		if r.Name != w.file || r.Line != w.line || r.JSON != w.json || r.Turns != w.turns || r.Calls != w.calls {
			t.Errorf("want %s:%d, %d turns, %d calls, have %+v of %.200s", w.file, w.line, w.turns, w.calls, r, w.text)
		}
		for _, c := range Columns() {
			if have := r.Words(c.Name); !slices.Equal(have, w.in(c.Name)) && !c.Number {
				t.Errorf("%s:%d: %s: want %q, have %q", w.file, w.line, c.Name, w.in(c.Name), have)
			}
		}
		if other, err := x.At(t.Context(), w.file, w.line); err != nil || other.ID != r.ID {
			t.Errorf("%s:%d: want row %v there, have %v, %v", w.file, w.line, r.ID, other.ID, err)
		}
	}
}

// in gives the words of a column.
func (w *wanted) in(column string) []string {
	if column == "file" {
		return []string{w.file}
	}
	return w.words[column]
}

// query makes a random query.
func (m maker) query() (q Query) {
	if m.IntN(3) == 0 {
		q.Text = m.pick(vocabulary...)
		q.Text = m.pick(q.Text, strings.ToUpper(q.Text), strings.ToLower(q.Text), q.Text+" "+m.pick(vocabulary...))
	}
	if m.IntN(4) == 0 {
		q.Paths = append(q.Paths, PathIs{Path: "id", Value: fmt.Sprint(m.IntN(20)), Any: m.IntN(3) == 0})
	}
	if m.IntN(6) == 0 {
		q.Paths = append(q.Paths, PathIs{Path: "messages.#.role", Value: "assistant"})
	}
	for _, column := range []string{"shape", "action", "code", "file", "split"} {
		if m.IntN(6) == 0 {
			q.In = append(q.In, In{column, []string{m.pick("chatml", "SHELL", "no_user", "a.jsonl", "b.jsonl", "train"), m.pick("", "reject", "TASKS", "c.jsonl")}})
		}
	}
	if m.IntN(5) == 0 {
		q.Between = append(q.Between, Between{m.pick("turns", "calls", "size"), float64(m.IntN(3)), float64(m.IntN(300))})
	}
	switch m.IntN(3) {
	case 0:
		q.Order.Column = m.pick("turns", "size", "shape", "action", "file")
	case 1:
		q.Order.Path = "id"
	}
	q.Order.Descending = m.IntN(2) == 0
	return q
}

// holds answers a query for one row, but for its condition on one column.
func (w *wanted) holds(q Query, but string) bool {
	text := q.Text == "" || slices.ContainsFunc(w.strings, func(s string) bool {
		return strings.Contains(strings.ToLower(s), strings.ToLower(q.Text))
	})
	for _, p := range q.Paths {
		switch {
		case p.Path == "id":
			text = text && w.id >= 0 && (p.Any || fmt.Sprint(w.id) == p.Value)
		default:
			text = text && w.turns > 0 && slices.Contains(w.words["shape"], chatmlShape)
		}
	}
	for _, in := range q.In {
		have := w.in(in.Column)
		text = text && (in.Column == but || len(have) == 0 && slices.Contains(in.Words, "") ||
			slices.ContainsFunc(have, func(word string) bool { return slices.Contains(in.Words, word) }))
	}
	for _, b := range q.Between {
		text = text && float64(w.number(b.Column)) >= b.Min && float64(w.number(b.Column)) <= b.Max
	}
	return text
}

func (w *wanted) number(column string) int64 {
	return map[string]int64{"turns": w.turns, "calls": w.calls, "size": int64(len(w.text))}[column]
}

// before compares rows as an order has them.
func (w *wanted) before(o Order, v *wanted) int {
	way := 1
	if o.Descending {
		way = -1
	}
	last := func(a, b bool) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	switch {
	case o.Path != "":
		return cmp.Or(last(w.id < 0, v.id < 0), way*cmp.Compare(w.id, v.id))
	case o.Column == "turns" || o.Column == "size":
		return way * cmp.Compare(w.number(o.Column), v.number(o.Column))
	case o.Column != "":
		a, b := w.in(o.Column), v.in(o.Column)
		return cmp.Or(last(len(a) == 0, len(b) == 0), way*strings.Compare(strings.Join(a, ", "), strings.Join(b, ", ")))
	}
	return 0
}

// compare answers a query in both ways.
func compare(t *testing.T, x *Index, q Query, rows []wanted) string {
	t.Helper()
	found, err := x.FindAll(t.Context(), q)
	if err != nil || !found.Done {
		t.Fatal(err, found.Progress)
	}
	var want []string
	facets := map[string]int{}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b wanted) int { return a.before(q.Order, &b) })
	named := slices.IndexFunc(q.In, func(in In) bool { return in.Column == "file" })
	for _, w := range rows {
		if w.holds(q, "") {
			want = append(want, fmt.Sprintf("%s:%d", w.file, w.line))
		}
		if named >= 0 && len(q.readings()) > 0 && !slices.Contains(q.In[named].Words, w.file) {
			continue // it is not read
		}
		if w.holds(q, "shape") {
			facets[w.words["shape"][0]]++
		}
	}
	var have []string
	for from := 0; from < found.Len(); from += 7 {
		page, err := found.Page(from, 7)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range page {
			have = append(have, fmt.Sprintf("%s:%d", r.Name, r.Line))
			if at, err := found.Place(r.ID); err != nil || at != from+i {
				t.Errorf("want row %v at %d, have it at %d, %v", r.ID, from+i, at, err)
			}
		}
	}
	counted := map[string]int{}
	for _, f := range found.Facets("shape") {
		counted[f.Word] = f.Rows
	}
	return gocmp.Diff(want, have) + gocmp.Diff(facets, counted)
}
