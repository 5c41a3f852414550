package messages

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A list reads one list of messages into the conversation.
type list struct {
	*processor
	record  *sdk.Record
	path    string
	thought canonical.Joiner // of a reasoning turn, for the assistant turn that follows
}

// read reads every message of a list.
func (l *list) read(path string, messages jsontext.JSON) error {
	l.path, l.conv.Path = path, path
	c := jsontext.Cursor{JSON: messages}
	for i := range c.Elements() {
		at := &c
		if c.Kind() == '"' { // a message in a string, as some MCP corpora have it
			body, _ := c.String()
			inner, _ := body.Embedded()
			at = &jsontext.Cursor{JSON: inner}
		}
		if at.Kind() != '{' {
			return l.reject("bad_message", i, "", "want an object, have another value")
		}
		if err := l.message(i, at); err != nil {
			return err
		}
	}
	if l.thought.Body() != "" {
		l.record.Count("loss.thought", 1)
	}
	return nil
}

func (l *list) reject(code string, i int, member, format string, args ...any) error {
	return sdk.Reject(code, l.at(i, member), format, args...)
}

// at gives the path of a member of message i, or of the message.
func (l *list) at(i int, member string) string {
	path := l.path + "." + strconv.Itoa(i)
	if member != "" {
		path += "." + member
	}
	return path
}

// A message is one element of a list, as JSON.
type message struct {
	kind                               jsontext.JSON // of an item of the OpenAI Responses interface
	role, content, name, id, reasoning jsontext.JSON
	toolCalls, function, refusal       jsontext.JSON
	parts                              bool // AI SDK members beside the content
	noTarget, failed                   bool
	human, assistant                   jsontext.JSON
}

// message adds the message ahead.
func (l *list) message(i int, c *jsontext.Cursor) error {
	var m message
	start := c.At
	for key := range c.Members() {
		m.member(key, c.Value())
	}
	text := c.JSON[start:c.At]
	if m.role == "" && (m.human != "" || m.assistant != "") { // ms-swift, a round in one element
		if err := l.said(i, user, &message{content: m.human}); err != nil {
			return err
		}
		return l.said(i, assistant, &message{content: m.assistant})
	}
	if m.role == "" && m.kind != "" {
		return l.item(i, &m, text)
	}
	k := kindOf(m.role)
	switch {
	case m.role == "":
		return l.reject("bad_message", i, "role", "want a role or from, have none")
	case k == unknown:
		return l.reject("unknown_role", i, "role", "want the role of a chat format, have another")
	case m.parts || m.content != "" && m.content[0] != '"' && m.content[0] != 'n' && k != call:
		return l.parted(i, k, &m, text)
	}
	return l.said(i, k, &m)
}

func (m *message) member(key string, value jsontext.JSON) {
	switch key {
	case "type":
		m.kind = value
	case "role", "from":
		m.role = value
	case "content", "value":
		if m.content == "" || key == "content" {
			m.content = value
		}
	case "tool_calls", "toolCalls":
		if m.toolCalls == "" || m.toolCalls == "null" {
			m.toolCalls = value
		}
	case "function_call":
		m.function = value
	case "tool_call_id", "toolCallId":
		m.id = value
	case "name", "toolName":
		m.name = value
	case "reasoning_content", "reasoning", "thinking", "thought":
		if python.Truthy(value) && value[0] == '"' {
			m.reasoning = value
		}
	case "refusal":
		if python.Truthy(value) {
			m.refusal = value
		}
	case "weight", "loss_scale":
		m.noTarget = m.noTarget || !python.Truthy(value) && value != "null"
	case "train", "loss":
		m.noTarget = m.noTarget || value == "false" || value == "0"
	case "parts", "toolInvocations", "experimental_attachments":
		m.parts = m.parts || python.Truthy(value)
	case "is_error", "isError":
		m.failed = value == "true"
	case "human":
		m.human = value
	case "assistant":
		m.assistant = value
	}
}

// said adds a message whose content is a string or null.
func (l *list) said(i int, k kind, m *message) error {
	body, _ := m.content.Quoted()
	switch k {
	case system:
		return l.system(i, body)
	case user:
		if speech.Results(&l.conv, body, i) { // as Qwen has it
			return nil
		}
		return l.user(i, m, body)
	case tool, observation:
		if !l.split(i, body, k == observation) {
			l.result(i, m, body)
		}
		return nil
	case thought:
		l.conv.Merge = true
		inner, _ := calls.Thought(body.Text())
		if inner == "" {
			l.thought.Add(canonical.BlankLine, body)
		} else {
			l.thought.Add(canonical.BlankLine, jsontext.BodyOf(inner))
		}
		return nil
	case call:
		l.conv.Merge = true
		return l.callTurn(i, m)
	}
	return l.assistant(i, m, body)
}

// system adds a system turn, without the tools that it lists.
func (l *list) system(i int, body jsontext.Body) (err error) {
	if body, err = speech.Tools(&l.conv, body, l.path); err != nil {
		return err
	}
	l.conv.Add(eliza.System, i).Body = body
	return nil
}

// user adds a user's turn. Some corpora have no system turn, and list the tools in the first one.
func (l *list) user(i int, m *message, body jsontext.Body) (err error) {
	if len(l.conv.Turns) == 0 && !l.conv.HasTools() {
		if body, err = speech.Tools(&l.conv, body, l.path); err != nil {
			return err
		}
	}
	t := l.conv.Add(eliza.User, i)
	t.Body, t.Name = body, m.name.Body()
	return nil
}

