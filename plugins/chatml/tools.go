package chatml

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// A toolList is a list of tools as it was written for the rows that share it.
type toolList struct {
	id     uint64 // eliza.Row.ToolsID of those rows
	json   []byte
	opaque int // tools without a schema of their own
}

// tools gives the row's tools as a list of function schemas, empty when there are none. It reads the OpenAI list, the
// list and the map by name of the AI SDK, schemas under any of their names, wrapped in jsonSchema or not, and any of it
// inside a string (R7).
func (c *conversation) tools(r *sdk.Record) ([]byte, error) {
	if c.row.Tools == "" {
		return nil, nil
	}
	list := &c.lists[c.row.ToolsID%eliza.KnownTools]
	if c.row.ToolsID == 0 || list.id != c.row.ToolsID {
		w := toolWriter{dst: list.json[:0]}
		list.id = 0
		if err := w.list(c.row.Tools); err != nil {
			return nil, err
		}
		*list = toolList{id: c.row.ToolsID, json: w.dst, opaque: w.opaque}
	}
	if list.opaque > 0 {
		r.Count("loss.tool_schema", list.opaque)
	}
	if c.noTools && len(list.json) > 0 {
		return nil, sdk.Reject("target_tools", "request.tools", "want a row without tools: the templates of %s do not show them", c.target)
	}
	if c.hidesTools && len(list.json) > 0 {
		r.Count("loss.tools", 1)
	}
	return list.json, nil
}

type toolWriter struct {
	dst    []byte
	opaque int
}

func (w *toolWriter) list(raw string) error {
	list := jsontext.Cursor{Text: unwrap(raw)}
	switch list.Kind() {
	case '[':
		for range list.Elements() {
			if err := w.tool("", list.Value()); err != nil {
				return err
			}
		}
	case '{':
		whole := list.Text
		for key := range list.Members() {
			if value := list.Value(); value[0] != '{' || key == "function" {
				w.dst = w.dst[:0]
				list.Text, list.At = whole, len(whole)
				if err := w.tool("", whole); err != nil { // one tool, not a map of them
					return err
				}
				break
			} else if err := w.tool(key, value); err != nil {
				return err
			}
		}
	case 'n', 0:
	default:
		return badTools("want a list of tools or a map by name, have neither")
	}
	if len(w.dst) > 0 {
		w.dst = append(w.dst, ']')
	}
	return nil
}

func badTools(message string) error { return sdk.Reject("bad_tools", "request.tools", "%s", message) }

// unwrap gives the value, or what is in it when it is a string that holds JSON.
func unwrap(value string) string {
	if body, ok := jsontext.Quoted(value); ok {
		if inner := strings.TrimFunc(jsontext.Unquote(body), jsontext.IsSpace); gjson.Valid(inner) {
			return inner
		}
	}
	return value
}

// tool appends one tool. name is its key in a map by name.
func (w *toolWriter) tool(name, raw string) error {
	raw = unwrap(raw)
	if raw == "" || raw[0] != '{' {
		return badTools("want each tool to be an object")
	}
	spec := toolSpec{name: name}
	spec.read(raw)
	if strings.HasPrefix(spec.function, "{") {
		spec.read(spec.function)
	}
	if jsontext.Blank(spec.name) {
		return badTools("want each tool to have a name")
	}
	open := byte(',')
	if len(w.dst) == 0 {
		open = '['
	}
	w.dst = append(append(w.dst, open), `{"type":"function","function":{"name":"`...)
	w.dst = append(append(w.dst, spec.name...), `","description":"`...)
	w.dst = append(append(w.dst, spec.description...), `","parameters":`...)
	w.schema(spec.schema)
	w.dst = append(w.dst, "}}"...)
	return nil
}

type toolSpec struct {
	name, description string // bodies
	schema, function  string // JSON
}

func (s *toolSpec) read(object string) {
	spec := jsontext.Cursor{Text: object}
	for key := range spec.Members() {
		switch key {
		case "name":
			if body, ok := spec.String(); ok && body != "" {
				s.name = body
			}
		case "description":
			s.description, _ = spec.String()
		case "parameters", "inputSchema", "input_schema", "schema":
			if v := spec.Value(); s.schema == "" || key == "parameters" {
				s.schema = v
			}
		case "function":
			s.function = spec.Value()
		}
	}
}

// schema appends a JSON schema as it stands. A tool of the provider has none, and one of zod is not
// written as such.
func (w *toolWriter) schema(raw string) {
	raw = unwrap(raw)
	members := jsontext.Cursor{Text: raw}
	foreign, open := false, strings.HasPrefix(raw, "{") // open: says nothing about its members
	for key := range members.Members() {
		switch key {
		case "jsonSchema":
			w.schema(members.Value())
			return
		case "def", "_def": // a zod schema, whose JSON is not a JSON schema
			foreign = true
		case "properties", "$ref", "anyOf", "oneOf", "allOf":
			open = false
		}
	}
	if foreign || !strings.HasPrefix(raw, "{") {
		w.opaque++
		raw, open = `{"type":"object","properties":{}}`, false
	}
	w.dst = append(w.dst, raw...)
	if open { // templates iterate the properties
		w.dst = bytes.TrimRight(w.dst[:len(w.dst)-1], " \t\r\n")
		if w.dst[len(w.dst)-1] == '{' {
			w.dst = append(w.dst, `"type":"object"`...)
		}
		w.dst = append(w.dst, `,"properties":{}}`...)
	}
}
