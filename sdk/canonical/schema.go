package canonical

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Schema returns the JSON schema of the tool's input, "" when the row has none. Parameters by name or in a list become the properties
// of an object, types of Python and Gemini those of JSON; unknown ones stay. Members that are null are left out unless null is a value
// there: tables add them to rows that lack a member of another. It reports whether types were replaced and nulls left out.
// No key comes twice: of several the last one counts. What says the same as before keeps its bytes.
func (t ToolSpec) Schema() (schema jsontext.JSON, types, nulls bool) {
	r := schemaReader{Cursor: t.Parameters.Cursor()}
	n := r.parameters()
	if !n.changed {
		return n.source, false, false
	}
	return jsontext.Of(n.append(nil)), r.types, r.nulls
}

// A schemaReader reads schemas as nodes.
type schemaReader struct {
	jsontext.Cursor
	types, nulls bool // types were replaced, nulls left out
	looks        bool // for changes only: nodes have no parts
}

// A node is a schema, or schemas in a list or by name, or another value. Only what changed has parts.
type node struct {
	source  jsontext.JSON
	changed bool
	open    byte // the bracket of the parts
	parts   []part
	places  map[string]int // of many parts by name
	looks   bool           // it has no parts
	seen    uint64         // a bit for each key, which others may share
}

type part struct {
	key   string
	value node
}

// append appends the node as it is now.
func (n *node) append(dst []byte) []byte {
	if !n.changed {
		return append(dst, n.source...)
	}
	dst = append(dst, n.open)
	for i := range n.parts {
		if p := &n.parts[i]; n.open == '{' {
			dst = p.value.append(jsontext.AppendKey(dst, p.key))
		} else {
			dst = p.value.append(jsontext.AppendComma(dst))
		}
	}
	return append(dst, n.open+2) // the other bracket
}

// at returns the index of a member, -1 without one.
func (n *node) at(key string) int {
	if n.places == nil {
		return slices.IndexFunc(n.parts, func(p part) bool { return p.key == key })
	}
	if at, ok := n.places[key]; ok {
		return at
	}
	return -1
}

// set sets a member.
func (n *node) set(key string, value node) {
	const few = 16 // members that are looked through one by one
	n.changed = n.changed || value.changed
	if n.looks { // a key that may have come before is looked at closely, with parts
		bit := uint64(1) << (xxh3.HashString(key) % 64)
		n.changed, n.seen = n.changed || n.seen&bit != 0, n.seen|bit
		return
	}
	if at := n.at(key); at >= 0 {
		n.parts[at].value, n.changed = value, true
		return
	}
	n.parts = append(n.parts, part{key, value})
	switch {
	case n.places != nil:
		n.places[key] = len(n.parts) - 1
	case len(n.parts) == few:
		n.places = map[string]int{}
		for i, p := range n.parts {
			n.places[p.key] = i
		}
	}
}

// What a member of a schema holds.
const (
	noSchema = iota
	oneSchema
	manySchemas
)

func holds(key string, kind byte) int {
	switch key {
	case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies":
		return manySchemas
	case "items", "additionalProperties", "not", "anyOf", "oneOf", "allOf", "prefixItems", "if", "then", "else", "contains",
		"propertyNames", "additionalItems", "unevaluatedItems", "unevaluatedProperties":
		if kind == '[' {
			return manySchemas
		}
		return oneSchema
	}
	return noSchema
}

// schema reads the next value, a schema.
func (r *schemaReader) schema() (n node) {
	if r.Kind() != '{' {
		return node{source: r.Value()}
	}
	start := r.At
	n.open, n.looks = '{', r.looks
	for key := range r.Members() {
		switch kind := r.Kind(); {
		case kind == 'n' && key != "default" && key != "const":
			n.changed, r.nulls = true, true
		case key == "required" && kind != '[': // a mark of the flat form
			n.changed, r.types = true, true
		case key == "type":
			r.typeOf(&n, r.Value())
		case holds(key, kind) == oneSchema:
			n.set(key, r.schema())
		case holds(key, kind) == manySchemas:
			n.set(key, r.schemas())
		default:
			n.set(key, node{source: r.Value()})
		}
	}
	n.source = r.JSON[start:r.At]
	return n
}

// schemas reads the next value, a list of schemas or an object of schemas by name.
func (r *schemaReader) schemas() (n node) {
	start := r.At
	n.looks = r.looks
	switch n.open = r.Kind(); n.open {
	case '{':
		for key := range r.Members() {
			if r.Kind() == 'n' {
				n.changed, r.nulls = true, true
				continue
			}
			n.set(key, r.schema())
		}
	case '[':
		for range r.Elements() {
			if r.Kind() == 'n' {
				n.changed, r.nulls = true, true
				continue
			}
			value := r.schema()
			if n.changed = n.changed || value.changed; !n.looks {
				n.parts = append(n.parts, part{value: value})
			}
		}
	default:
		r.Skip()
	}
	n.source = r.JSON[start:r.At]
	return n
}

// typeOf sets the type of a schema, or the members in the place of one that JSON Schema lacks. What the schema says itself of its items
// and choices counts.
func (r *schemaReader) typeOf(n *node, v jsontext.JSON) {
	members := typeMembers(v)
	if members == "" {
		n.set("type", node{source: v})
		return
	}
	n.changed, r.types = true, true
	for key, value := range jsontext.JSON("{" + strings.TrimPrefix(members, "-") + "}").Members() {
		if key == "type" || n.at(key) < 0 {
			n.set(key, node{source: value})
		}
	}
}
