package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// appendParameters appends a function's schema as JSON Schema, also of a flat map from name to type, and reports a change.
func appendParameters(dst []byte, schema jsontext.JSON) ([]byte, bool) {
	if schema.Kind() != '{' {
		return append(dst, `{"type":"object","properties":{}}`...), true
	}
	typed, flat, empty := false, true, true
	c := jsontext.Cursor{JSON: schema}
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
		dst, _ = canonical.AppendSchema(dst, schema)
		return append(dst[:from], dst[from+1:]...), true
	}
	return canonical.AppendSchema(dst, schema)
}

// appendFlat appends the schema of parameters by name: required without a default, an optional type or "required": false.
func appendFlat(dst []byte, parameters jsontext.JSON) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	var required []byte
	c := jsontext.Cursor{JSON: parameters}
	n := 0
	for key := range c.Members() {
		v := c.Value()
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key), ':')
		dst, _ = canonical.AppendSchema(dst, v)
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

// demanded reports whether a parameter of the flat form is required.
func demanded(parameter jsontext.JSON) bool {
	var kind, fallback, own jsontext.JSON
	c := jsontext.Cursor{JSON: parameter}
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
	return fallback == "" && !strings.Contains(strings.ToLower(string(kind)), "optional")
}
