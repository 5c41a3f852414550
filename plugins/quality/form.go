package quality

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A form is a schema with nothing but what most tools say of their arguments: types, properties, which of them are required, and
// choices. It is read without decoding and knows only what certainly fits, so that the validator sees the other arguments.
type form struct {
	types      []string // any when empty
	properties map[string]*form
	required   []string
	words      []jsontext.Body // that a string may be
	chosen     bool            // it has words
	elements   *form           // of a list; nil: any
	closed     bool            // an object has properties only
	either     []*form         // of which one is enough; none: nothing more is asked
}

// formOf returns the form of a schema, nil when it may say something else.
func formOf(text jsontext.JSON) *form {
	if text.Kind() != '{' || len(text) > maxSize { // each of its values has a byte at least
		return nil
	}
	f := &form{}
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
func (f *form) read(key string, value jsontext.JSON) (ok bool) {
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
		f.chosen = true
		for _, word := range words {
			f.words = append(f.words, jsontext.Quote(word).Body())
		}
		return ok && value.Kind() == '['
	case "items":
		f.elements = formOf(value)
		return f.elements != nil
	case "anyOf":
		for _, of := range value.Elements() {
			if f.either = append(f.either, formOf(of)); f.either[len(f.either)-1] == nil {
				return false
			}
		}
		return len(f.either) > 0
	case "additionalProperties":
		f.closed = value == "false"
		return f.closed || value == "true"
	case "properties":
		f.properties = map[string]*form{}
		for name, of := range value.Members() {
			if f.properties[name] != nil {
				return false
			}
			if f.properties[name] = formOf(of); f.properties[name] == nil {
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

// fits reports whether a value certainly fits.
func (f *form) fits(value jsontext.JSON) bool {
	if f == nil || !f.hasType(value) || f.chosen && (value.Kind() != '"' || !slices.Contains(f.words, value.Body())) {
		return false
	}
	if len(f.either) > 0 && !slices.ContainsFunc(f.either, func(of *form) bool { return of.fits(value) }) {
		return false
	}
	switch value.Kind() {
	case '[':
		for _, e := range value.Elements() {
			if f.elements != nil && !f.elements.fits(e) {
				return false
			}
		}
	case '{':
		missing := uint64(1)<<len(f.required) - 1
		for key, v := range value.Members() {
			of, known := f.properties[key]
			if known && !of.fits(v) || !known && f.closed {
				return false
			}
			if i := slices.Index(f.required, key); i >= 0 {
				missing &^= 1 << i
			}
		}
		return missing == 0
	}
	return true
}

func (f *form) hasType(value jsontext.JSON) bool {
	has := func(name string) bool { return len(f.types) == 0 || slices.Contains(f.types, name) }
	switch value.Kind() {
	case '{':
		return has("object")
	case '[':
		return has("array")
	case '"':
		return has("string")
	case 't', 'f':
		return has("boolean")
	case 'n':
		return has("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return has("number") || has("integer") && !strings.ContainsAny(string(value), ".eE")
	}
	return false
}
