package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// tools are the functions a row offers. Consecutive rows often offer the same, so the last list is kept.
type tools struct {
	list    jsontext.JSON   // a JSON array, or ""
	offered functions       // those that SetTools set; nil for none
	extra   map[string]bool // names of the functions that AddTool added

	source, decoded []byte // the last value, and its text when it is a string
	out             []byte // the list made of it
	outOffered      functions
	outUnnamed      map[string]int
	again           repeated
	unnamed         map[string]int           // tools of the vendor that are no functions, by type
	added           []byte                   // the list with the functions that AddTool added
	properties      map[string]jsontext.JSON // of the schemas of list by name, nil until one is asked for
}

type functions map[string]jsontext.JSON

// repeated counts tools that are left out because another one has their name, schemas that another one replaces, and schemas with
// types of Python or Gemini, which have those of JSON Schema now, and schemas with members that were null.
type repeated struct{ same, other, schemas, types, nulls int }

// SetTools takes the tools of a row in any spelling that occurs and keeps them as a list of
// {"type":"function","function":{name, description, parameters}}: lists of functions, wrapped or flat, with their
// schema under parameters, inputSchema, input_schema or schema; objects by name; JSON or Python in a string; types and
// flat parameter maps of Python corpora. A list that has this form already keeps its bytes, and a function its other
// members. null and empty lists are no tools. Of tools with one name the first stays, and Emit counts the others:
// equal ones as "repair.repeated_tool", others as "loss.repeated_tool". It counts a second schema of a tool as "loss.tool_schema",
// types of Python or Gemini, which become those of JSON Schema, as "mended.schema_type", and members of schemas that are null and are
// left out as "mended.schema_null", each once for a tool.
// Tools that the vendor runs become functions of what they take, such as web_search; others of theirs without a name are counted as
// "loss.NAME_tool".
// path is the path of the value, for the reject bad_tools.
func (c *Builder) SetTools(path string, value jsontext.JSON) error {
	t := &c.tools
	if value == "" {
		t.extra, t.unnamed, t.list, t.offered = emptied(t.extra), nil, "", nil
		return nil
	}
	if value != jsontext.Of(t.source) || len(t.extra) > 0 {
		t.properties = nil
	}
	if value != jsontext.Of(t.source) {
		if err := t.read(path, value); err != nil {
			t.source = t.source[:0]
			return err
		}
	}
	t.extra = emptied(t.extra)
	t.unnamed = t.outUnnamed
	if t.list, t.offered = "", nil; len(t.outOffered) > 0 {
		t.list, t.offered = jsontext.Of(t.out), t.outOffered
	}
	return nil
}

// countTools counts the tools that SetTools left out.
func (c *Builder) countTools() {
	t := &c.tools
	for kind, n := range t.unnamed {
		c.Count("loss."+kind+"_tool", n)
	}
	if t.offered == nil {
		return
	}
	c.Count("repair.repeated_tool", t.again.same)
	c.Count("loss.repeated_tool", t.again.other)
	c.Count("loss.tool_schema", t.again.schemas)
	c.Count("mended.schema_type", t.again.types)
	c.Count("mended.schema_null", t.again.nulls)
}

// read reads a copy of a value, since the names and the list outlive the record.
func (t *tools) read(path string, value jsontext.JSON) (err error) {
	t.source, t.decoded = append(jsontext.Reuse(t.source), value...), jsontext.Reuse(t.decoded)
	w := toolWriter{dst: append(jsontext.Reuse(t.out), '['), seen: functions{}}
	if body, ok := jsontext.Of(t.source).Quoted(); ok {
		t.decoded = jsontext.AppendText(t.decoded, body)
		err = w.text(path, jsontext.View(t.decoded))
	} else {
		err = w.read(path, jsontext.Of(t.source))
	}
	t.out, t.outOffered, t.again, t.outUnnamed = append(w.dst, ']'), w.seen, w.again, w.unnamed
	return err
}

// AddTool adds a function that takes the parameters of a JSON schema, unless the row has one of that decoded name.
func (c *Builder) AddTool(name string, parameters jsontext.JSON) {
	if c.Knows(name) {
		return
	}
	tool := jsontext.AppendString([]byte(`{"type":"function","function":{"name":`), name)
	tool = append(append(append(tool, `,"parameters":`...), parameters...), "}}"...)
	c.add(name, tool)
}

