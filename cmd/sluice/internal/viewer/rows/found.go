package rows

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Found are the rows that a query has found. It does not change.
type Found struct {
	Progress
	query Query
	views []*view
	hits  *scanned // of the text and paths of the query, nil when it has none
	ids   []ID
	key   string

	mu     sync.Mutex
	facets map[string][]Facet // by column, as they were asked for
}

// Progress tells how complete an answer is.
type Progress struct {
	Rows, Of int64 // rows that were looked at, of those that there are so far
	Indexed  bool  // all files are indexed
	Done     bool  // nothing can be added
	Lost     int64 // rows that could not be read again, since their file has changed
}

// find answers a query from tables, and from what was read for it.
func find(q Query, views []*view, all []*scanned) *Found {
	f := &Found{query: q, views: views, facets: map[string][]Facet{}}
	f.Indexed, f.Done = true, true
	for _, v := range views {
		f.Of += int64(v.table.rows())
		f.Indexed = f.Indexed && v.done
		f.Done = f.Done && v.complete
	}
	f.Rows = f.Of
	var keys *scanned
	for _, r := range all {
		if r.of.Order != "" {
			keys = r
		} else {
			f.hits = r
		}
		f.Rows, f.Of = min(f.Rows, r.rows), min(f.Of, r.total)
		f.Lost = max(f.Lost, r.lost)
		f.Done = f.Done && r.done
	}
	for _, v := range views {
		f.each(v, "", func(row int) { f.ids = append(f.ids, ID{uint32(v.at), uint32(row)}) })
	}
	f.sort(keys)
	return f
}

// each calls with the rows of a file that the query wants, but for its conditions on one column.
func (f *Found) each(v *view, but string, call func(row int)) {
	type among struct {
		column *coded
		sets   []bool
	}
	var conditions []among
	for _, in := range f.query.In {
		if in.Column == but {
			continue
		}
		c := v.words(in.Column)
		sets := make([]bool, max(1, len(c.Sets)))
		for i := range sets {
			if i == 0 || len(c.Sets[i]) == 0 {
				sets[i] = slices.Contains(in.Words, "")
				continue
			}
			sets[i] = slices.ContainsFunc(c.Sets[i], func(word string) bool { return slices.Contains(in.Words, word) })
		}
		conditions = append(conditions, among{c, sets})
	}
	want := func(row int) bool {
		for _, c := range conditions {
			if !c.sets[c.column.at(row)] {
				return false
			}
		}
		for _, b := range f.query.Between {
			if n := v.number(b.Column, row); n < b.Min || n > b.Max {
				return false
			}
		}
		return true
	}
	if f.hits != nil {
		for _, row := range f.hits.hits[v.at] {
			if int(row) < v.table.rows() && want(int(row)) {
				call(int(row))
			}
		}
		return
	}
	for row := range v.table.rows() {
		if want(row) {
			call(row)
		}
	}
}

// number is that of a row in a column.
func (v *view) number(column string, row int) int64 {
	switch column {
	case turnsColumn:
		return int64(v.table.Turns[row])
	case callsColumn:
		return int64(v.table.Calls[row])
	}
	return int64(v.table.Sizes[row])
}

// A key is what rows are sorted by.
type key struct {
	text   string
	number float64
	sort   keySort
}

type keySort uint8

// The order of keys of different sorts, whichever way.
const (
	aNumber keySort = iota
	aText
	missing
)

// sort sorts the rows, which are in the order of file and line.
func (f *Found) sort(keys *scanned) {
	switch o := f.query.Order; {
	case o.Column != "":
		f.sortByColumn()
	case o.Path != "":
		f.sortByPath(keys)
	}
}

// sortByColumn sorts numbers alone: where a row belongs by its column, and behind that where it stood.
func (f *Found) sortByColumn() {
	of := f.places()
	all := make([]uint64, len(f.ids))
	for i, id := range f.ids {
		all[i] = uint64(of(id))<<32 | uint64(i)
	}
	slices.Sort(all)
	ids := make([]ID, len(all))
	for i, packed := range all {
		ids[i] = f.ids[uint32(packed)]
	}
	f.ids = ids
}

