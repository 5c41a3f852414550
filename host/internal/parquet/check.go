package parquet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Check finds rows that no file of Parquet holds, whatever the other rows are. One goroutine at a time uses it.
type Check struct {
	root *place // of the columns with a type that is given
	at   int    // where in the row the value begins that is looked at
}

// NewCheck returns the check of rows of which some columns have a type that is given, see NewSchema.
func NewCheck(given map[string]Type) *Check { return &Check{root: NewSchema(&Shape{}, given).root} }

// Row returns the mistake in a row, which is valid JSON, and the gjson path of the value that it is in, or nil.
func (x *Check) Row(row []byte) (path string, err error) {
	if err = x.row(row); err != nil {
		path = pathAt(row, x.at)
	}
	return path, err
}

func (x *Check) row(row []byte) (err error) {
	defer recovered(&err)
	c := jsontext.Of(row).Cursor()
	x.at = 0
	if kind := c.Kind(); kind != '{' {
		return fmt.Errorf("want an object for a row of Parquet, have %s", jsontext.KindName(kind))
	}
	if n := x.object(x.root, &c); n > maxFields {
		return fmt.Errorf("want at most %d columns, have %d", maxFields, n)
	}
	return nil
}

// object passes over an object, and returns how many members it has.
func (x *Check) object(p *place, c *jsontext.Cursor) int {
	start := c.At
	seen := names{list: make([]string, 0, fewNames)}
	for name := range c.Members() {
		if first, twice := seen.add(name); twice {
			x.at = start
			corrupt("%swant each name once in an object, have one name for members %d and %d", p.prefix(), first+1, len(seen.list)+1)
		}
		if !utf8.ValidString(name) {
			x.at = start
			corrupt("%swant names that are UTF-8 in an object, have half a pair of surrogates in that of member %d", p.prefix(), len(seen.list))
		}
		if i, given := p.byName[name]; given {
			x.value(p.children[i], c)
		}
	}
	x.at = start
	return len(seen.list)
}

// value passes over a value of a column, or of one with columns below it. Any may be null.
func (x *Check) value(p *place, c *jsontext.Cursor) {
	kind := c.Kind()
	x.at = c.At
	switch {
	case kind == 'n':
		c.Skip()
	case p.kind == groupNode:
		p.want(kind == '{', kind)
		x.object(p, c)
	case p.kind == listNode:
		p.want(kind == '[', kind)
		for range c.Elements() {
			x.value(p.children[0], c)
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

// pathAt returns the gjson path of the value that begins at an offset of a row.
func pathAt(row []byte, at int) string {
	c := jsontext.Of(row).Cursor()
	holds := func() bool { // whether the value at the cursor is the one, or has it inside
		behind := c
		behind.Skip()
		return at < behind.At
	}
	var path []string
	for c.Kind(); c.At < at; c.Kind() {
		known := len(path)
		if c.Kind() == '[' {
			for i := range c.Elements() {
				if holds() {
					path = append(path, strconv.Itoa(i))
					break
				}
			}
		} else {
			for name := range c.Members() {
				if holds() {
					path = append(path, gjson.Escape(name))
					break
				}
			}
		}
		if len(path) == known {
			break
		}
	}
	return strings.Join(path, ".")
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
