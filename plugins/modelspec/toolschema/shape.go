// Package toolschema writes JSON schemas as developers define tools for a model: as a type of TypeScript, as a Python function with
// a docstring, and in prose. It reads all of them back to the same schema, and reports when a language cannot express one. It also
// reads types that people write, the functions of Harmony, and calls in Python.
package toolschema

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// maxDepth bounds how deep a schema nests.
const maxDepth = 32

// A shape is a schema in parts: those that the languages can express, and the rest.
type shape struct {
	types       []string      // of JSON schema; any of several, or anything for none
	either      bool          // the types are an "anyOf"
	choices     []string      // the strings of an enum
	items       *shape        // of an array
	fields      []field       // of an object
	description string        // decoded
	bounds      []bound       // keywords with a phrase
	rest        []string      // other members, as JSON
	defaulted   jsontext.JSON // the value of "default", or ""
}

// A field is a property.
type field struct {
	shape
	name     string
	required bool
}

// A bound is a keyword with its value.
type bound struct {
	*keyword
	value jsontext.JSON
}

// A keyword of JSON schema bounds values. Its phrase has the value between before and behind.
type keyword struct {
	name, before, behind string
	fixed                jsontext.JSON // the only value that the phrase expresses, or ""
}

var keywords = []keyword{
	{"minimum", "at least ", "", ""},
	{"maximum", "at most ", "", ""},
	{"exclusiveMinimum", "more than ", "", ""},
	{"exclusiveMaximum", "less than ", "", ""},
	{"multipleOf", "a multiple of ", "", ""},
	{"minLength", "at least ", " characters", ""},
	{"maxLength", "at most ", " characters", ""},
	{"minItems", "at least ", " items", ""},
	{"maxItems", "at most ", " items", ""},
	{"pattern", "matching ", "", ""},
	{"format", "as ", "", ""},
	{"title", "titled ", "", ""},
	{"uniqueItems", "without repeats", "", "true"},
	{"additionalProperties", "with no other members", "", "false"},
}

// scalars lists the types without parts.
var scalars = []string{"string", "number", "integer", "boolean", "null"}

// shapeOf takes a schema apart; ok is false for what is no schema or nests too deep.
func shapeOf(schema jsontext.JSON, depth int) (s shape, ok bool) {
	if schema.Kind() != '{' || depth > maxDepth {
		return s, false
	}
	var required jsontext.JSON
	for _, m := range schema.Unique() {
		expressed := false
		switch m.Key {
		case "description":
			s.description = m.Value.Text()
			expressed = s.description != ""
		case "type":
			if expressed = s.types == nil; expressed {
				s.types = typesOf(m.Value)
				expressed = s.types != nil
			}
		case "anyOf":
			if expressed = s.types == nil; expressed {
				s.types = alternativesOf(m.Value)
				expressed, s.either = s.types != nil, s.types != nil
			}
		case "enum":
			s.choices = stringsOf(m.Value)
			expressed = s.choices != nil
		case "default":
			s.defaulted, expressed = m.Value, true
		case "required":
			required, expressed = m.Value, true
		case "properties":
			if expressed = !m.Value.Empty() && m.Value.Kind() == '{'; !expressed {
				break
			}
			for _, p := range m.Value.Unique() {
				inner, ok := shapeOf(p.Value, depth+1)
				if !ok {
					return s, false
				}
				s.fields = append(s.fields, field{shape: inner, name: p.Key})
			}
		case "items":
			inner, ok := shapeOf(m.Value, depth+1)
			if !ok {
				return s, false
			}
			s.items, expressed = &inner, true
		default:
			s.bounds, expressed = appendBound(s.bounds, m)
		}
		if !expressed {
			s.rest = append(s.rest, member(m.Key, m.Value))
		}
	}
	return s.settle(schema, required)
}

// settle moves to the rest what the languages can only express together with something that is missing.
func (s shape) settle(schema, required jsontext.JSON) (shape, bool) {
	aside := func(key string) { s.rest = append(s.rest, member(key, schema.Get(key))) }
	only := func(kind string) bool { return len(s.types) == 1 && s.types[0] == kind }
	if s.choices != nil && !only("string") {
		s.choices = nil
		aside("enum")
	}
	if s.items != nil && (!only("array") || !s.items.bare()) {
		s.items = nil
		aside("items")
	}
	if s.fields != nil && !only("object") {
		s.fields = nil
		aside("properties")
	}
	if required != "" && !s.require(stringsOf(required)) {
		aside("required")
	}
	return s, true
}

// require marks the fields of a list as required, if it names some of them in their order.
func (s *shape) require(names []string) bool {
	if len(names) == 0 {
		return false
	}
	marked, next := slices.Clone(s.fields), 0
	for i := range marked {
		if next < len(names) && marked[i].name == names[next] {
			marked[i].required = true
			next++
		}
	}
	if next < len(names) {
		return false
	}
	s.fields = marked
	return true
}