// places tells where rows belong by the column of the order, in its direction.
func (f *Found) places() func(ID) uint32 {
	o := f.query.Order
	var columns []*coded
	for _, v := range f.views {
		columns = append(columns, v.words(o.Column))
	}
	if len(columns) > 0 && columns[0] != nil {
		sets := ranks(columns, o.Descending)
		return func(id ID) uint32 { return sets[id.File][columns[id.File].at(int(id.Row))] }
	}
	return func(id ID) uint32 {
		n := uint32(f.views[id.File].number(o.Column, int(id.Row)))
		if o.Descending {
			return ^n
		}
		return n
	}
}

// ranks give each set of words its place among those of all files. Rows without any are the last.
func ranks(columns []*coded, descending bool) (places [][]uint32) {
	var texts []string
	for _, c := range columns {
		for _, set := range c.Sets[min(1, len(c.Sets)):] {
			texts = append(texts, strings.Join(set, ", "))
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	for _, c := range columns {
		of := []uint32{uint32(len(texts))}
		for _, set := range c.Sets[min(1, len(c.Sets)):] {
			if len(set) == 0 {
				of = append(of, uint32(len(texts)))
				continue
			}
			rank, _ := slices.BinarySearch(texts, strings.Join(set, ", "))
			if descending {
				rank = len(texts) - 1 - rank
			}
			of = append(of, uint32(rank))
		}
		places = append(places, of)
	}
	return places
}

// sortByPath sorts by what was read for the order.
func (f *Found) sortByPath(keys *scanned) {
	type keyed struct {
		key
		id ID
	}
	all := make([]keyed, len(f.ids))
	for i, id := range f.ids {
		all[i] = keyed{key{sort: missing}, id}
		if of := keys.keys[id.File]; int(id.Row) < len(of) {
			all[i].key = of[id.Row]
		}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.sort != b.sort {
			return cmp.Compare(a.sort, b.sort)
		}
		by := cmp.Compare(a.number, b.number)
		if by == 0 && a.sort == aText {
			by = strings.Compare(a.text, b.text)
		}
		switch {
		case by == 0:
			return a.id.compare(b.id)
		case f.query.Order.Descending:
			return -by
		}
		return by
	})
	for i := range all {
		f.ids[i] = all[i].id
	}
}

func (a ID) compare(b ID) int {
	if a.File != b.File {
		return cmp.Compare(a.File, b.File)
	}
	return cmp.Compare(a.Row, b.Row)
}

// Len is how many rows there are.
func (f *Found) Len() int { return len(f.ids) }

// Page gives at most n rows from one on, counted from 0.
func (f *Found) Page(from, n int) []Row {
	from = max(0, min(from, len(f.ids)))
	n = max(0, min(n, len(f.ids)-from))
	rows := make([]Row, n)
	for i, id := range f.ids[from : from+n] {
		rows[i] = f.views[id.File].row(int(id.Row))
	}
	return rows
}

// Place is where a row stands among those found, -1 when it is not: for the row before and after.
func (f *Found) Place(id ID) int { return slices.Index(f.ids, id) }

// A Facet is a word of a column with the number of rows that have it.
type Facet struct {
	Word string // "" for rows without any
	Rows int
}

// Facets count the words of a column, most rows first, among the rows that the query finds without its own condition on that
// column. Where files had to be read for the query, that is only those of "file" which it names.
func (f *Found) Facets(column string) []Facet {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, ok := f.facets[column]
	if !ok {
		all = f.count(column)
		f.facets[column] = all
	}
	return slices.Clone(all)
}

func (f *Found) count(column string) (all []Facet) {
	counts := map[string]int{}
	for _, v := range f.views {
		c := v.words(column)
		if c == nil {
			continue
		}
		sets := make([]int, max(1, len(c.Sets)))
		f.each(v, column, func(row int) { sets[c.at(row)]++ })
		for i, n := range sets {
			if n == 0 {
				continue
			}
			if i == 0 || len(c.Sets[i]) == 0 {
				counts[""] += n
				continue
			}
			for _, word := range c.Sets[i] {
				counts[word] += n
			}
		}
	}
	for word, n := range counts {
		all = append(all, Facet{word, n})
	}
	slices.SortFunc(all, func(a, b Facet) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Word, b.Word)) })
	return all
}
