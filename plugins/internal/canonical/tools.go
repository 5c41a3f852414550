package canonical

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// tools are the functions a row offers. Rows that follow each other often offer the same, so the last value is kept
// with what came of it.
type tools struct {
	list        string   // a JSON array, or ""
	names       []string // of the functions in list, decoded
	source, out string
	outNames    []string
}

// SetTools takes the tools of a row in any spelling that occurs (render-and-adapters, R7) and keeps them as a list of
// {"type":"function","function":{name, description, parameters}}: lists of functions, wrapped or flat, with their
// schema under parameters, inputSchema, input_schema or schema; objects by name; JSON or Python in a string; types and
// flat parameter maps as Python corpora have them. A list that is in form already keeps its bytes. null and empty
// lists are none. path is where the value stands, for the reject bad_tools.
func (c *Conversation) SetTools(path, value string) error {
	t := &c.tools
	if value != t.source || t.source == "" {
		w := toolWriter{}
		if err := w.read(path, value); err != nil {
			return err
		}
		t.source, t.out, t.outNames = strings.Clone(value), string(w.dst), w.names
		if len(w.names) > 0 {
			t.out = "[" + t.out + "]"
		}
	}
	if t.list, t.names = t.out, append(t.names[:0], t.outNames...); len(t.names) == 0 {
		t.list = ""
	}
	return nil
}

// AddTool adds a function that takes the parameters of a JSON schema, unless one of that decoded name is there.
func (c *Conversation) AddTool(name, parameters string) {
	t := &c.tools
	if c.Knows(name) {
		return
	}
	list := []byte{'['}
	if t.list != "" {
		list = append(append(list[:0], t.list[:len(t.list)-1]...), ',')
	}
	list = jsontext.AppendString(append(list, `{"type":"function","function":{"name":`...), name)
	list = append(append(append(list, `,"parameters":`...), parameters...), "}}]"...)
	t.list, t.names = string(list), append(t.names, name)
}

// HasTools tells whether SetTools found any.
func (c *Conversation) HasTools() bool { return c.tools.list != "" }

// Knows tells whether a decoded name is that of a tool.
func (c *Conversation) Knows(name string) bool {
	return slices.Contains(c.tools.names, name)
}

type toolWriter struct {
	dst   []byte // elements, separated by commas
	names []string
}

func (w *toolWriter) read(path, value string) error {
	c := jsontext.Cursor{Text: value}
	switch c.Kind() {
	case 0, 'n':
		return nil
	case '"':
		body, _ := c.String()
		text := strings.TrimSpace(jsontext.Unquote(body))
		if text == "" {
			return nil
		}
		if !gjson.Valid(text) {
			read, rest, err := calls.Literal(nil, text)
			if err != nil || strings.TrimSpace(rest) != "" {
				return sdk.Reject("bad_tools", path, "want JSON in the string, have something else")
			}
			text = string(read)
		}
		if text[0] == '"' {
			return sdk.Reject("bad_tools", path, "want an array or object in the string, have a string")
		}
		return w.read(path, text)
	case '[':
		for range c.Elements() {
			if err := w.element(path, c.Value()); err != nil {
				return err
			}
		}
		return nil
	case '{':
		return w.object(path, c.Value())
	}
	return sdk.Reject("bad_tools", path, "want an array or object, have another value")
}

// object reads one tool, or tools by name.
func (w *toolWriter) object(path, value string) error {
	c := jsontext.Cursor{Text: value}
	for key := range c.Members() {
		if v := c.Value(); key == "name" && v[0] == '"' || key == "function" && v[0] == '{' {
			return w.element(path, value)
		}
	}
	c = jsontext.Cursor{Text: value}
	for key := range c.Members() {
		v := c.Value()
		if v[0] != '{' {
			return sdk.Reject("bad_tools", path, "want objects by name, have another value among them")
		}
		w.tool(key, v, "")
	}
	return nil
}

func (w *toolWriter) element(path, value string) error {
	switch value[0] {
	case '"': // JSON, or a name alone
		body, _ := jsontext.Quoted(value)
		if text := strings.TrimSpace(jsontext.Unquote(body)); strings.HasPrefix(text, "{") {
			return w.read(path, value)
		} else if text != "" {
			w.tool(text, "{}", "")
		}
		return nil
	case '{':
		f := value
		wrapped := jsontext.Lookup(value, "function")
		if strings.HasPrefix(wrapped, "{") {
			f = wrapped
		}
		name, ok := jsontext.Quoted(jsontext.Lookup(f, "name"))
		if !ok || jsontext.Blank(name) {
			return sdk.Reject("bad_tools", path, "want a name in every tool, have one without")
		}
		whole := ""
		if wrapped != "" && jsontext.Lookup(value, "type") == `"function"` {
			whole = value
		}
		w.tool(jsontext.Unquote(name), f, whole)
		return nil
	}
	return sdk.Reject("bad_tools", path, "want objects, have another value among them")
}

// tool appends one function. whole is the element it stands in when that is in form but for its schema.
func (w *toolWriter) tool(name, function, whole string) {
	if slices.Contains(w.names, name) {
		return
	}
	w.names = append(w.names, name)
	if len(w.dst) > 0 {
		w.dst = append(w.dst, ',')
	}
	var parameters, key, description, others string
	c := jsontext.Cursor{Text: function}
	for k := range c.Members() {
		start := c.At
		switch v := c.Value(); k {
		case "name", "type", "function":
		case "description":
			if v != "null" {
				description = v
			}
		case "parameters", "inputSchema", "input_schema", "schema":
			if v != "null" && (parameters == "" || k == "parameters") {
				parameters, key = v, k
			}
		case "strict", "returns", "response":
			others += `,"` + k + `":` + function[start:c.At]
		}
	}
	if body, ok := jsontext.Quoted(parameters); ok {
		if text := jsontext.Unquote(body); gjson.Valid(text) {
			parameters = text
		}
	}
	if inner := jsontext.Lookup(parameters, "jsonSchema"); strings.HasPrefix(inner, "{") {
		parameters, key = inner, "jsonSchema"
	}
	schema, changed := appendParameters(nil, parameters)
	if whole != "" && !changed && key == "parameters" {
		w.dst = append(w.dst, whole...)
		return
	}
	w.dst = jsontext.AppendString(append(w.dst, `{"type":"function","function":{"name":`...), name)
	w.dst = appendMember(w.dst, "description", description)
	w.dst = append(append(w.dst, `,"parameters":`...), schema...)
	w.dst = append(append(w.dst, others...), "}}"...)
}
