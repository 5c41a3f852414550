package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isEmpty reports whether a schema, or a string in its place, says nothing.
func isEmpty(schema jsontext.JSON) bool {
	return schema == "" || schema.Empty() || schema.Kind() == '"' && schema.Body().Blank()
}

// replace counts a schema that another one replaces.
func (w *toolWriter) replace(old, schema jsontext.JSON) {
	if old != "" && old != schema {
		w.again.schemas++
	}
}

// appendParameters appends a function's schema as JSON Schema, also of a flat map from name to type, and reports a change. A word of
// JSON Schema with a value that it does not take there is the name of a parameter.
func (w *toolWriter) appendParameters(dst []byte, schema jsontext.JSON) ([]byte, bool) {
	if schema.Kind() == '[' {
		return w.appendListed(dst, schema), true
	}
	if schema.Kind() != '{' {
		return append(dst, `{"type":"object","properties":{}}`...), true
	}
	typed, flat, empty := false, true, true
	for key, v := range schema.Members() {
		empty = false
		switch key {
		case "type":
			typed = typed || v[0] == '"' || v[0] == '['
		case "$ref":
			typed = typed || v[0] == '"'
		case "anyOf", "oneOf", "allOf":
			typed = typed || v[0] == '['
		case "properties":
			flat = flat && !holdsSchemas(v)
		}
		flat = flat && v[0] == '{'
	}
	switch {
	case empty:
		return append(dst, `{"type":"object","properties":{}}`...), true
	case flat && !typed:
		return w.appendFlat(dst, schema), true
	case !typed:
		dst = append(dst, `{"type":"object",`...)
		from := len(dst)
		dst, _ = w.appendSchema(dst, schema)
		return append(dst[:from], dst[from+1:]...), true
	}
	return w.appendSchema(dst, schema)
}

// holdsSchemas reports whether an object holds schemas only, as properties do.
func holdsSchemas(properties jsontext.JSON) bool {
	for _, v := range properties.Members() {
		if k := v.Kind(); k != '{' && k != 't' && k != 'f' {
			return false
		}
	}
	return true
}

// appendSchema appends a JSON schema, and counts it when it has types that JSON Schema lacks.
func (w *toolWriter) appendSchema(dst []byte, schema jsontext.JSON) ([]byte, bool) {
	dst, changed := canonical.AppendSchema(dst, schema)
	if changed {
		w.again.types++
	}
	return dst, changed
}

// appendFlat appends the schema of parameters by name: required without a default, an optional type or "required": false.
func (w *toolWriter) appendFlat(dst []byte, parameters jsontext.JSON) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	var required []byte
	for key, v := range parameters.Members() {
		dst, _ = w.appendSchema(jsontext.AppendKey(dst, key), v)
		if demanded(v) {
			required = jsontext.AppendString(open(required, len(required), `,"required":[`), key)
		}
	}
	if dst = append(dst, '}'); required != nil {
		dst = append(append(dst, required...), ']')
	}
	return append(dst, '}')
}

// demanded reports whether a parameter of the flat form is required.
func demanded(parameter jsontext.JSON) bool {
	if own := parameter.Get("required"); own == "true" || own == "false" {
		return own == "true"
	}
	return parameter.Get("default") == "" && !strings.Contains(strings.ToLower(string(parameter.Get("type"))), "optional")
}

// IsText reports whether the schema of a tool says that a parameter is a string. Both names are decoded.
func (c *Builder) IsText(tool, parameter string) bool {
	t := &c.tools
	if t.list == "" {
		return false
	}
	if t.properties == nil {
		t.properties = map[string]jsontext.JSON{}
		for _, element := range t.list.Elements() {
			function := element.Get("function")
			t.properties[function.Get("name").Text()] = function.Get("parameters").Get("properties")
		}
	}
	return isText(t.properties[tool].Get(parameter))
}

// isText reports whether a schema is that of strings alone, which may be null.
func isText(schema jsontext.JSON) bool {
	if schema.Kind() != '{' {
		return false
	}
	kinds, alternatives := schema.Get("type"), schema.Get("anyOf")
	if kinds == "" && alternatives.Kind() == '[' {
		texts := false
		for _, one := range alternatives.Elements() {
			if one.Get("type").Text() == "null" {
				continue
			}
			if texts = isText(one); !texts {
				return false
			}
		}
		return texts
	}
	if kinds.Kind() != '[' {
		return kinds.Text() == "string"
	}
	texts := false
	for _, kind := range kinds.Elements() {
		switch kind.Text() {
		case "string":
			texts = true
		case "null":
		default:
			return false
		}
	}
	return texts
}
