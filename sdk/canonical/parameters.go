package canonical

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

const noParameters = `{"type":"object","properties":{}}`

// parameters reads what a tool says of its input. A word of JSON Schema with a value that it does not take there is the name of a parameter.
func (r *schemaReader) parameters() node {
	switch r.Kind() {
	case '[':
		return r.listed()
	case '{':
	default:
		return node{}
	}
	typed, flat, empty := false, true, true
	for key, v := range r.JSON[r.At:].Members() {
		kind := v.Kind()
		if kind == 'n' {
			continue
		}
		empty = false
		switch key {
		case "type":
			typed = typed || kind == '"' || kind == '['
		case "$ref":
			typed = typed || kind == '"'
		case "anyOf", "oneOf", "allOf":
			typed = typed || kind == '['
		case "properties":
			flat = flat && !holdsSchemas(v)
		}
		flat = flat && kind == '{'
	}
	switch {
	case empty:
		r.nulls = !r.JSON[r.At:].Empty()
		return made(noParameters)
	case flat && !typed:
		return r.byName()
	}
	if typed { // most are schemas that stay as they are
		look := schemaReader{Cursor: r.Cursor, looks: true}
		if n := look.schema(); !n.changed {
			return n
		}
	}
	return r.ofObject()
}

// made returns a node for a text that is not the source's.
func made(text string) node {
	r := schemaReader{Cursor: jsontext.JSON(text).Cursor()}
	n := r.schema()
	n.changed = true
	return n
}

// holdsSchemas reports whether an object holds schemas only, as properties do.
func holdsSchemas(properties jsontext.JSON) bool {
	for _, v := range properties.Members() {
		if k := v.Kind(); k != '{' && k != 't' && k != 'f' && k != 'n' {
			return false
		}
	}
	return true
}

// ofObject reads the next value as a schema, which is that of an object unless it says otherwise.
func (r *schemaReader) ofObject() node {
	n := r.schema()
	for _, key := range [...]string{"type", "$ref", "anyOf", "oneOf", "allOf"} {
		if n.at(key) >= 0 {
			return n
		}
	}
	n.changed = true
	n.parts = slices.Insert(n.parts, 0, part{"type", node{source: `"object"`}})
	return n
}

// byName reads the next value, parameters by name: required without a default, an optional type or "required": false.
func (r *schemaReader) byName() node {
	properties := r.schemas()
	var required []byte
	for _, p := range properties.parts {
		if demanded(p.value.source) {
			required = jsontext.AppendString(jsontext.AppendComma(required), p.key)
		}
	}
	return object(properties, required)
}

// demanded reports whether a parameter of the flat form is required.
func demanded(parameter jsontext.JSON) bool {
	if own := parameter.Get("required"); own == "true" || own == "false" {
		return own == "true"
	}
	return parameter.Get("default") == "" && !strings.Contains(strings.ToLower(string(parameter.Get("type"))), "optional")
}

// object returns the schema of an object. required are the names of those that it must have, with commas between.
func object(properties node, required []byte) node {
	n := made(`{"type":"object"}`)
	n.set("properties", properties)
	if required != nil {
		n.set("required", node{source: "[" + jsontext.JSON(required) + "]"})
	}
	return n
}

// isListed reports whether a list is one of parameters: it has one with a name, or is empty, as PHP writes an empty object.
func isListed(list jsontext.JSON) bool {
	for _, p := range list.Elements() {
		if p.Get("name").Text() != "" {
			return true
		}
	}
	return list.Empty()
}

// listed reads the next value, parameters in a list, each an object with its name, as Qwen-Agent has them.
func (r *schemaReader) listed() node {
	list := r.Value()
	switch {
	case list.Empty():
		return made(noParameters)
	case !isListed(list):
		return node{}
	}
	properties := node{changed: true, open: '{'}
	var required []byte
	for _, p := range list.Elements() {
		name := p.Get("name").Text()
		if name == "" {
			continue
		}
		schema := []byte("{")
		for key, v := range p.Members() {
			if key != "name" && key != "schema" && (key != "required" || v.Kind() == '[') {
				schema = append(jsontext.AppendKey(schema, key), v...)
			}
		}
		for key, v := range p.Get("schema").Members() {
			schema = append(jsontext.AppendKey(schema, key), v...)
		}
		inner := schemaReader{Cursor: jsontext.Of(append(schema, '}')).Cursor()}
		properties.set(name, inner.schema())
		r.types, r.nulls = r.types || inner.types, r.nulls || inner.nulls
		if p.Get("required") == "true" {
			required = jsontext.AppendString(jsontext.AppendComma(required), name)
		}
	}
	return object(properties, required)
}
