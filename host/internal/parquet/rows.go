package parquet

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Nulls say what becomes of a member that is null in Parquet, which does not know members that are not there.
type Nulls string

// The ways with nulls. AsWritten is as the file says, when it was written here, and KeepNulls otherwise.
const (
	AsWritten Nulls = ""
	KeepNulls Nulls = "keep"
	DropNulls Nulls = "drop"
)

// blockSize is about how much text is made before it is handed on.
const blockSize = 256 << 10

// An assembler makes lines of rows.
type assembler struct {
	to      io.Writer
	columns []*column
	out     []byte
}

// WriteLines writes the rows of some row groups, from first to the one before end, as lines of JSON. Every now and then done is told how many
// rows are written; its error ends the writing. Memory holds a page of each column and a block of text.
func (f *File) WriteLines(to io.Writer, first, end int, nulls Nulls, done func(rows int64) error) (err error) {
	defer recovered(&err)
	root, err := f.columns()
	if err != nil {
		return err
	}
	f.annotate(root, nulls)
	a := &assembler{to: to, columns: root.columns}
	rows := int64(0)
	for i := first; i < end; i++ {
		if err := a.group(f, i, root, func(n int64) error { return done(rows + n) }); err != nil {
			return fmt.Errorf("row group %d: %w", i, err)
		}
		rows += f.Groups[i].Rows
	}
	return a.flush()
}

func (a *assembler) group(f *File, i int, root *node, done func(int64) error) (err error) {
	defer recovered(&err)
	g := &f.meta.RowGroups[i]
	held := int64(0)
	for k, c := range a.columns {
		c.holds = 0
		c.open(f.from, f.size, &g.Columns[k], &held)
	}
	for row := range g.NumRows {
		a.row(root)
		if len(a.out) >= blockSize {
			if err := a.flush(); err != nil {
				return err
			}
			if err := done(row + 1); err != nil {
				return err
			}
		}
	}
	for _, c := range a.columns {
		if c.more() {
			corrupt("column %s: want the end of its chunk behind %d rows, have more values", shown(c.name), g.NumRows)
		}
	}
	return nil
}

func (a *assembler) row(root *node) {
	for _, c := range a.columns {
		if rep, _ := c.ahead(); rep != 0 {
			corrupt("column %s: want the begin of a row, have the rest of one", shown(c.name))
		}
	}
	a.value(root)
	a.out = append(a.out, '\n')
}

func (a *assembler) flush() error {
	_, err := a.to.Write(a.out)
	a.out = a.out[:0]
	return err
}

// spill hands on what there is of a row that is large.
func (a *assembler) spill() {
	if len(a.out) < 4*blockSize {
		return
	}
	if err := a.flush(); err != nil {
		panic(fault{err})
	}
}

// value appends the value of a node.
func (a *assembler) value(n *node) {
	if len(n.columns) == 0 { // the root of rows without members
		a.out = append(a.out, "{}"...)
		return
	}
	_, def := n.columns[0].ahead()
	switch {
	case def < n.def:
		n.skip()
		a.out = append(a.out, "null"...)
	case n.kind == leafNode:
		c := n.columns[0]
		a.out = c.appendTo(a.out, c.next())
	case n.kind == groupNode:
		a.object(n)
	case def < n.some:
		n.skip()
		a.out = append(a.out, brackets[n.kind]...)
	default:
		a.elements(n)
	}
}

var brackets = [...]string{listNode: "[]", mapNode: "{}"}

// skip passes over a null or an empty list in all columns.
func (n *node) skip() {
	for _, c := range n.columns {
		c.skip()
	}
}

func (a *assembler) object(n *node) {
	a.out = append(a.out, '{')
	first := true
	for _, child := range n.children {
		if child.leaveOut {
			if _, def := child.columns[0].ahead(); def < child.def {
				child.skip()
				continue
			}
		}
		if !first {
			a.out = append(a.out, ',')
		}
		first = false
		a.out = append(a.out, child.key...)
		a.value(child)
		a.spill()
	}
	a.out = append(a.out, '}')
}

func (a *assembler) elements(n *node) {
	a.out = append(a.out, brackets[n.kind][0])
	for {
		if n.kind == mapNode {
			a.mapKey(n.children[0])
			a.value(n.children[1])
		} else {
			a.value(n.children[0])
		}
		rep := n.columns[0].continues()
		if rep > n.rep {
			corrupt("column %s: want a level of repetition up to %d, have %d", shown(n.columns[0].name), n.rep, rep)
		}
		if rep < n.rep {
			break
		}
		a.out = append(a.out, ',')
		a.spill()
	}
	a.out = append(a.out, brackets[n.kind][1])
}

// mapKey appends a key, which is a string whatever it is in Parquet.
func (a *assembler) mapKey(n *node) {
	from := len(a.out)
	a.value(n)
	if key := a.out[from:]; key[0] != '"' {
		quoted := jsontext.AppendString(nil, bytes.Clone(key))
		a.out = append(a.out[:from], quoted...)
	}
	a.out = append(a.out, ':')
}

// metadataKey is where a file written here says what its schema does not.
const metadataKey = "sluice"

// annotate marks what becomes of nulls and of columns of JSON.
func (f *File) annotate(root *node, nulls Nulls) {
	var absent, asJSON []string
	if text, ok := f.value(metadataKey); ok && jsontext.Check(text, 8) == nil {
		for _, path := range text.Get("absent").Elements() {
			absent = append(absent, string(path))
		}
		for _, path := range text.Get("json").Elements() {
			asJSON = append(asJSON, string(path))
		}
	}
	slices.Sort(absent)
	slices.Sort(asJSON)
	var mark func(n *node, path []byte)
	mark = func(n *node, path []byte) {
		if _, is := slices.BinarySearch(asJSON, string(closed(path))); is && n.kind == leafNode && n.columns[0].width == 0 {
			n.columns[0].appendTo = appendJSON
		}
		for _, child := range n.children {
			below := path
			if n.kind == groupNode {
				below = appendPath(slices.Clone(path), child.name)
				_, is := slices.BinarySearch(absent, string(closed(below)))
				child.leaveOut = nulls == DropNulls || nulls == AsWritten && is
			}
			mark(child, below)
		}
	}
	mark(root, nil)
}

// appendPath appends a key to a path, which is an array of the keys from the root on, without its last bracket. Elements of arrays have the
// path of their array.
func appendPath(path []byte, key string) []byte {
	if len(path) == 0 {
		path = append(path, '[')
	} else {
		path = append(path, ',')
	}
	return jsontext.AppendString(path, key)
}

func closed(path []byte) []byte { return append(slices.Clone(path), ']') }
