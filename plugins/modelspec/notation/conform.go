package notation

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Conform checks a value against a JSON schema and returns what does not fit, or "". It knows the keywords of tool
// definitions: type, enum, const, properties, required, additionalProperties, items, anyOf, oneOf, allOf, and the bounds of
// numbers, texts and lists. It ignores others, such as references.
func Conform(schema, value jsontext.JSON) string { return conform(schema, value, "", 0) }

// conform checks a value at a path, which begins with a dot.
func conform(schema, value jsontext.JSON, path string, depth int) (fault string) {
	at := "the top"
	if path != "" {
		at = path[1:]
	}
	if schema == "false" {
		return "a value at " + at + " where none may be"
	}
	if schema.Kind() != '{' || depth > maxDepth {
		return ""
	}
	// inner reports whether a value inside breaks a schema inside, and makes that the fault.
	inner := func(schema, value jsontext.JSON, path string) bool {
		fault = conform(schema, value, path, depth+1)
		return fault != ""
	}
	fits := func(alternative jsontext.JSON) bool { return conform(alternative, value, path, depth+1) == "" }
	for _, m := range schema.Unique() {
		want, object := m.Value, value.Kind() == '{'
		switch {
		case m.Key == "type" && !hasType(want, value):
			return "a value of type " + typeOf(value) + " at " + at
		case m.Key == "enum" && !anyElement(want, func(e jsontext.JSON) bool { return equal(e, value) }):
			return "another value than those of the enum at " + at
		case m.Key == "const" && !equal(want, value):
			return "another value than the constant at " + at
		case (m.Key == "anyOf" || m.Key == "oneOf") && !anyElement(want, fits):
			return "a value that fits none of the alternatives at " + at
		case m.Key == "allOf" && anyElement(want, func(e jsontext.JSON) bool { return inner(e, value, path) }):
			return fault
		case m.Key == "items" && want.Kind() == '{':
			for i, e := range value.Elements() {
				if inner(want, e, fmt.Sprintf("%s.%d", path, i)) {
					return fault
				}
			}
		case m.Key == "properties" && object:
			for _, p := range want.Unique() {
				if v := value.Get(p.Key); v != "" && inner(p.Value, v, path+"."+p.Key) {
					return fault
				}
			}
		case m.Key == "required" && object:
			for _, e := range want.Elements() {
				if name := e.Text(); name != "" && value.Get(name) == "" {
					return "no " + strings.TrimPrefix(path+"."+name, ".")
				}
			}
		case m.Key == "additionalProperties" && object:
			known := schema.Get("properties")
			for _, other := range value.Unique() {
				if known.Get(other.Key) == "" && inner(want, other.Value, path+".(another member)") {
					return fault
				}
			}
		case !within(m.Key, want, value):
			return "a value out of bounds at " + at
		}
	}
	return ""
}

// Takes reports whether a schema takes values of a type, "object" or "array". A schema without a type takes what it has keywords for.
func Takes(schema jsontext.JSON, kind string) bool { return takes(schema, kind, 0) }

func takes(schema jsontext.JSON, kind string, depth int) bool {
	if schema.Kind() != '{' || depth > maxDepth {
		return schema != "false"
	}
	typed, members, elements := false, false, false
	for key, value := range schema.Members() {
		taken := func(inner jsontext.JSON) bool { return takes(inner, kind, depth+1) }
		switch key {
		case "type":
			typed = true
			if !namesType(value, kind) {
				return false
			}
		case "anyOf", "oneOf":
			if !anyElement(value, taken) {
				return false
			}
		case "allOf":
			if anyElement(value, func(e jsontext.JSON) bool { return !taken(e) }) {
				return false
			}
		case "properties", "required", "additionalProperties":
			members = true
		case "items", "minItems", "maxItems":
			elements = true
		}
	}
	return typed || members == elements || members == (kind == "object")
}

func anyElement(list jsontext.JSON, holds func(jsontext.JSON) bool) bool {
	for _, e := range list.Elements() {
		if holds(e) {
			return true
		}
	}
	return false
}

// typeOf returns the type of a value in JSON schema.
func typeOf(value jsontext.JSON) string {
	switch value.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// hasType reports whether a value has a type, or one of a list. It has every type that JSON schema does not know.
func hasType(want, value jsontext.JSON) bool {
	if want.Kind() == '[' {
		return anyElement(want, func(name jsontext.JSON) bool { return name.Kind() == '[' || hasType(name, value) })
	}
	switch name := want.Text(); name {
	case "object", "array", "string", "boolean", "null", "number":
		return name == typeOf(value)
	case "integer":
		r, ok := number(value)
		return ok && r.IsInt()
	}
	return true
}

// namesType reports whether a type, or one of a list, is of a name.
func namesType(types jsontext.JSON, name string) bool {
	return types.Text() == name || anyElement(types, func(e jsontext.JSON) bool { return e.Text() == name })
}

// number reads a number whose exponent would not make it huge.
func number(value jsontext.JSON) (*big.Rat, bool) {
	text := string(value)
	if i := strings.IndexAny(text, "eE"); typeOf(value) != "number" || i >= 0 && len(text)-i > 5 || len(text) > 400 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func equal(a, b jsontext.JSON) bool {
	if a.Kind() == '"' && b.Kind() == '"' {
		return a.Body().Is(b.Body())
	}
	return toolschema.Same(a, b)
}

// bounds lists the keywords that bound numbers, texts and lists, with how a value may compare with the bound.
var bounds = map[string][]int{
	"maximum": {-1, 0}, "maxLength": {-1, 0}, "maxItems": {-1, 0}, "exclusiveMaximum": {-1},
	"minimum": {0, 1}, "minLength": {0, 1}, "minItems": {0, 1}, "exclusiveMinimum": {1},
}

// within reports whether a value is within the bound of a keyword, if the keyword bounds values of its type.
func within(key string, want, value jsontext.JSON) bool {
	limit, ok := number(want)
	allowed := bounds[key]
	if !ok || allowed == nil {
		return true
	}
	have := new(big.Rat)
	switch kind := typeOf(value); {
	case kind == "string" && strings.HasSuffix(key, "Length"):
		have.SetInt64(int64(utf8.RuneCountInString(value.Text())))
	case kind == "array" && strings.HasSuffix(key, "Items"):
		n := int64(0)
		for range value.Elements() {
			n++
		}
		have.SetInt64(n)
	case strings.HasSuffix(strings.ToLower(key), "imum"):
		if have, ok = number(value); !ok {
			return true
		}
	default:
		return true
	}
	return slices.Contains(allowed, have.Cmp(limit))
}
