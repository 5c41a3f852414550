package rows

import (
	"fmt"
	"slices"
	"strings"
)

// A Query says which rows are wanted and in which order. All of its parts must hold.
type Query struct {
	Text    string // is in a string of the row, decoded, whatever the case; in a line that is no JSON: anywhere
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

func (q *Query) check() error {
	known := func(name string, number, either bool) error {
		var names []string
		for _, c := range Columns() {
			if c.Number == number || either {
				names = append(names, c.Name)
			}
		}
		if !slices.Contains(names, name) {
			return fmt.Errorf("want a column (%s), have %q", strings.Join(names, ", "), name)
		}
		return nil
	}
	for _, in := range q.In {
		if err := known(in.Column, false, false); err != nil {
			return err
		}
	}
	for _, b := range q.Between {
		if err := known(b.Column, true, false); err != nil {
			return err
		}
	}
	for _, p := range q.Paths {
		if p.Path == "" {
			return fmt.Errorf("want a path, have an empty one")
		}
		if err := CheckPath(p.Path); err != nil {
			return err
		}
	}
	switch o := q.Order; {
	case o.Column != "" && o.Path != "":
		return fmt.Errorf("want an order by a column or by a path, have %s and %s", o.Column, o.Path)
	case o.Column != "":
		return known(o.Column, false, true)
	}
	return CheckPath(q.Order.Path)
}

// readings returns why the query has to read the files: for its text and paths, and for its order.
func (q *Query) readings() (all []reading) {
	var files []string
	for _, in := range q.In {
		if in.Column == words[fileColumn].Name {
			files = in.Words
		}
	}
	if q.Text != "" || len(q.Paths) > 0 {
		all = append(all, reading{Text: q.Text, Paths: q.Paths, Files: files})
	}
	if q.Order.Path != "" {
		all = append(all, reading{Order: q.Order.Path, Files: files})
	}
	return all
}
