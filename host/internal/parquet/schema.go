package parquet

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

const (
	maxSchemaDepth = 100
	maxColumns     = 1 << 16
)

// A nodeKind is how a node of a schema stands in JSON.
type nodeKind uint8

const (
	leafNode  nodeKind = iota
	groupNode          // an object
	listNode           // an array of its child
	mapNode            // an object with keys and values of its children
)

// A node is a part of a schema, as it is read. Levels are those of Parquet: how many of the optional and repeated nodes on the
// way to a value are there, and which of the repeated ones it continues.
type node struct {
	kind     nodeKind
	name     string
	key      []byte // "name":
	def      uint8  // definition level from which on it is there
	rep      uint8  // of a list or a map: repetition level of its elements
	some     uint8  // of a list or a map: definition level from which on it has any
	children []*node
	columns  []*column // below it, in order
	leaveOut bool      // of an object's member: left out when it is null
}

// A builder makes the nodes of a schema, which is a list of its elements in order.
type builder struct {
	elements []format.SchemaElement
	at       int
	columns  []*column
}

// columns returns the columns of a file, all below the root.
func (f *File) columns() (root *node, err error) {
	if len(f.meta.Schema) == 0 {
		return nil, fmt.Errorf("want a schema, have no element of one")
	}
	b := &builder{elements: f.meta.Schema}
	if root, err = b.group(b.take(), 0, 0, 0); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if b.at < len(b.elements) {
		return nil, fmt.Errorf("schema: want %d elements, have %d", b.at, len(b.elements))
	}
	for i := range f.meta.RowGroups {
		if have := len(f.meta.RowGroups[i].Columns); have != len(b.columns) {
			return nil, fmt.Errorf("row group %d: want %d columns, as the schema has, have %d", i, len(b.columns), have)
		}
	}
	return root, nil
}

func (b *builder) take() *format.SchemaElement {
	if b.at == len(b.elements) {
		corrupt("schema: want more than %d elements, have the end", b.at)
	}
	b.at++
	return &b.elements[b.at-1]
}

// next makes the node of the next element and of all below it.
func (b *builder) next(def, rep uint8, depth int) (*node, error) {
	e := b.take()
	switch e.RepetitionType.V {
	case format.Optional:
		return b.body(e, def+1, rep, depth)
	case format.Repeated: // outside of a list
		return b.list(e, def, rep, func() (*node, error) { return b.body(e, def+1, rep+1, depth) })
	}
	return b.body(e, def, rep, depth)
}

// body makes a node without its own repetition. Each level of a schema passes here, with at most two of definition, which have a byte.
func (b *builder) body(e *format.SchemaElement, def, rep uint8, depth int) (*node, error) {
	if depth > maxSchemaDepth {
		return nil, fmt.Errorf("want at most %d levels, have more", maxSchemaDepth)
	}
	if e.Type.Valid {
		return b.leaf(e, def, rep)
	}
	list, mapping := isList(e), isMap(e)
	if (list || mapping) && e.NumChildren.V == 1 && b.at < len(b.elements) && b.elements[b.at].RepetitionType.V == format.Repeated {
		inner := b.elements[b.at].NumChildren.V
		switch {
		case list:
			return b.list(e, def, rep, func() (*node, error) { return b.element(e, def+1, rep+1, depth+1) })
		case inner == 2 && b.at+1 < len(b.elements) && b.elements[b.at+1].Type.Valid && b.elements[b.at+1].RepetitionType.V != format.Repeated:
			return b.mapping(e, def, rep, depth)
		}
	}
	return b.group(e, def, rep, depth)
}

func isList(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.ListType)
	return is || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

func isMap(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.MapType)
	return is || e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map || e.ConvertedType.V == deprecated.MapKeyValue)
}

// element makes the node of a list's elements. Most writers have two nodes for it, a repeated one and the element; older ones have one,
// which shows by its name or its children.
func (b *builder) element(list *format.SchemaElement, def, rep uint8, depth int) (*node, error) {
	e := b.take()
	if e.Type.Valid || e.NumChildren.V != 1 || e.Name == "array" || e.Name == list.Name+"_tuple" {
		return b.body(e, def, rep, depth)
	}
	return b.next(def, rep, depth+1)
}

func (b *builder) list(e *format.SchemaElement, def, rep uint8, element func() (*node, error)) (*node, error) {
	n := newNode(listNode, e, def)
	n.rep, n.some = rep+1, def+1
	child, err := element()
	if err != nil {
		return nil, err
	}
	n.add(child)
	return n, nil
}

func (b *builder) mapping(e *format.SchemaElement, def, rep uint8, depth int) (*node, error) {
	n := newNode(mapNode, e, def)
	n.rep, n.some = rep+1, def+1
	b.take()
	for range 2 {
		child, err := b.next(def+1, rep+1, depth+2)
		if err != nil {
			return nil, err
		}
		n.add(child)
	}
	return n, nil
}

func (b *builder) group(e *format.SchemaElement, def, rep uint8, depth int) (*node, error) {
	n := newNode(groupNode, e, def)
	seen := map[string]bool{}
	for range e.NumChildren.V {
		child, err := b.next(def, rep, depth+1)
		if err != nil {
			return nil, err
		}
		if seen[child.name] {
			return nil, fmt.Errorf("%s: want columns with names of their own, have two named %q", shown(e.Name), shown(child.name))
		}
		seen[child.name] = true
		n.add(child)
	}
	if len(n.columns) == 0 && depth > 0 {
		return nil, fmt.Errorf("%s: want a group with columns, have 0 columns", shown(e.Name))
	}
	return n, nil
}

// shown returns the name of a node for a message.
func shown(name string) string { return fmt.Sprintf("%.100q", strings.ToValidUTF8(name, "\uFFFD")) }

func newNode(kind nodeKind, e *format.SchemaElement, def uint8) *node {
	return &node{kind: kind, name: e.Name, key: append(jsontext.AppendString(nil, e.Name), ':'), def: def}
}

func (n *node) add(child *node) {
	n.children = append(n.children, child)
	n.columns = append(n.columns, child.columns...)
}

func (b *builder) leaf(e *format.SchemaElement, def, rep uint8) (*node, error) {
	if len(b.columns) == maxColumns {
		return nil, fmt.Errorf("want at most %d columns, have more", maxColumns)
	}
	c := &column{name: e.Name, def: def, rep: rep, kind: e.Type.V}
	var err error
	if c.width, err = widthOf(e); err != nil {
		return nil, fmt.Errorf("column %s: %w", shown(e.Name), err)
	}
	c.appendTo = formOf(e, c.width)
	b.columns = append(b.columns, c)
	n := newNode(leafNode, e, def)
	n.columns = []*column{c}
	return n, nil
}
