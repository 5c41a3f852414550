package eliza

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A ToolSpec is a tool that a row offers.
type ToolSpec struct {
	Name, Description jsontext.Body
	Schema            jsontext.JSON // JSON schema of its input; empty when the row has none
	Foreign           bool          // the row has something else in its place, such as what zod keeps of a schema
}

// ReadTools reads the tools of a row: the OpenAI list, the list and the map by name of the AI SDK, one tool alone,
// schemas under any of their names, wrapped in jsonSchema or not, and any of it inside a string.
func ReadTools(value jsontext.JSON) (tools []ToolSpec, fault *Fault) {
	c := jsontext.Cursor{JSON: unwrap(value)}
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			tools = append(tools, readTool(c.Value()))
		}
	case '{':
		for key := range c.Members() {
			value := c.Value()
			if value[0] != '{' || key == "function" { // one tool, not a map of them
				tools = []ToolSpec{readTool(c.JSON)}
				break
			}
			t := readTool(value)
			if t.Name == "" {
				t.Name = jsontext.BodyOf(key)
			}
			tools = append(tools, t)
		}
	case 'n', 0:
	default:
		return nil, &Fault{"bad_tools", "request.tools", "want a list of tools or a map by name, have neither"}
	}
	for i, t := range tools {
		if t.Name.Blank() {
			return nil, &Fault{"bad_tools", "request.tools." + strconv.Itoa(i), "want each tool to be an object with a name, have one that is not"}
		}
	}
	return tools, nil
}

// readTool reads one tool. A value that is none has no name.
func readTool(value jsontext.JSON) (t ToolSpec) {
	c := jsontext.Cursor{JSON: unwrap(value)}
	var function, schema jsontext.JSON
	for key := range c.Members() {
		switch key {
		case "name":
			t.Name = c.Value().Body()
		case "description":
			t.Description = c.Value().Body()
		case "parameters", "inputSchema", "input_schema", "schema":
			if v := c.Value(); v != "null" && (schema == "" || key == "parameters") {
				schema = v
			}
		case "function":
			function = c.Value()
		}
	}
	if function.Kind() == '{' {
		inner := readTool(function)
		if inner.Name == "" {
			inner.Name = t.Name
		}
		return inner
	}
	t.Schema, t.Foreign = schemaIn(schema)
	return t
}

// schemaIn takes a JSON schema out of what it is wrapped in.
func schemaIn(value jsontext.JSON) (schema jsontext.JSON, foreign bool) {
	value = unwrap(value)
	c := jsontext.Cursor{JSON: value}
	for key := range c.Members() {
		switch key {
		case "jsonSchema":
			return schemaIn(c.Value())
		case "def", "_def": // a zod schema, whose JSON is not a JSON schema
			foreign = true
		}
	}
	if foreign || value.Kind() != '{' {
		return "", foreign || value != ""
	}
	return value, false
}

// unwrap gives the value, or what is in it when it is a string that holds JSON.
func unwrap(value jsontext.JSON) jsontext.JSON {
	if body, ok := value.Quoted(); ok {
		if inner, ok := body.Embedded(); ok {
			return inner
		}
	}
	return value
}