// assistant adds an assistant turn, with the calls and thoughts that stand in its text.
func (l *list) assistant(i int, m *message, body jsontext.Body) error {
	t := l.conv.Add(eliza.Assistant, i)
	t.Body, t.NoTarget, t.Name = body, m.noTarget, m.name.Body()
	t.Reasoning = canonical.Join(l.thought.Take(), m.reasoning.Body())
	if m.refusal != "" && body.Blank() {
		t.Body = m.refusal.Body()
		l.conv.Meta("refusal", "true")
	}
	if err := l.memberCalls(i, t, m); err != nil {
		return err
	}
	return l.readText(i, t)
}

// readText takes calls and thoughts out of what an assistant said.
func (l *list) readText(i int, t *canonical.Turn) error {
	if !l.callsInText || !calls.Marked(string(t.Body)) {
		return nil
	}
	return speech.Assistant(&l.conv, t, t.Body, l.at(i, "content"))
}

// memberCalls reads tool_calls and the older function_call.
func (l *list) memberCalls(i int, t *canonical.Turn, m *message) error {
	list := m.toolCalls
	if body, ok := list.Quoted(); ok {
		if list, ok = body.Embedded(); !ok && !body.Blank() {
			return l.reject("bad_tool_call", i, "tool_calls", "want a list, have a string that is no JSON")
		}
	}
	c := jsontext.Cursor{JSON: list}
	switch c.Kind() {
	case 0, 'n', '[':
	default:
		return l.reject("bad_tool_call", i, "tool_calls", "want a list, have another value")
	}
	for n := range c.Elements() {
		found, ok := readCall(c.Value())
		if !ok {
			return l.reject("bad_tool_call", i, "tool_calls."+strconv.Itoa(n), "want an object with the name of a tool, have none")
		}
		t.Calls = append(t.Calls, found)
	}
	if m.function.Kind() == '{' && len(t.Calls) == 0 {
		found, ok := readCall(m.function)
		if !ok {
			return l.reject("bad_tool_call", i, "function_call", "want an object with the name of a tool, have none")
		}
		t.Calls = append(t.Calls, found)
	}
	return nil
}

func readCall(value jsontext.JSON) (canonical.Call, bool) {
	if value[0] != '{' {
		return canonical.Call{}, false
	}
	c, ok := calls.Object(value)
	return canonical.Call{ID: jsontext.BodyOf(c.ID), Name: jsontext.BodyOf(c.Name), Args: c.Args}, ok
}

// callTurn adds a turn that is nothing but calls: an object or a list of them, as a value or in a string.
func (l *list) callTurn(i int, m *message) error {
	value := m.content
	if body, ok := value.Quoted(); ok {
		text := strings.TrimSpace(body.Text())
		if calls.Marked(text) && strings.HasPrefix(text, "<") {
			return l.assistant(i, m, body)
		}
		read, rest, err := calls.Literal(nil, text)
		if err != nil || strings.TrimSpace(rest) != "" {
			return l.reject("bad_call", i, "content", "want a tool call that parses, have another text")
		}
		value = jsontext.JSON(read)
	}
	t := l.conv.Add(eliza.Assistant, i)
	t.NoTarget, t.Reasoning = m.noTarget, l.thought.Take()
	if value.Kind() != '[' {
		value = "[" + value + "]"
	}
	c := jsontext.Cursor{JSON: value}
	for range c.Elements() {
		found, ok := readCall(c.Value())
		if !ok {
			return l.reject("bad_call", i, "content", "want an object with the name of a tool, have none")
		}
		t.Calls = append(t.Calls, found)
	}
	return nil
}

// result adds the turn of a tool, or several when the text holds several <tool_response> blocks.
func (l *list) result(i int, m *message, body jsontext.Body) {
	if speech.Results(&l.conv, body, i) {
		return
	}
	t := l.conv.Add(eliza.Tool, i)
	t.Body, t.ID, t.Name, t.Failed = body, m.id.Body(), m.name.Body(), m.failed
}

// split reads the results of several calls out of one turn: a list with one element for each call. announced says that
// the role is one that has such lists; else every element must name its call.
func (l *list) split(i int, body jsontext.Body, announced bool) bool {
	last := len(l.conv.Turns) - 1
	if last < 0 || len(l.conv.Turns[last].Calls) < 2 {
		return false
	}
	asked := l.conv.Turns[last].Calls
	results, _ := body.Embedded()
	if results.Kind() != '[' {
		return false
	}
	n, named := 0, true
	c := results.Cursor()
	for range c.Elements() {
		name := c.Value().Get("name").Body()
		named = named && n < len(asked) && name == asked[n].Name
		n++
	}
	if n != len(asked) || !announced && !named {
		return false
	}
	c = results.Cursor()
	for range c.Elements() {
		l.conv.Add(eliza.Tool, i).Body = textBody(c.Value())
	}
	return true
}

// textBody gives the body of a value as text: a string's own, of any other value its JSON.
func textBody(value jsontext.JSON) jsontext.Body {
	if body, ok := value.Quoted(); ok {
		return body
	}
	return jsontext.BodyOf(jsontext.AppendCompact(nil, value))
}
