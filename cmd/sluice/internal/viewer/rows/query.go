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
	Masked  bool // all but the words of "file" and "outcome" are those that Options.Mask leaves of a row
	Records bool // Facets count records instead of rows
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

// Between holds where a number is in a range, both ends included. An end may be infinite.
type Between struct {
	Column   string
	Min, Max float64
}

// An Order is by a column, by a gjson path, or when both are empty by file and line, as ties are too. Numbers come before
// text, and rows without a value last, in either direction.
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
	of := reading{Masked: q.Masked}
	for _, in := range q.In {
		switch in.Column {
		case words[fileColumn].Name:
			of.Files = in.Words
		case words[outcome].Name:
			of.Outcomes = in.Words
		}
	}
	if q.Text != "" || len(q.Paths) > 0 {
		scan := of
		scan.Text, scan.Paths = q.Text, q.Paths
		all = append(all, scan)
	}
	if q.Order.Path != "" {
		scan := of
		scan.Order = q.Order.Path
		all = append(all, scan)
	}
	return all
}

const longestPath = 1 << 10

// CheckPath returns an error for a gjson path that is too long, or of which a part makes values instead of leading to one,
// since a few of such parts can make more than memory holds. The empty path, which leads to the whole row, is right.
func CheckPath(path string) error {
	if len(path) > longestPath {
		return fmt.Errorf("want a path of at most %d bytes, have %d", longestPath, len(path))
	}
	begins, queried := true, false // a part begins here; it is the path of a query
	for i := range len(path) {
		switch c := path[i]; {
		case c == '.' || c == '|': // escaped ones too: which of them divide depends on the row
			begins, queried = true, false
		case begins && (c == '@' || c == '[' || c == '{' || c == '!' && !queried):
			return fmt.Errorf(`want a path of names, numbers and queries, have %q, where a name is written with \%c`, path[i:], c)
		case c == '(' || c == '[':
			begins, queried = true, true
		case c > ' ':
			begins = false
		}
	}
	return nil
}

// ParsePathIs reads PATH=VALUE, or PATH alone for any value. A '=' in the parentheses of a path belongs to it.
func ParsePathIs(text string) PathIs {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '=' && depth <= 0 && i > 0:
			return PathIs{Path: text[:i], Value: text[i+1:]}
		}
	}
	return PathIs{Path: text, Any: true}
}

// String returns the text that ParsePathIs reads, PATH=VALUE or PATH.
func (p PathIs) String() string {
	if p.Any {
		return p.Path
	}
	return p.Path + "=" + p.Value
}
