package eliza

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
)

// A ToolSpec is a tool that a row offers.
type ToolSpec struct {
	Name, Description string // string bodies
	Schema            string // JSON schema of its input; empty when the row has none
	Foreign           bool   // the row has something else in its place, such as what zod keeps of a schema
}

// ReadTools reads the tools of a row: the OpenAI list, the list and the map by name of the AI SDK, one tool alone,
// schemas under any of their names, wrapped in jsonSchema or not, and any of it inside a string.
func ReadTools(value string) (tools []ToolSpec, fault *Fault) {
	c := jsontext.Cursor{Text: unwrap(value)}
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			tools = append(tools, readTool(c.Value()))
		}
	case '{':
		for key := range c.Members() {
			value := c.Value()
			if value[0] != '{' || key == "function" { // one tool, not a map of them
				tools = []ToolSpec{readTool(c.Text)}
				break
			}
			t := readTool(value)
			if t.Name == "" {
				t.Name = string(jsontext.AppendBody(nil, key))
			}
			tools = append(tools, t)
		}
	case 'n', 0:
	default:
		return nil, &Fault{"bad_tools", "request.tools", "want a list of tools or a map by name, have neither"}
	}
	for i, t := range tools {
		if jsontext.Blank(t.Name) {
			return nil, &Fault{"bad_tools", "request.tools." + strconv.Itoa(i), "want each tool to be an object with a name, have one that is not"}
		}
	}
	return tools, nil
}

// readTool reads one tool. A value that is none has no name.
func readTool(value string) (t ToolSpec) {
	c := jsontext.Cursor{Text: unwrap(value)}
	function, schema := "", ""
	for key := range c.Members() {
		switch key {
		case "name":
			t.Name = jsontext.Body(c.Value())
		case "description":
			t.Description = jsontext.Body(c.Value())
		case "parameters", "inputSchema", "input_schema", "schema":
			if v := c.Value(); v != "null" && (schema == "" || key == "parameters") {
				schema = v
			}
		case "function":
			function = c.Value()
		}
	}
	if strings.HasPrefix(function, "{") {
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
func schemaIn(value string) (schema string, foreign bool) {
	value = unwrap(value)
	c := jsontext.Cursor{Text: value}
	for key := range c.Members() {
		switch key {
		case "jsonSchema":
			return schemaIn(c.Value())
		case "def", "_def": // a zod schema, whose JSON is not a JSON schema
			foreign = true
		}
	}
	if foreign || !strings.HasPrefix(value, "{") {
		return "", foreign || value != ""
	}
	return value, false
}

// unwrap gives the value, or what is in it when it is a string that holds JSON.
func unwrap(value string) string {
	if body, ok := jsontext.Quoted(value); ok {
		if inner := strings.TrimFunc(jsontext.Unquote(body), jsontext.IsSpace); gjson.Valid(inner) {
			return inner
		}
	}
	return value
}