// add adds a tool in form, which the row does not have.
func (c *Builder) add(name string, tool []byte) {
	t := &c.tools
	if t.extra == nil {
		t.extra = map[string]bool{}
	}
	list := append(t.added[:0], '[')
	switch {
	case len(t.extra) > 0:
		list = append(t.added[:len(t.added)-1], ',')
	case t.list != "":
		list = append(append(t.added[:0], t.list[:len(t.list)-1]...), ',')
	}
	t.added = append(append(list, tool...), ']')
	t.list, t.properties = jsontext.Of(t.added), nil
	t.extra[name] = true
}

// AddFunction adds a tool in any spelling of SetTools, unless the row has one of that name: the list of a server that the conversation
// shows. path is the path of the tool, for the reject bad_tools.
func (c *Builder) AddFunction(path string, tool jsontext.JSON) error {
	w := toolWriter{seen: functions{}}
	if err := w.read(path, "["+tool+"]"); err != nil || len(w.seen) == 0 {
		return err
	}
	for name := range w.seen {
		if c.Knows(name) {
			c.Count("loss.listed_tools", 1)
			return nil
		}
		c.add(strings.Clone(name), w.dst)
	}
	return nil
}

// HasTools reports whether the row has tools.
func (c *Builder) HasTools() bool { return c.tools.list != "" }

// Knows reports whether a decoded name is that of a tool.
func (c *Builder) Knows(name string) bool {
	_, offered := c.tools.offered[name]
	return offered || c.tools.extra[name]
}

type toolWriter struct {
	dst   []byte // the list, without its end
	seen  functions
	again repeated

	unnamed map[string]int

	others, around []byte // of the function at hand: members that stay as they are, in it and around it
}

// text reads a string that holds tools, as JSON or Python.
func (w *toolWriter) text(path, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if _, ok := jsontext.Embedded(text); !ok {
		read, rest, err := calls.Literal(nil, text)
		if err != nil || strings.TrimSpace(rest) != "" {
			return sdk.Reject("bad_tools", path, "want JSON in the string, have %d bytes that are not", len(text))
		}
		text = string(read)
	}
	if text[0] == '"' {
		return sdk.Reject("bad_tools", path, "want an array or object in the string, have a string")
	}
	return w.read(path, jsontext.JSON(text))
}

func (w *toolWriter) read(path string, value jsontext.JSON) error {
	switch value.Kind() {
	case 0, 'n':
		return nil
	case '"':
		return w.text(path, value.Text())
	case '[':
		for _, v := range value.Elements() {
			if err := w.element(path, v); err != nil {
				return err
			}
		}
		return nil
	case '{':
		return w.object(path, value)
	}
	return sdk.Reject("bad_tools", path, "want an array or object, have %s", jsontext.KindName(value.Kind()))
}

func (w *toolWriter) object(path string, value jsontext.JSON) error {
	for key, v := range value.Members() {
		if key == "name" && v[0] == '"' || key == "function" && v[0] == '{' {
			return w.element(path, value)
		}
	}
	for key, v := range value.Members() {
		if v[0] != '{' {
			return sdk.Reject("bad_tools", path, "want objects by name, have %s among them", jsontext.KindName(v[0]))
		}
		w.tool(key, v, "", false)
	}
	return nil
}

func (w *toolWriter) element(path string, value jsontext.JSON) error {
	switch value[0] {
	case '"': // JSON, or only a name
		body, _ := value.Quoted()
		if text := strings.TrimSpace(body.Text()); strings.HasPrefix(text, "{") {
			return w.read(path, value)
		} else if strings.ContainsRune(text, '(') {
			return sdk.Reject("bad_tools", path, "want the names of tools, or objects, have the signature of a function")
		} else if text != "" {
			w.tool(text, "{}", "", false)
		}
		return nil
	case '{':
		f, outer, name := value, jsontext.JSON(""), value.Get("name")
		if wrapped := value.Get("function"); wrapped.Kind() == '{' {
			f, outer, name = wrapped, value, wrapped.Get("name")
		}
		if inner := value.Get("custom"); inner.Kind() == '{' && value.Get("type") == `"custom"` {
			f, outer, name = inner, value, inner.Get("name")
		}
		if model := value.Get("name_for_model"); model.Truthy() { // of Qwen-Agent, beside the name for people
			name = model
		}
		body, ok := name.Quoted()
		if !ok || body.Blank() {
			return w.vendors(path, value)
		}
		w.tool(body.Text(), f, outer, value.Get("type") == `"function"`)
		return nil
	}
	return sdk.Reject("bad_tools", path, "want objects, have %s among them", jsontext.KindName(value[0]))
}

