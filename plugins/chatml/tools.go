package chatml

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// A toolCache keeps the last tools written, since the rows of a corpus mostly share theirs.
type toolCache struct {
	raw    string
	list   []byte
	opaque int // tools without a schema of their own
}

// toolList gives the row's tools as a list of function schemas, empty when there are none. It reads the OpenAI list, the
// list and the map by name of the AI SDK, schemas under any of their names, wrapped in jsonSchema or not, and any of it
// inside a string (R7).
func (c *conversation) toolList(r *sdk.Record) ([]byte, error) {
	raw := c.row.Tools
	if raw != c.cache.raw || raw == "" {
		l := toolWriter{dst: c.cache.list[:0]}
		c.cache.raw = ""
		if err := l.list(raw); err != nil {
			return nil, err
		}
		c.cache = toolCache{raw: strings.Clone(raw), list: l.dst, opaque: l.opaque}
	}
	if c.cache.opaque > 0 {
		r.Count("loss.tool_schema", c.cache.opaque)
	}
	if c.noTools && len(c.cache.list) > 0 {
		return nil, sdk.Reject("target_tools", "request.tools", "want a row without tools: the templates of %s do not show them", c.target)
	}
	return c.cache.list, nil
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

func (w *toolWriter) tool(name, raw string) error {
	raw = unwrap(raw)
	if raw == "" || raw[0] != '{' {
		return badTools("want each tool to be an object")
	}
	description, schema, function := "", "", ""
	spec := jsontext.Cursor{Text: raw}
	read := func() {
		for key := range spec.Members() {
			switch key {
			case "name":
				if body, ok := spec.String(); ok && body != "" {
					name = body
				}
			case "description":
				description, _ = spec.String()
			case "parameters", "inputSchema", "input_schema", "schema":
				if v := spec.Value(); schema == "" || key == "parameters" {
					schema = v
				}
			case "function":
				function = spec.Value()
			}
		}
	}
	read()
	if strings.HasPrefix(function, "{") {
		spec = jsontext.Cursor{Text: function}
		read()
	}
	if jsontext.Blank(name) {
		return badTools("want each tool to have a name")
	}
	open := byte(',')
	if len(w.dst) == 0 {
		open = '['
	}
	w.dst = append(append(w.dst, open), `{"type":"function","function":{"name":"`...)
	w.dst = append(append(w.dst, name...), `","description":"`...)
	w.dst = append(append(w.dst, description...), `","parameters":`...)
	w.schema(schema)
	w.dst = append(w.dst, "}}"...)
	return nil
}

// schema appends a JSON schema as it stands. A tool of the provider has none, and one of zod is not written as such.
func (w *toolWriter) schema(raw string) {
	raw = unwrap(raw)
	members := jsontext.Cursor{Text: raw}
	foreign := false
	for key := range members.Members() {
		switch key {
		case "jsonSchema":
			w.schema(members.Value())
			return
		case "def", "_def": // a zod schema, whose JSON is not a JSON schema
			foreign = true
		}
	}
	if foreign || !strings.HasPrefix(raw, "{") {
		w.opaque++
		raw = `{"type":"object","properties":{}}`
	}
	w.dst = append(w.dst, raw...)
}
