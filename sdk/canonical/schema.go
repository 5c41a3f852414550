package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// AppendSchema appends a JSON schema with the types of JSON in place of those of Python and of Gemini, and reports
// whether anything changed. Unknown types stay as they are.
func AppendSchema(dst []byte, schema jsontext.JSON) ([]byte, bool) {
	s, c, at := schemaWriter{text: make([]byte, 0, len(schema))}, schema.Cursor(), 0
	changed := s.write(&c)
	for _, n := range s.same {
		dst = append(append(dst, s.text[at:n.from]...), n.source...)
		at = n.to
	}
	return append(dst, s.text[at:]...), changed
}

// A schemaWriter writes a schema in its own spelling, and notes which parts say what the source says: these keep its bytes.
type schemaWriter struct {
	text []byte
	same []unchanged // in order, the outermost only
}

// An unchanged is a part of the text, from and to being offsets, that says the same as the source.
type unchanged struct {
	from, to int
	source   jsontext.JSON
}

// node writes the next value by write, which reports a change, and notes a value that did not change.
func (s *schemaWriter) node(c *jsontext.Cursor, write func() (changed bool)) bool {
	start, from, before := c.At, len(s.text), len(s.same)
	if write() {
		return true
	}
	s.same = append(s.same[:before], unchanged{from, len(s.text), c.JSON[start:c.At]})
	return false
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

// write writes the next value, a schema, and reports whether it changed.
func (s *schemaWriter) write(c *jsontext.Cursor) bool {
	c.Kind()
	return s.node(c, func() (changed bool) {
		if c.Kind() != '{' {
			s.text = append(s.text, c.Value()...)
			return false
		}
		s.text = append(s.text, '{')
		for key := range c.Members() {
			kind, before, sub := c.Kind(), len(s.text), false
			s.text = jsontext.AppendKey(s.text, key)
			switch held := holds(key, kind); {
			case key == "required" && kind != '[': // null, or a mark of the flat form
				s.text, sub = s.text[:before], true
			case key == "type":
				sub = s.writeType(c.Value(), before)
			case held == oneSchema:
				sub = s.write(c)
			case held == manySchemas:
				sub = s.writeEach(c)
			default:
				s.text = append(s.text, c.Value()...)
			}
			changed = changed || sub
		}
		s.text = append(s.text, '}')
		return changed
	})
}

// writeType writes a type behind its key, or the members that replace both, at before, and reports whether it replaced them.
func (s *schemaWriter) writeType(v jsontext.JSON, before int) bool {
	switch members := typeMembers(v); members {
	case "":
		s.text = append(s.text, v...)
		return false
	case "-":
		s.text = s.text[:before]
	default:
		s.text = append(jsontext.AppendComma(s.text[:before]), members...)
	}
	return true
}

// writeEach writes the next value, a list of schemas or an object of schemas by name, and reports whether one changed.
func (s *schemaWriter) writeEach(c *jsontext.Cursor) bool {
	kind := c.Kind()
	return s.node(c, func() (changed bool) {
		switch kind {
		case '{':
			s.text = append(s.text, '{')
			for key := range c.Members() {
				s.text = jsontext.AppendKey(s.text, key)
				changed = s.write(c) || changed
			}
			s.text = append(s.text, '}')
		case '[':
			s.text = append(s.text, '[')
			for range c.Elements() {
				s.text = jsontext.AppendComma(s.text)
				changed = s.write(c) || changed
			}
			s.text = append(s.text, ']')
		default:
			s.text = append(s.text, c.Value()...)
		}
		return changed
	})
}

// typeMembers returns the members for a type that JSON Schema lacks, "-" when it needs none, "" for any other type.
func typeMembers(v jsontext.JSON) string {
	body, ok := v.Quoted()
	t := types[string(body)]
	switch {
	case !ok || t == string(body) && t != "any":
		return ""
	case t != "" && t != "any":
		return typeMember(t)
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
			return typeMember(t) + `,"items":{` + typeMember(of) + `}`
		}
	}
	return typeMember(t)
}

func typeMember(name string) string { return `"type":"` + name + `"` }

var types = map[string]string{
	"object": "object", "array": "array", "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null",
	"dict": "object", "map": "object", "list": "array", "tuple": "array", "set": "array", "str": "string", "int": "integer",
	"float": "number", "double": "number", "long": "integer", "bool": "boolean", "nonetype": "null", "any": "any", "union": "any", "callable": "any",
}
