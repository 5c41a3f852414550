package canonical

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A ToolSpec is a tool that a row offers.
type ToolSpec struct {
	Name, Description jsontext.Body
	Parameters        jsontext.JSON // of its input, as the row has them, see Schema; empty when it has none
	Foreign           bool          // the row has something else in their place, such as a serialised zod schema
	Left              int           // how many other members it has, such as strict and outputSchema
}

// ReadTools reads the tools of a row: the OpenAI list, the list and the map by name of the AI SDK, one tool alone,
// schemas under any of their names, wrapped in jsonSchema or not, and any of it inside a string.
func ReadTools(value jsontext.JSON) (tools []ToolSpec, fault *Fault) {
	rd := &reader{Cursor: value.Cursor()}
	tools, ok := rd.tools()
	if !ok {
		return nil, &Fault{"bad_tools", "request.tools", "want a list of tools or a map by name, have " + jsontext.KindName(value.Kind())}
	}
	for i, t := range tools {
		if t.Name.Blank() {
			return nil, &Fault{"bad_tools", "request.tools." + strconv.Itoa(i), "want each tool to be an object with a name, have " + seenTool(value, i)}
		}
	}
	return tools, nil
}

// seenTool describes a tool of a list for an error.
func seenTool(list jsontext.JSON, at int) string {
	for i, tool := range list.Elements() {
		if i == at {
			return jsontext.Describe(tool)
		}
	}
	return "one without"
}

// tools reads the next value as tools. It is not ok for a value that cannot hold tools.
func (rd *reader) tools() (tools []ToolSpec, ok bool) {
	switch rd.Kind() {
	case '"':
		value := rd.Value()
		if inner := rd.found.unwrap(value); inner.Kind() != '"' {
			return rd.at(inner).tools()
		}
		return nil, false
	case '[':
		list := rd.found.list()
		for range rd.Elements() {
			rd.Kind()
			start := rd.At
			t := rd.tool(ToolUse)
			tools = append(tools, t)
			rd.found.entry(list, ToolUse, t.Name, string(rd.JSON[start:rd.At]))
		}
	case '{':
		return rd.toolMap(), true
	case 'n', 0:
	default:
		return nil, false
	}
	return tools, true
}

// toolMap reads tools by name, or a single tool: an object of which not all members are objects.
func (rd *reader) toolMap() (tools []ToolSpec) {
	alone, ahead := false, rd.Cursor
	for key := range ahead.Members() {
		alone = alone || ahead.Kind() != '{' || key == "function"
	}
	if alone {
		t := rd.tool(ToolUse)
		rd.found.add(ToolUse, t.Name)
		return []ToolSpec{t}
	}
	list := rd.found.list()
	for range rd.Members() {
		start := rd.Key
		key := jsontext.JSON(strings.TrimRight(string(rd.JSON[start:rd.At]), ": \t\r\n")).Body()
		t := rd.tool(ToolUse)
		rd.found.add(ToolUse, t.Name)
		rd.found.entry(list, ToolUse, key, string(rd.JSON[start:rd.At]))
		if t.Name == "" {
			t.Name = key
		}
		tools = append(tools, t)
	}
	return tools
}

// tool reads the next value as a tool, without a name if it is none, and adds the tool's further names to found.
func (rd *reader) tool(use Use) (t ToolSpec) {
	if rd.Kind() == '"' {
		body, _ := rd.String()
		if inner, ok := rd.found.embedded(body); ok && inner.Kind() == '{' {
			return rd.at(inner).tool(use)
		}
		if rd.found != nil { // only a name
			t.Name = body
		}
		return t
	}
	if rd.depth == maxDepth {
		rd.Skip()
		return t
	}
	rd.depth++
	defer func() { rd.depth-- }()
	var schema jsontext.JSON
	var function *ToolSpec
	for key := range rd.Members() {
		switch key {
		case "name", "toolName":
			if key == "toolName" && use == ToolUse {
				rd.name(use)
				break
			}
			rd.found.add(use, t.Name)
			t.Name, _ = rd.String()
		case "description":
			t.Description = rd.Value().Body()
		case "parameters", "inputSchema", "input_schema", "schema":
			switch v := rd.Value(); {
			case v == "null" || v == schema:
			case saysNothing(schema):
				schema = v
			case !saysNothing(v):
				t.Left++
				if key == "parameters" {
					schema = v
				}
			}
		case "function":
			if rd.Kind() == '{' {
				if function != nil {
					rd.found.add(use, function.Name)
				}
				f := rd.tool(use)
				function = &f
			}
		case "type":
			if kind := rd.Value(); kind != `"function"` && kind != "null" {
				t.Left++
			}
		case "functionDeclarations", "function_declarations":
			if rd.found != nil && rd.Kind() == '[' {
				rd.tools()
			}
			t.Left++
		default:
			if rd.Kind() != 'n' {
				t.Left++
			}
		}
	}
	if function != nil {
		return rd.unwrapped(function, &t, use)
	}
	left := 0
	t.Parameters, left, t.Foreign = schemaIn(schema, maxWraps)
	t.Left += left
	return t
}

