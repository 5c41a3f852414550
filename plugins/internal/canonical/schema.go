package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
)

// appendParameters appends the schema of a function's arguments as JSON Schema, and tells whether that is another text
// than was given. A flat map from name to type becomes the properties of an object (formats, 3.7).
func appendParameters(dst []byte, schema string) ([]byte, bool) {
	if !strings.HasPrefix(schema, "{") {
		return append(dst, `{"type":"object","properties":{}}`...), true
	}
	typed, flat, empty := false, true, true
	c := jsontext.Cursor{Text: schema}
	for key := range c.Members() {
		v := c.Value()
		empty = false
		switch key {
		case "type":
			typed = typed || v[0] == '"' || v[0] == '['
		case "$ref", "anyOf", "oneOf", "allOf":
			typed = true
		case "properties":
			flat = false
		}
		flat = flat && v[0] == '{'
	}
	switch {
	case empty:
		return append(dst, `{"type":"object","properties":{}}`...), true
	case flat && !typed:
		return appendFlat(dst, schema), true
	case !typed:
		dst = append(dst, `{"type":"object",`...)
		from := len(dst)
		dst, _ = appendSchema(dst, schema)
		return append(dst[:from], dst[from+1:]...), true
	}
	return appendSchema(dst, schema)
}

// appendFlat makes an object schema of parameters by name. A parameter is required unless it has a default, its type
// says optional, or its own "required" says otherwise.
func appendFlat(dst []byte, parameters string) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	var required []byte
	c := jsontext.Cursor{Text: parameters}
	n := 0
	for key := range c.Members() {
		v := c.Value()
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key), ':')
		dst, _ = appendSchema(dst, v)
		if demanded(v) {
			if len(required) > 0 {
				required = append(required, ',')
			}
			required = jsontext.AppendString(required, key)
		}
	}
	dst = append(dst, '}')
	if len(required) > 0 {
		dst = append(append(append(dst, `,"required":[`...), required...), ']')
	}
	return append(dst, '}')
}

// demanded tells whether a parameter of the flat form must be given.
func demanded(parameter string) bool {
	var kind, fallback, own string
	c := jsontext.Cursor{Text: parameter}
	for key := range c.Members() {
		switch key {
		case "type":
			kind = c.Value()
		case "default":
			fallback = c.Value()
		case "required":
			own = c.Value()
		}
	}
	if own == "true" || own == "false" {
		return own == "true"
	}
	return fallback == "" && !strings.Contains(strings.ToLower(kind), "optional")
}

// appendSchema appends a JSON schema with the types of JSON in place of those of Python and of Gemini, and tells
// whether anything changed. What it does not know stays as it is.
func appendSchema(dst []byte, schema string) ([]byte, bool) {
	if schema[0] != '{' {
		return append(dst, schema...), false
	}
	start, changed, n := len(dst), false, 0
	dst = append(dst, '{')
	c := jsontext.Cursor{Text: schema}
	for key := range c.Members() {
		v := c.Value()
		if key == "required" && v[0] != '[' { // null, or a mark of the flat form
			changed = true
			continue
		}
		before := len(dst)
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key), ':')
		var sub bool
		switch key {
		case "type":
			members := typeMembers(v)
			switch {
			case members == "":
				dst, sub = append(dst, v...), false
			case members == "-":
				dst, n, sub = dst[:before], n-1, true
			default:
				dst, sub = append(dst[:len(dst)-len(`"type":`)], members...), true
			}
		case "properties", "$defs", "definitions", "patternProperties":
			dst, sub = appendEach(dst, v)
		case "items", "additionalProperties", "not", "anyOf", "oneOf", "allOf", "prefixItems":
			if v[0] == '[' {
				dst, sub = appendEach(dst, v)
			} else {
				dst, sub = appendSchema(dst, v)
			}
		default:
			dst = append(dst, v...)
		}
		changed = changed || sub
	}
	if !changed { // keeps its spacing
		return append(dst[:start], schema...), false
	}
	return append(dst, '}'), true
}

// appendEach appends an object or array whose values are schemas.
func appendEach(dst []byte, v string) ([]byte, bool) {
	start, changed, n := len(dst), false, 0
	c := jsontext.Cursor{Text: v}
	each := func(key string, named bool) {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		if named {
			dst = append(jsontext.AppendString(dst, key), ':')
		}
		var sub bool
		dst, sub = appendSchema(dst, c.Value())
		changed = changed || sub
	}
	switch c.Kind() {
	case '{':
		dst = append(dst, '{')
		for key := range c.Members() {
			each(key, true)
		}
		dst = append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for range c.Elements() {
			each("", false)
		}
		dst = append(dst, ']')
	}
	if !changed {
		return append(dst[:start], v...), false
	}
	return dst, true
}

// typeMembers gives the members that stand for a type that JSON Schema does not have, "-" when it needs none, "" when
// the type is fine or unknown.
func typeMembers(v string) string {
	body, ok := jsontext.Quoted(v)
	t := types[body]
	switch {
	case !ok || t == body && t != "any":
		return ""
	case t != "" && t != "any":
		return typeMember[t]
	}
	name := strings.ToLower(strings.TrimSpace(body))
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