// tool appends a function. outer contains it, or is ""; inForm says that of outer only the schema may need a change.
func (w *toolWriter) tool(name string, function, outer jsontext.JSON, inForm bool) {
	if before, ok := w.seen[name]; ok {
		if before == function {
			w.again.same++
		} else {
			w.again.other++
		}
		return
	}
	if len(w.seen) > 0 {
		w.dst = append(w.dst, ',')
	}
	w.seen[name] = function
	m := w.membersOf(function)
	others, around := m.others, w.around[:0]
	c := outer.Cursor()
	for k := range c.Members() {
		switch v := c.Value(); {
		case k == "function" || k == "custom" || v == "null" || k == "type" && (inForm || v[0] != '"'):
		case k == "type":
			others = append(append(others, `,"type":`...), v...)
		default:
			around = append(append(around, ','), outer[c.Key:c.At]...)
		}
	}
	w.others, w.around = others, around
	if body, ok := m.parameters.Quoted(); ok {
		if inner, ok := body.Embedded(); ok {
			m.parameters = inner
		}
	}
	if m.parameters == "" {
		m.parameters = taken[kindOf(function, outer)]
	}
	if strings.Contains(string(m.parameters), `"jsonSchema"`) {
		if inner := m.parameters.Get("jsonSchema"); inner.Kind() == '{' {
			m.parameters, m.key = inner, "jsonSchema"
		}
	}
	start := len(w.dst)
	w.dst = jsontext.AppendString(append(w.dst, `{"type":"function","function":{"name":`...), name)
	w.dst = appendMember(w.dst, "description", m.description)
	w.dst = append(w.dst, `,"parameters":`...)
	schema := len(w.dst)
	w.dst = w.appendSchema(w.dst, m.parameters)
	same := jsontext.Of(w.dst[schema:]) == m.parameters
	w.dst = append(append(append(append(w.dst, others...), '}'), around...), '}')
	if inForm && outer != "" && same && m.key == "parameters" {
		w.dst = append(w.dst[:start], outer...)
	}
}

// A toolMembers is what the object of a function says of it besides its name.
type toolMembers struct {
	parameters, description jsontext.JSON
	key                     string // of parameters
	others                  []byte // what is written behind them, with its commas
}

// membersOf reads the members of a function. Its others are valid until the next call.
func (w *toolWriter) membersOf(function jsontext.JSON) (m toolMembers) {
	m.others = w.others[:0]
	c := jsontext.Cursor{JSON: function}
	for k := range c.Members() {
		switch v := c.Value(); k {
		case "name", "function", "name_for_model", "custom":
		case "type":
			if v != `"function"` && v[0] == '"' {
				m.others = append(append(m.others, `,"type":`...), v...)
			}
		case "description":
			if v != "null" {
				m.description = v
			}
		case "description_for_model":
			if m.description == "" {
				m.description = v
			} else {
				m.others = append(append(m.others, ','), function[c.Key:c.At]...)
			}
		case "parameters", "inputSchema", "input_schema", "schema", "arguments", "args":
			switch {
			case v == "null":
			case (k == "arguments" || k == "args") && v.Kind() != '{':
				m.others = append(append(m.others, ','), function[c.Key:c.At]...)
			case isEmpty(m.parameters):
				m.parameters, m.key = v, k
			case isEmpty(v):
			case k == "parameters":
				w.replace(m.parameters, v)
				m.parameters, m.key = v, k
			default:
				w.replace(v, m.parameters)
			}
		default:
			if v != "null" {
				m.others = append(append(m.others, ','), function[c.Key:c.At]...)
			}
		}
	}
	return m
}
