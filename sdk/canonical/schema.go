package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// AppendSchema appends a JSON schema with the types of JSON in place of those of Python and of Gemini, and reports
// whether anything changed. Unknown types stay as they are.
func AppendSchema(dst []byte, schema jsontext.JSON) ([]byte, bool) {
	var s schemaWriter
	c := schema.Cursor()
	if !s.scan(&c) {
		return append(dst, schema...), false
	}
	s.dst, c = dst, schema.Cursor()
	s.write(&c)
	return s.dst, true
}

// A schemaWriter scans a schema before it writes it, so that each level is read twice, however deep it is.
type schemaWriter struct {
	dst   []byte
	nodes []schemaNode // objects and lists of schemas, in the order in which they begin
	at    int          // the next one to write
}

type schemaNode struct {
	end, next int // where its text ends, and the index of the next node that it does not contain
	changed   bool
}

// scan reads the next value, as write will, and reports whether it changes.
func (s *schemaWriter) scan(c *jsontext.Cursor) bool {
	if c.Kind() != '{' {
		c.Skip()
		return false
	}
	return s.node(c, func() (changed bool) {
		for key := range c.Members() {
			var sub bool
			switch kind := c.Kind(); key {
			case "required":
				sub = kind != '['
			case "type":
				sub = typeMembers(c.Value()) != ""
			default:
				switch holds(key, kind) {
				case oneSchema:
					sub = s.scan(c)
				case manySchemas:
					sub = s.scanEach(c)
				}
			}
			changed = changed || sub
		}
		return changed
	})
}

func (s *schemaWriter) scanEach(c *jsontext.Cursor) bool {
	return s.node(c, func() (changed bool) {
		if c.Kind() == '{' {
			for range c.Members() {
				changed = s.scan(c) || changed
			}
			return changed
		}
		for range c.Elements() {
			changed = s.scan(c) || changed
		}
		return changed
	})
}

func (s *schemaWriter) node(c *jsontext.Cursor, read func() bool) bool {
	i := len(s.nodes)
	s.nodes = append(s.nodes, schemaNode{})
	changed := read()
	s.nodes[i] = schemaNode{c.At, len(s.nodes), changed}
	return changed
}

// What a member of a schema holds.
const (
	noSchema = iota
	oneSchema
	manySchemas
)

func holds(key string, kind byte) int {
	switch key {
	case "properties", "$defs", "definitions", "patternProperties":
		return manySchemas
	case "items", "additionalProperties", "not", "anyOf", "oneOf", "allOf", "prefixItems":
		if kind == '[' {
			return manySchemas
		}
		return oneSchema
	}
	return noSchema
}

// keep appends the text of the next node, unless something in it changed.
func (s *schemaWriter) keep(c *jsontext.Cursor) bool {
	n := s.nodes[s.at]
	s.at++
	if n.changed {
		return false
	}
	s.dst = append(s.dst, c.JSON[c.At:n.end]...)
	c.At, s.at = n.end, n.next
	return true
}

func (s *schemaWriter) write(c *jsontext.Cursor) {
	if c.Kind() != '{' {
		s.dst = append(s.dst, c.Value()...)
		return
	}
	if s.keep(c) {
		return
	}
	s.dst = append(s.dst, '{')
	start := len(s.dst)
	for key := range c.Members() {
		kind, before := c.Kind(), len(s.dst)
		if key == "required" && kind != '[' { // null, or a mark of the flat form
			continue
		}
		if before > start {
			s.dst = append(s.dst, ',')
		}
		if key == "type" {
			s.writeType(c.Value(), before)
			continue
		}
		s.dst = append(jsontext.AppendString(s.dst, key), ':')
		switch holds(key, kind) {
		case oneSchema:
			s.write(c)
		case manySchemas:
			s.writeEach(c)
		default:
			s.dst = append(s.dst, c.Value()...)
		}
	}
	s.dst = append(s.dst, '}')
}

// writeType appends the members for a type. When it needs none, it cuts the text at before.
func (s *schemaWriter) writeType(v jsontext.JSON, before int) {
	switch members := typeMembers(v); members {
	case "":
		s.dst = append(append(s.dst, `"type":`...), v...)
	case "-":
		s.dst = s.dst[:before]
	default:
		s.dst = append(s.dst, members...)
	}
}

func (s *schemaWriter) writeEach(c *jsontext.Cursor) {
	object := c.Kind() == '{'
	if s.keep(c) {
		return
	}
	n := 0
	if object {
		s.dst = append(s.dst, '{')
		for key := range c.Members() {
			if n++; n > 1 {
				s.dst = append(s.dst, ',')
			}
			s.dst = append(jsontext.AppendString(s.dst, key), ':')
			s.write(c)
		}
		s.dst = append(s.dst, '}')
		return
	}
	s.dst = append(s.dst, '[')
	for range c.Elements() {
		if n++; n > 1 {
			s.dst = append(s.dst, ',')
		}
		s.write(c)
	}
	s.dst = append(s.dst, ']')
}

// typeMembers returns the members for a type that JSON Schema lacks, "-" when it needs none, "" for any other type.
func typeMembers(v jsontext.JSON) string {
	body, ok := v.Quoted()
	t := types[string(body)]
	switch {
	case !ok || t == string(body) && t != "any":
		return ""
	case t != "" && t != "any":
		return typeMember[t]
	}
	name := strings.ToLower(strings.TrimSpace(string(body)))
	if rest, optional := strings.CutSuffix(name, "optional"); optional && strings.HasSuffix(strings.TrimSpace(rest), ",") {
		name = strings.TrimSuffix(strings.TrimSpace(rest), ",")
	}
	if inner, ok := strings.CutPrefix(name, "optional["); ok {
		name = strings.TrimSuffix(inner, "]")
	}
	outer, inner, generic := strings.Cut(strings.TrimPrefix(name, "typing."), "[")
	t = types[outer]
	switch {
	case t == "":
		return ""
	case t == "any":
		return "-"
	case t == "array" && generic:
		item, _, _ := strings.Cut(strings.TrimSuffix(inner, "]"), "[")
		if of := types[item]; of != "" && of != "any" {
			return `"type":"array","items":{"type":"` + of + `"}`
		}
	}
	return typeMember[t]
}

var typeMember = map[string]string{
	"object": `"type":"object"`, "array": `"type":"array"`, "string": `"type":"string"`, "number": `"type":"number"`,
	"integer": `"type":"integer"`, "boolean": `"type":"boolean"`, "null": `"type":"null"`,
}

var types = map[string]string{
	"object": "object", "array": "array", "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null",
	"dict": "object", "map": "object", "list": "array", "tuple": "array", "set": "array", "str": "string", "int": "integer",
	"float": "number", "double": "number", "long": "integer", "bool": "boolean", "nonetype": "null", "any": "any", "union": "any", "callable": "any",
}
