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
	list  string   // a JSON array, or ""
	names []string // of the functions in list, decoded

	source, decoded []byte // the last value, and what is in it when it is a string
	out             []byte // the list that came of it
	outNames        []string
	added           []byte // the list with what AddTool added
}

// SetTools takes the tools of a row in any spelling that occurs (render-and-adapters, R7) and keeps them as a list of
// {"type":"function","function":{name, description, parameters}}: lists of functions, wrapped or flat, with their
// schema under parameters, inputSchema, input_schema or schema; objects by name; JSON or Python in a string; types and
// flat parameter maps as Python corpora have them. A list that is in form already keeps its bytes. null and empty
// lists are none. path is where the value stands, for the reject bad_tools.
func (c *Conversation) SetTools(path, value string) error {
	t := &c.tools
	if value == "" || value != string(t.source) {
		if err := t.read(path, value); err != nil {
			t.source = t.source[:0]
			return err
		}
	}
	if t.list, t.names = "", append(t.names[:0], t.outNames...); len(t.names) > 0 {
		t.list = jsontext.View(t.out)
	}
	return nil
}

// read reads a copy of a value, since names and list outlive the record.
func (t *tools) read(path, value string) (err error) {
	t.source, t.decoded = append(emptied(t.source), value...), emptied(t.decoded)
	w := toolWriter{dst: append(emptied(t.out), '['), names: t.outNames[:0]}
	if body, ok := jsontext.Quoted(jsontext.View(t.source)); ok {
		t.decoded = jsontext.AppendUnquoted(t.decoded, body)
		err = w.text(path, jsontext.View(t.decoded))
	} else {
		err = w.read(path, jsontext.View(t.source))
	}
	t.out, t.outNames = append(w.dst, ']'), w.names
	return err
}

// AddTool adds a function that takes the parameters of a JSON schema, unless one of that decoded name is there.
func (c *Conversation) AddTool(name, parameters string) {
	t := &c.tools
	if c.Knows(name) {
		return
	}
	list := append(t.added[:0], '[')
	if t.list != "" {
		list = append(append(t.added[:0], t.list[:len(t.list)-1]...), ',')
	}
	list = jsontext.AppendString(append(list, `{"type":"function","function":{"name":`...), name)
	t.added = append(append(append(list, `,"parameters":`...), parameters...), "}}]"...)
	t.list, t.names = jsontext.View(t.added), append(t.names, name)
}

// HasTools tells whether SetTools found any.
func (c *Conversation) HasTools() bool { return c.tools.list != "" }

// Knows tells whether a decoded name is that of a tool.
func (c *Conversation) Knows(name string) bool {
	return slices.Contains(c.tools.names, name)
}

type toolWriter struct {
	dst   []byte // the list, without its end
	names []string
}

// text reads a string that holds tools, as JSON or Python.
func (w *toolWriter) text(path, text string) error {
	text = strings.TrimSpace(text)
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
}

func (w *toolWriter) read(path, value string) error {
	c := jsontext.Cursor{Text: value}
	switch c.Kind() {
	case 0, 'n':
		return nil
	case '"':
		body, _ := c.String()
		return w.text(path, jsontext.Unquote(body))
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
		var name, kind, wrapped string
		c := jsontext.Cursor{Text: value}
		for key := range c.Members() {
			switch key {
			case "name":
				name = c.Value()
			case "type":
				kind = c.Value()
			case "function":
				wrapped = c.Value()
			}
		}
		f, whole := value, ""
		if strings.HasPrefix(wrapped, "{") {
			f, name = wrapped, jsontext.Lookup(wrapped, "name")
			if kind == `"function"` {
				whole = value
			}
		}
		body, ok := jsontext.Quoted(name)
		if !ok || jsontext.Blank(body) {
			return sdk.Reject("bad_tools", path, "want a name in every tool, have one without")
		}
		w.tool(jsontext.Unquote(body), f, whole)
		return nil
	}
	return sdk.Reject("bad_tools", path, "want objects, have another value among them")
}

// tool appends one function. whole is the element it stands in when that is in form but for its schema.
func (w *toolWriter) tool(name, function, whole string) {
	if slices.Contains(w.names, name) {
		return
	}
	if len(w.names) > 0 {
		w.dst = append(w.dst, ',')
	}
	w.names = append(w.names, name)
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
	if strings.Contains(parameters, `"jsonSchema"`) {
		if inner := jsontext.Lookup(parameters, "jsonSchema"); strings.HasPrefix(inner, "{") {
			parameters, key = inner, "jsonSchema"
		}
	}
	start := len(w.dst)
	w.dst = jsontext.AppendString(append(w.dst, `{"type":"function","function":{"name":`...), name)
	w.dst = appendMember(w.dst, "description", description)
	dst, changed := appendParameters(append(w.dst, `,"parameters":`...), parameters)
	if w.dst = append(append(dst, others...), "}}"...); whole != "" && !changed && key == "parameters" {
		w.dst = append(w.dst[:start], whole...)
	}
}
