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
	return pythonType(strings.TrimSpace(body.Text()))
}

// pythonType returns the members for a type in the notation of Python, as typeMembers does.
func pythonType(name string) string {
	if rest, optional := cutLast(name, "optional"); optional && strings.HasSuffix(rest, ",") {
		name = strings.TrimSpace(strings.TrimSuffix(rest, ","))
	}
	name = strings.TrimPrefix(name, "typing.")
	outer, inner, _ := strings.Cut(name, "[")
	inner, generic := strings.CutSuffix(inner, "]")
	if !generic {
		if of, item, ok := strings.Cut(name, " of "); ok { // list of str
			outer, inner, generic = of, item, true
		}
	}
	outer = strings.ToLower(strings.TrimSpace(outer))
	switch {
	case generic && outer == "literal":
		return literals(inner)
	case generic && outer == "optional":
		return pythonType(strings.TrimSpace(inner))
	case generic && outer == "union":
		return union(strings.Split(inner, ","))
	case !generic && strings.Contains(name, "|"):
		return union(strings.Split(name, "|"))
	}
	t := types[outer]
	switch {
	case t == "":
		return ""
	case t == "any":
		return "-"
	case t == "array" && generic:
		item, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(inner)), "[")
		if of := types[item]; of != "" && of != "any" {
			return typeMember(t) + `,"items":{` + typeMember(of) + `}`
		}
	}
	return typeMember(t)
}

// cutLast cuts a word off the end of a text, in letters of either case, with the space before it.
func cutLast(text, word string) (rest string, ok bool) {
	at := len(text) - len(word)
	if at < 0 || !strings.EqualFold(text[at:], word) {
		return text, false
	}
	return strings.TrimSpace(text[:at]), true
}

// union returns the members for one of several types: those of the only one beside None, or none, which takes any of them.
func union(names []string) string {
	only := ""
	for _, name := range names {
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "none") || strings.EqualFold(name, "null"):
		case only != "":
			return "-"
		default:
			only = name
		}
	}
	return pythonType(only)
}

// literals returns the members for the strings, or else the values of JSON, that Literal lists.
func literals(list string) string {
	var enum []byte
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(list), ",")) {
		quote := list[0]
		if quote != '\'' && quote != '"' {
			value, rest, _ := strings.Cut(list, ",")
			v, ok := jsontext.Embedded(strings.TrimSpace(value))
			if !ok {
				return ""
			}
			enum, list = append(jsontext.AppendComma(enum), v...), rest
			continue
		}
		end := strings.IndexByte(list[1:], quote)
		if end < 0 {
			return ""
		}
		enum, list = jsontext.AppendString(jsontext.AppendComma(enum), list[1:1+end]), list[end+2:]
	}
	if len(enum) == 0 {
		return ""
	}
	return `"enum":[` + string(enum) + `]`
}

func typeMember(name string) string { return `"type":"` + name + `"` }

var types = map[string]string{
	"object": "object", "array": "array", "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null",
	"dict": "object", "map": "object", "list": "array", "tuple": "array", "set": "array", "str": "string", "int": "integer",
	"float": "number", "double": "number", "long": "integer", "bool": "boolean", "nonetype": "null", "any": "any", "union": "any", "callable": "any",
	"hashmap": "object", "mapping": "object", "ordereddict": "object", "defaultdict": "object",
	"sequence": "array", "iterable": "array", "collection": "array", "frozenset": "array", "arraylist": "array", "ndarray": "array", "np.ndarray": "array",
	"numpy.ndarray": "array", "bytes": "string", "char": "string", "date": "string", "datetime": "string", "time": "string", "uuid": "string",
	"decimal": "number", "short": "integer",
}
