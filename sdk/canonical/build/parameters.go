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
	for key, v := range schema.Members() {
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
	for key, v := range parameters.Members() {
		dst, _ = canonical.AppendSchema(jsontext.AppendKey(dst, key), v)
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
	var kind, fallback, own jsontext.JSON
	for key, v := range parameter.Members() {
		switch key {
		case "type":
			kind = v
		case "default":
			fallback = v
		case "required":
			own = v
		}
	}
	if own == "true" || own == "false" {
		return own == "true"
	}
	return fallback == "" && !strings.Contains(strings.ToLower(string(kind)), "optional")
}
