package schema

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// mostText bounds the schemas that ReadForm reads, in bytes.
const mostText = 16 << 10

// ReadForm returns the form of a JSON Schema, draft 2020-12, that says nothing but what most tools say of their arguments: types, properties, which of
// them are required, and choices. It is nil when the text may say something else, or is no schema.
func ReadForm(text jsontext.JSON) *Form {
	if text.Kind() != '{' || len(text) > mostText {
		return nil
	}
	f := &Form{}
	var seen []string
	for key, value := range text.Members() {
		if slices.Contains(seen, key) || !f.read(key, value) {
			return nil
		}
		seen = append(seen, key)
	}
	return f
}

// read reads one member of a schema. It returns false for a member that is no form's.
func (f *Form) read(key string, value jsontext.JSON) (ok bool) {
	switch key {
	case "title", "description":
		return value.Kind() == '"'
	case "default":
		return !strings.ContainsAny(string(value), `$\`) // no reference, which would count as what it leads to
	case "type":
		if f.types, ok = stringsIn(value); !ok || len(f.types) == 0 {
			return false
		}
		return !slices.ContainsFunc(f.types, func(name string) bool { return !slices.Contains(typeNames, name) })
	case "required":
		f.required, ok = stringsIn(value)
		return ok && value.Kind() == '[' && len(f.required) < 64
	case "enum":
		words, ok := stringsIn(value)
		f.words = append([]string{}, words...) // an empty list allows no value
		return ok && value.Kind() == '['
	case "items":
		f.elements = ReadForm(value)
		return f.elements != nil
	case "anyOf":
		for _, of := range value.Elements() {
			if f.either = append(f.either, ReadForm(of)); f.either[len(f.either)-1] == nil {
				return false
			}
		}
		return len(f.either) > 0
	case "additionalProperties":
		f.closed = value == "false"
		return f.closed || value == "true"
	case "properties":
		f.properties = map[string]*Form{}
		for name, of := range value.Members() {
			if f.properties[name] != nil {
				return false
			}
			if f.properties[name] = ReadForm(of); f.properties[name] == nil {
				return false
			}
		}
		return value.Kind() == '{'
	}
	return false
}

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// stringsIn returns the strings of a list, or the one that a value is. It is not ok for other values and for a string that comes twice.
func stringsIn(value jsontext.JSON) (all []string, ok bool) {
	if value.Kind() == '"' {
		return []string{value.Text()}, true
	}
	for _, e := range value.Elements() {
		if e.Kind() != '"' || slices.Contains(all, e.Text()) {
			return nil, false
		}
		all = append(all, e.Text())
	}
	return all, value.Kind() == '['
}
