package chatml

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Some templates write a parameter's type in Python. They know six names, and recurse without end at any other, null among them.
var (
	namedTypes = []jsontext.Body{"string", "number", "integer", "boolean", "array", "object"}
	jsonTypes  = append(namedTypes[:len(namedTypes):len(namedTypes)], "null")
)

// fitTypes replaces types of the schema that ends the list, where the target cannot show them: an anyOf of the same types says the same.
func (w *toolWriter) fitTypes(start int) error {
	if w.types == "" || schemaShows(jsontext.Of(w.dst[start:])) {
		return nil
	}
	schema := jsontext.JSON(string(w.dst[start:]))
	w.dst = append(w.dst[:start], '{')
	for key, v := range schema.Members() {
		w.dst = jsontext.AppendKey(w.dst, key)
		if key != "properties" || v.Kind() != '{' {
			w.dst = append(w.dst, v...)
			continue
		}
		w.dst = append(w.dst, '{')
		for name, parameter := range v.Members() {
			w.dst = jsontext.AppendKey(w.dst, name)
			if err := w.parameter(parameter); err != nil {
				return err
			}
		}
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, '}')
	return nil
}

// parameter appends the schema of a parameter, or of the members of one that is a map.
func (w *toolWriter) parameter(schema jsontext.JSON) error {
	if parameterShows(schema) {
		w.dst = append(w.dst, schema...)
		return nil
	}
	w.dst = append(w.dst, '{')
	for key, v := range schema.Members() {
		switch {
		case key == "type" && !typeShows(v):
			if err := w.anyOf(v, schema); err != nil {
				return err
			}
		case key == "additionalProperties" && typeShows(schema.Get("type")):
			w.dst = jsontext.AppendKey(w.dst, key)
			if err := w.parameter(v); err != nil {
				return err
			}
		default:
			w.dst = append(jsontext.AppendKey(w.dst, key), v...)
		}
	}
	w.dst = append(w.dst, '}')
	return nil
}

// anyOf appends the types of a parameter as an anyOf.
func (w *toolWriter) anyOf(types, schema jsontext.JSON) error {
	reject := func(have string) error {
		return sdk.Reject("target_tools", "request.tools", "want types of parameters that the target's templates show, have %s", have)
	}
	if w.types != "anyOf" || schema.Get("anyOf") != "" {
		return reject("one that they do not, such as null")
	}
	w.dst = append(jsontext.AppendKey(w.dst, "anyOf"), '[')
	if types.Kind() != '[' {
		types = "[" + types + "]"
	}
	for _, v := range types.Elements() {
		if name, ok := v.Quoted(); !ok || !slices.ContainsFunc(jsonTypes, name.Is) {
			return reject("one that JSON Schema does not have")
		}
		w.dst = append(append(append(jsontext.AppendComma(w.dst), `{"type":`...), v...), '}')
	}
	w.dst = append(w.dst, ']')
	w.lost.anyOf++
	return nil
}

func schemaShows(schema jsontext.JSON) bool {
	for key, v := range schema.Members() {
		if key != "properties" || v.Kind() != '{' {
			continue
		}
		for _, parameter := range v.Members() {
			if !parameterShows(parameter) {
				return false
			}
		}
	}
	return true
}

func parameterShows(schema jsontext.JSON) bool {
	for schema.Kind() == '{' {
		t := schema.Get("type")
		if !typeShows(t) {
			return false
		}
		if name, ok := t.Quoted(); !ok || !name.Is("object") {
			return true
		}
		schema = schema.Get("additionalProperties")
	}
	return true
}

// typeShows reports whether a type is among those that have a name, as are all of a list.
func typeShows(t jsontext.JSON) bool {
	switch t.Kind() {
	case '"':
		name, _ := t.Quoted()
		return slices.ContainsFunc(namedTypes, name.Is)
	case '[':
		for _, v := range t.Elements() {
			if !typeShows(v) {
				return false
			}
		}
	case '{':
		return false
	}
	return true
}