// bare reports whether types and fields are all that the shape has.
func (s *shape) bare() bool {
	return s.description == "" && s.bounds == nil && s.rest == nil && s.defaulted == "" && (s.items == nil || s.items.bare())
}

// members returns the object whose fields are listed: the shape itself, or the elements of its lists.
func (s *shape) members() *shape {
	for s.items != nil {
		s = s.items
	}
	return s
}

func appendBound(bounds []bound, m jsontext.Member) ([]bound, bool) {
	for i := range keywords {
		if k := &keywords[i]; k.name == m.Key && (k.fixed == "" || k.fixed == m.Value) && m.Value.Kind() != '{' && m.Value.Kind() != '[' {
			return append(bounds, bound{k, m.Value}), true
		}
	}
	return bounds, false
}

// typesOf reads a type, or several without parts.
func typesOf(v jsontext.JSON) []string {
	name, names := v.Text(), stringsOf(v)
	switch {
	case slices.Contains(scalars, name) || name == "object" || name == "array":
		return []string{name}
	case areScalars(names):
		return names
	}
	return nil
}

// alternativesOf reads a list of schemas that each have a scalar type and nothing else.
func alternativesOf(v jsontext.JSON) (all []string) {
	for _, alternative := range v.Elements() {
		one := alternative.Unique()
		if len(one) != 1 || one[0].Key != "type" {
			return nil
		}
		all = append(all, one[0].Value.Text())
	}
	if !areScalars(all) {
		return nil
	}
	return all
}

// areScalars reports whether types are several different scalar ones.
func areScalars(types []string) bool {
	for i, kind := range types {
		if !slices.Contains(scalars, kind) || slices.Contains(types[:i], kind) {
			return false
		}
	}
	return len(types) > 1
}

// stringsOf reads a list of different strings, or returns nil.
func stringsOf(v jsontext.JSON) (all []string) {
	seen := map[string]bool{}
	for _, element := range v.Elements() {
		text := element.Text()
		if element.Kind() != '"' || seen[text] {
			return nil
		}
		seen[text] = true
		all = append(all, text)
	}
	return all
}

func member(key string, value jsontext.JSON) string {
	return string(jsontext.AppendString(nil, key)) + ":" + string(value)
}

// schema puts a shape together again.
func (s *shape) schema() jsontext.JSON {
	var all []string
	add := func(key string, value []byte) { all = append(all, member(key, jsontext.JSON(value))) }
	switch {
	case s.either:
		all = append(all, `"anyOf":[{"type":"`+strings.Join(s.types, `"},{"type":"`)+`"}]`)
	case len(s.types) == 1:
		add("type", jsontext.AppendString(nil, s.types[0]))
	case len(s.types) > 1:
		add("type", listOf(s.types))
	}
	if s.choices != nil {
		add("enum", listOf(s.choices))
	}
	if s.items != nil {
		add("items", []byte(s.items.schema()))
	}
	if s.fields != nil {
		var properties, required []string
		for i := range s.fields {
			f := &s.fields[i]
			properties = append(properties, member(f.name, f.schema()))
			if f.required {
				required = append(required, f.name)
			}
		}
		add("properties", []byte("{"+strings.Join(properties, ",")+"}"))
		if required != nil {
			add("required", listOf(required))
		}
	}
	if s.description != "" {
		add("description", jsontext.AppendString(nil, s.description))
	}
	if s.defaulted != "" {
		add("default", []byte(s.defaulted))
	}
	for _, b := range s.bounds {
		add(b.name, []byte(b.value))
	}
	return jsontext.JSON("{" + strings.Join(append(all, s.rest...), ",") + "}")
}

func listOf(texts []string) []byte {
	dst := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, text)
	}
	return append(dst, ']')
}

func compact(schema jsontext.JSON) jsontext.JSON {
	return jsontext.JSON(jsontext.AppendCompact(nil, schema))
}

// Same reports whether two values, such as schemas, are equal but for blanks, escapes and the order of members.
func Same(a, b jsontext.JSON) bool { return sorted(a, 0) == sorted(b, 0) }

func sorted(v jsontext.JSON, depth int) string {
	if depth > 4*maxDepth {
		return string(v)
	}
	var parts []string
	switch v.Kind() {
	case '{':
		for _, m := range v.Unique() {
			parts = append(parts, member(m.Key, jsontext.JSON(sorted(m.Value, depth+1))))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, element := range v.Elements() {
			parts = append(parts, sorted(element, depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case '"':
		return string(jsontext.AppendString(nil, v.Text()))
	}
	return string(v)
}
