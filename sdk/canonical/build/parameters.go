package build

import (
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

// appendSchema appends a function's parameters as their JSON schema, and counts what it replaces in it.
func (w *toolWriter) appendSchema(dst []byte, parameters jsontext.JSON) []byte {
	schema, types, nulls := canonical.ToolSpec{Parameters: parameters}.Schema()
	if types {
		w.again.types++
	}
	if nulls {
		w.again.nulls++
	}
	if schema == "" {
		schema = `{"type":"object","properties":{}}`
	}
	return append(dst, schema...)
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
