package parquet

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Check finds rows that no file of Parquet holds, whatever the other rows are. One goroutine at a time uses it.
type Check struct{ root *place } // of the columns with a type that is given

// NewCheck returns the check of rows of which some columns have a type that is given, see NewSchema.
func NewCheck(given map[string]Type) *Check { return &Check{NewSchema(&Shape{}, given).root} }

// Row returns the mistake in a row, which is valid JSON, or nil.
func (x *Check) Row(row []byte) (err error) {
	defer recovered(&err)
	c := jsontext.Of(row).Cursor()
	if kind := c.Kind(); kind != '{' {
		return fmt.Errorf("want an object for a row of Parquet, have %s", jsontext.KindName(kind))
	}
	if n := x.root.check(&c); n > maxFields {
		return fmt.Errorf("want at most %d columns, have %d", maxFields, n)
	}
	return nil
}

// check passes over an object, and returns how many members it has.
func (p *place) check(c *jsontext.Cursor) int {
	seen := names{list: make([]string, 0, fewNames)}
	for name := range c.Members() {
		if first, twice := seen.add(name); twice {
			corrupt("%swant each name once in an object, have one name for members %d and %d", p.prefix(), first+1, len(seen.list)+1)
		}
		if !utf8.ValidString(name) {
			corrupt("%swant names that are UTF-8 in an object, have half a pair of surrogates in that of member %d", p.prefix(), len(seen.list))
		}
		if i, given := p.byName[name]; given {
			p.children[i].checkValue(c)
		}
	}
	return len(seen.list)
}

// checkValue passes over a value of a column, or of one with columns below it. Any may be null.
func (p *place) checkValue(c *jsontext.Cursor) {
	switch kind := c.Kind(); {
	case kind == 'n':
		c.Skip()
	case p.kind == groupNode:
		p.want(kind == '{', kind)
		p.check(c)
	case p.kind == listNode:
		p.want(kind == '[', kind)
		for range c.Elements() {
			p.children[0].checkValue(c)
		}
	default:
		p.checkLeaf(c, kind)
	}
}

func (p *place) checkLeaf(c *jsontext.Cursor, kind byte) {
	value := c.Value()
	switch p.typ {
	case JSON:
	case Text:
		body, is := value.Quoted()
		p.want(is, kind)
		p.wantUTF8(body)
	case Bool:
		p.want(kind == 't' || kind == 'f', kind)
	default:
		p.want(isNumeric(kind), kind)
		p.bits(string(value))
	}
}

// fewNames is how many names are looked through one by one.
const fewNames = 16

// names are the names of an object so far.
type names struct {
	list   []string
	places map[string]int // once there are more than a few
}

// add notes a name, or returns the place that it has already.
func (n *names) add(name string) (first int, twice bool) {
	if n.places != nil {
		first, twice = n.places[name]
	} else {
		first = slices.Index(n.list, name)
		twice = first >= 0
	}
	if twice {
		return first, true
	}
	n.list = append(n.list, name)
	switch {
	case n.places != nil:
		n.places[name] = len(n.list) - 1
	case len(n.list) == fewNames:
		n.places = map[string]int{}
		for i, name := range n.list {
			n.places[name] = i
		}
	}
	return 0, false
}