// unwrapped returns the tool in the member "function" of another value, with what only that says.
func (rd *reader) unwrapped(function, around *ToolSpec, use Use) ToolSpec {
	function.Left += around.Left
	if function.Name == "" {
		function.Name = around.Name
	} else {
		rd.found.add(use, around.Name)
	}
	return *function
}

// maxWraps is how often a schema may be wrapped.
const maxWraps = 4

// schemaIn unwraps the parameters of a tool, and counts the other members around them.
func schemaIn(value jsontext.JSON, wraps int) (schema jsontext.JSON, left int, foreign bool) {
	value = (*found)(nil).unwrap(value)
	if value.Kind() == '[' && isListed(value) {
		return value, 0, false
	}
	wrapped, others := jsontext.JSON(""), 0
	for key, v := range value.Members() {
		switch {
		case key == "jsonSchema":
			wrapped = v
		case key == "def" || key == "_def": // a zod schema, whose JSON is not a JSON schema
			foreign = true
		case v != "null":
			others++
		}
	}
	switch {
	case wrapped != "" && wraps == 0:
		return "", 0, true
	case wrapped != "":
		schema, left, foreign = schemaIn(wrapped, wraps-1)
		return schema, left + others, foreign
	case foreign || value.Kind() != '{':
		return "", 0, foreign || value != ""
	}
	return value, 0, false
}

// ReadTool reads one tool of a list or map: {name, description, and a schema under any of its names}, wrapped in "function"
// or not.
func ReadTool(value jsontext.JSON) ToolSpec {
	rd := &reader{Cursor: value.Cursor()}
	return rd.tool(ToolUse)
}

// KnownTools is how many different lists of tools a Row caches.
const KnownTools = 16

// Shorter texts of tools are as fast to read, longer ones are not worth their memory.
const minKnown, maxKnown = 256, 64 << 10

// known caches the tools of earlier rows, since most rows of a corpus share theirs.
type known struct {
	texts [KnownTools][]byte
	ids   [KnownTools]uint64
	found [KnownTools]*found // the names in texts; nil until names is called
	last  uint64
}

// read returns the next value, with its number in the cache, 0 when it is not cached.
func (k *known) read(c *jsontext.Cursor) (value jsontext.JSON, id uint64) {
	c.Kind()
	ahead := c.JSON[c.At:]
	for slot, text := range k.texts {
		const tail = 16 // lists of the same tools begin alike and end apart
		n := len(text)
		if n == 0 || n > len(ahead) || ahead[n-tail:n] != jsontext.JSON(text[n-tail:]) || ahead[:n] != jsontext.JSON(text) {
			continue
		}
		c.At += n
		return ahead[:n], k.ids[slot]
	}
	value = c.Value()
	if len(value) < minKnown || len(value) > maxKnown || value[0] != '[' && value[0] != '{' {
		return value, 0
	}
	k.last++
	slot := k.last % KnownTools
	k.texts[slot], k.ids[slot], k.found[slot] = append(k.texts[slot][:0], value...), k.last, nil
	return value, k.last
}

// names returns the names in cached tools and their text, or nil when they are not cached or inside strings.
func (k *known) names(id uint64) (text string, names *found) {
	slot := id % KnownTools
	if id == 0 || k.ids[slot] != id {
		return "", nil
	}
	text = jsontext.View(k.texts[slot])
	if k.found[slot] == nil {
		k.found[slot] = &found{}
		(&reader{Cursor: jsontext.JSON(text).Cursor(), found: k.found[slot]}).tools()
	}
	if names = k.found[slot]; len(names.inner) > 0 {
		return "", nil
	}
	return text, names
}
