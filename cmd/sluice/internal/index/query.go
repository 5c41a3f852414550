package index

import "context"

// A Column is what rows may be filtered and sorted by.
type Column struct {
	Name   string
	Doc    string // what it is, a phrase
	Number bool   // it has one number for each row: Between and Order use it. Others have words: In, Order and Facet do.
}

// Columns are all that there are. The words of "file" are the names of the files; those of "beside" are the shapes of rows in
// other files that come of the same record, such as reject and finding.
func Columns() []Column { return nil }

// A Query says which rows are wanted and in which order. All of its parts must hold.
type Query struct {
	Files   []string // names of files; none for all
	Text    string   // stands in a string of the row, decoded, whatever the case; in a line that is no JSON: anywhere
	Paths   []PathIs
	In      []In
	Between []Between
	Order   Order
}

// PathIs holds where a gjson path leads to a value, or to an array with it: text as it is decoded, anything else as it is
// written.
type PathIs struct {
	Path, Value string
	Any         bool // any value will do
}

// In holds where a column has one of some words; "" is to have none.
type In struct {
	Column string
	Words  []string
}

// Between holds where a number is in a range, both ends included.
type Between struct {
	Column   string
	Min, Max int64
}

// An Order is by a column, by a gjson path, or when both are empty by file and line, as ties are too. Numbers come before
// text, and rows without a value last, whichever way.
type Order struct {
	Column, Path string
	Descending   bool
}

// Find gives what is found so far. Parts of a query that columns cannot answer begin to read the files, which goes on when
// Find has returned: ask again for more. What was found is kept, so another filter, order or page reads nothing again. An
// error is a query that is wrong.
func (x *Index) Find(q Query) (*Found, error) { return &Found{}, nil }

// FindAll is Find that waits until everything is found or the context ends, which is no error.
func (x *Index) FindAll(ctx context.Context, q Query) (*Found, error) { return &Found{}, nil }

// Stop ends the reading for a query.
func (x *Index) Stop(q Query) {}

// Found are the rows that a query has found. It does not change.
type Found struct {
	Progress
}

// Progress tells how complete an answer is.
type Progress struct {
	Rows, Of int64 // rows that were looked at, of those that there are so far
	Indexed  bool  // all files are indexed
	Done     bool  // nothing can be added
	Lost     int64 // rows that could not be read again, since their file has changed
}

// Len is how many rows there are.
func (f *Found) Len() int { return 0 }

// Page gives at most n rows from one on, counted from 0.
func (f *Found) Page(from, n int) []Row { return nil }

// Place is where a row stands among those found, -1 when it is not: for the row before and after.
func (f *Found) Place(id ID) int { return -1 }

// A Facet is a word of a column with the number of rows that have it.
type Facet struct {
	Word string // "" for rows without any
	Rows int
}

// Facets count the words of a column, most rows first, among the rows that the query finds without its own condition on that
// column. Where files had to be read for the query, that is only those of "file" which it names.
func (f *Found) Facets(column string) []Facet { return nil }
