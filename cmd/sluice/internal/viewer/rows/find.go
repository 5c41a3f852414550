package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Found are the rows that a query finds. While files are indexed there may be more of them behind each other's last.
type Found struct {
	Progress
	query  Query
	store  *store
	kinds  []kind
	counts map[int64]int // rows of each kind that meet all conditions but those on words
	shares []share       // of the records that have such rows; nil when Facets count rows
	len    int
	from   string // and the rest of the FROM clause
	args   []any
	order  string
}

// Progress says how complete an answer is.
type Progress struct {
	Rows, Of int64 // rows that were looked at, of those that there are so far
	Indexed  bool  // all files are indexed
	Done     bool  // nothing can be added
	Lost     int64 // rows that could not be read again, since their file has changed
}

// Find returns the rows found so far. Parts of a query that columns cannot answer begin to read the files, which goes on when
// Find has returned: ask again for more. What was read is kept, so another filter, order or page reads nothing again. It
// returns an error when the query is wrong.
func (x *Index) Find(q Query) (*Found, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	f := &Found{query: q, order: "r.id"}
	kind := "r.kind"
	if q.Masked {
		kind = "r.masked"
	}
	f.from = "index_row r LEFT JOIN index_kind k ON k.id = " + kind
	var where []string
	var scans []*scan
	for _, of := range q.readings() {
		s := x.reading(of)
		scans = append(scans, s)
		if of.Order != "" {
			f.from += " LEFT JOIN hit o ON o.scan = ? AND o.id = r.id"
			f.args = append(f.args, s.id)
		} else {
			f.from += " JOIN hit h ON h.scan = ? AND h.id = r.id"
			f.args = append(f.args, s.id)
		}
	}
	for _, b := range q.Between {
		where = append(where, q.number(b.Column)+" BETWEEN ? AND ?")
		f.args = append(f.args, b.Min, b.Max)
	}
	x.progress(f, scans)
	f.from += " WHERE " + strings.Join(append(where, "TRUE"), " AND ")
	f.counts = map[int64]int{}
	err := each(f.store.Query("SELECT "+kind+", COUNT(*) FROM "+f.from+" GROUP BY "+kind, f.args...))(func(scan func(...any) error) error {
		var kind int64
		var n int
		err := scan(&kind, &n)
		f.counts[kind] = n
		return err
	})
	if err != nil {
		return nil, err
	}
	f.kinds = f.store.allKinds()
	if q.Records {
		if f.shares, err = f.recordShares(kind); err != nil {
			return nil, err
		}
	}
	var wanted []int64
	for kind, n := range f.counts {
		if f.wants(kind, columns) {
			wanted = append(wanted, kind)
			f.len += n
		}
	}
	if len(q.In) > 0 {
		f.from += " AND " + kind + " IN (SELECT value FROM json_each(?))"
		f.args = append(f.args, strings.ReplaceAll(fmt.Sprint(wanted), " ", ","))
	}
	f.order = q.orderClause()
	return f, nil
}

// FindWithin is Find, but waits until nothing can be added, or for so long.
func (x *Index) FindWithin(ctx context.Context, q Query, most time.Duration) (*Found, error) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	for {
		x.mu.Lock()
		grown := x.grown
		x.mu.Unlock()
		f, err := x.Find(q)
		if err != nil || f.Done {
			return f, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return f, nil
		}
	}
}

// progress sets how complete the answer is, and the store that it comes from.
func (x *Index) progress(f *Found, scans []*scan) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f.store, f.Indexed, f.Done = x.store, true, x.whole
	for _, file := range x.files {
		f.Of += file.Rows
		f.Indexed = f.Indexed && file.Done
	}
	f.Rows = f.Of
	for _, s := range scans {
		total := int64(0)
		for _, file := range x.files {
			if s.of.in(&file.File) {
				total += file.Rows
			}
		}
		f.Rows, f.Of = min(f.Rows, s.rows), min(f.Of, total)
		f.Lost, f.Done = max(f.Lost, s.lost), f.Done && s.done
	}
}

// wants reports whether rows of a kind meet the conditions on words, except those on one column.
func (f *Found) wants(id int64, but column) bool {
	for _, in := range f.query.In {
		name, _ := columnOf(in.Column)
		have := f.kinds[id][name]
		if name != but && !slices.ContainsFunc(have, func(word string) bool { return slices.Contains(in.Words, word) }) &&
			(len(have) > 0 || !slices.Contains(in.Words, "")) {
			return false
		}
	}
	return true
}

// orderClause returns the order in SQL.
func (q *Query) orderClause() string {
	o, key, direction := q.Order, "", " ASC, "
	if o.Descending {
		direction = " DESC, "
	}
	switch _, text := columnOf(o.Column); {
	case o.Path != "":
		key = "o.key IS NULL, typeof(o.key) = 'text', o.key"
	case text:
		key = fmt.Sprintf("k.%[1]q IS NULL, k.%[1]q", o.Column)
	case o.Column == scoreColumn:
		key = "r.score IS NULL, r.score"
	case o.Column != "":
		key = q.number(o.Column)
	default:
		return "r.id"
	}
	return key + direction + "r.id"
}

// Len returns how many rows there are.
func (f *Found) Len() int { return f.len }

// Page returns at most n rows from one on, counted from 0.
func (f *Found) Page(from, n int) ([]Row, error) {
	return f.store.rows(f.from+" ORDER BY "+f.order+" LIMIT ? OFFSET ?", append(slices.Clone(f.args), max(0, n), max(0, from))...)
}

// Place returns where a row is among those found, -1 when it is not: for the row before and after.
func (f *Found) Place(id ID) (at int, err error) {
	at = -1
	query := "SELECT at - 1 FROM (SELECT r.id, ROW_NUMBER() OVER (ORDER BY " + f.order + ") AS at FROM " + f.from + ") WHERE id = ?"
	err = each(f.store.Query(query, append(slices.Clone(f.args), id.key())...))(func(scan func(...any) error) error { return scan(&at) })
	return at, err
}

// A Facet is a word of a column with the number of rows, or of records, that have it.
type Facet struct {
	Word string // "" for rows without any
	Rows int
}

// Facets counts the words of a column, most rows first, among the rows that the query finds without its own condition on that
// column. Where files had to be read for the query, those are only the ones of "file" and "outcome" which it names. With Query.Records
// it counts the records of these rows.
func (f *Found) Facets(name string) (all []Facet) {
	of, ok := columnOf(name)
	if !ok {
		return nil
	}
	counts := map[string]int{}
	if f.query.Records {
		counts = f.countRecords(of)
	} else {
		for kind, n := range f.counts {
			if f.wants(kind, of) {
				f.eachWord(kind, of, func(word string) { counts[word] += n })
			}
		}
	}
	for word, n := range counts {
		all = append(all, Facet{word, n})
	}
	slices.SortFunc(all, func(a, b Facet) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Word, b.Word)) })
	return all
}

// eachWord calls for the words that rows of a kind have in a column, or once for none.
func (f *Found) eachWord(kind int64, of column, call func(word string)) {
	words := f.kinds[kind][of]
	if len(words) == 0 {
		call("")
	}
	for _, word := range words {
		call(word)
	}
}
