package messages

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// textMessage adds a message whose content is a string or null.
func (a *adapter) textMessage(m *message) error {
	body, _ := m.content.Quoted()
	switch m.kind {
	case callTurn:
		a.row.Merge = true
		return a.callTurn(m)
	case thoughtTurn:
		a.row.Merge = true
		if inner, behind := calls.Thought(body.Text()); inner != "" {
			body = jsontext.BodyOf(calls.Join(inner, strings.TrimSpace(behind)))
		}
		a.thought.Add(build.BlankLine, body)
		return nil
	}
	switch m.role {
	case canonical.System:
		return a.system(m.at, body)
	case canonical.User:
		// Qwen puts results here. The search for the end of a mark is quick, and few texts have one.
		if strings.IndexByte(string(body), '>') >= 0 && a.row.Results(body, m.at) {
			return nil
		}
		return a.user(m, body)
	case canonical.Tool:
		a.unsplit()
		if !a.split(m, body) && !a.row.Results(body, m.at) {
			a.result(m, body)
		}
		return nil
	}
	return a.assistant(m, body)
}

// system adds a system turn without the tools that its text lists.
func (a *adapter) system(i int, body jsontext.Body) (err error) {
	if body, err = a.row.TakeTools(body, a.row.Path); err != nil {
		return err
	}
	a.row.Add(canonical.System, i).Body = body
	return nil
}

// user adds a user turn. Some corpora have no system turn and list the tools in the first user turn.
func (a *adapter) user(m *message, body jsontext.Body) (err error) {
	if len(a.row.Turns) == 0 && !a.row.HasTools() {
		if body, err = a.row.TakeTools(body, a.row.Path); err != nil {
			return err
		}
	}
	t := a.row.Add(canonical.User, m.at)
	t.Body, t.Name = body, m.name.Body()
	return nil
}

// assistant adds an assistant turn with the calls and thoughts in its text.
func (a *adapter) assistant(m *message, body jsontext.Body) error {
	t := a.row.Add(canonical.Assistant, m.at)
	t.Body, t.NoTarget, t.Name = body, m.noTarget, m.name.Body()
	if thought := m.reasoning.Body(); !m.thoughtSaid || !strings.Contains(string(body), string(thought)) {
		t.Reasoning = thought
	}
	t.Reasoning = build.Join(a.thought.Take(), t.Reasoning)
	switch {
	case m.refusal == "":
	case body.Blank():
		t.Body = m.refusal.Body()
		a.row.Meta("refusal", "true")
	default:
		a.row.Count("loss.message_member", 1)
	}
	if err := a.memberCalls(t, m); err != nil {
		return err
	}
	return a.readText(t)
}

// readText takes calls and thoughts out of the text of an assistant turn.
func (a *adapter) readText(t *build.Message) error {
	if !a.callsInText || !calls.Marked(string(t.Body)) {
		return nil
	}
	return a.row.Say(t, t.Body, a.pathOf(t.At, "content"))
}

// memberCalls reads tool_calls and the older function_call.
func (a *adapter) memberCalls(t *build.Message, m *message) error {
	list := m.toolCalls
	if body, ok := list.Quoted(); ok {
		if list, ok = body.Embedded(); !ok && !body.Blank() {
			return a.reject("bad_tool_call", m.at, "tool_calls", "want a list, have a string that is not JSON")
		}
	}
	switch list.Kind() {
	case 0, 'n', '[':
	default:
		return a.reject("bad_tool_call", m.at, "tool_calls", "want a list, have %s", jsontext.KindName(list.Kind()))
	}
	for n, v := range list.Elements() {
		found, ok := calls.Object(v)
		if !ok {
			return a.reject("bad_tool_call", m.at, "tool_calls."+strconv.Itoa(n), "want an object with the name of a tool, have %s", unnamed(v))
		}
		t.Calls = append(t.Calls, found)
	}
	if m.function.Kind() == '{' && len(t.Calls) == 0 {
		found, ok := calls.Object(m.function)
		if !ok {
			return a.reject("bad_tool_call", m.at, "function_call", "want an object with the name of a tool, have %s", unnamed(m.function))
		}
		t.Calls = append(t.Calls, found)
	} else if m.function.Kind() == '{' {
		a.row.Count("loss.message_member", 1)
	}
	return nil
}

// callTurn adds a turn of calls only: an object or a list of them, as a value or in a string.
func (a *adapter) callTurn(m *message) error {
	value := m.content
	if body, ok := value.Quoted(); ok {
		text := strings.TrimSpace(body.Text())
		if calls.Marked(text) && strings.HasPrefix(text, "<") {
			return a.assistant(m, body)
		}
		if value, ok = calls.Value(text); !ok {
			return a.reject("bad_call", m.at, "content", "want a tool call that parses, have %d bytes that do not", len(text))
		}
	}
	found, ok := calls.Objects(value)
	if !ok || value.Kind() != '[' && value.Kind() != '{' {
		return a.reject("bad_call", m.at, "content", "want an object with the name of a tool, have %s", unnamed(value))
	}
	t := a.row.Add(canonical.Assistant, m.at)
	t.NoTarget, t.Reasoning, t.Calls = m.noTarget, a.thought.Take(), append(t.Calls, found...)
	return nil
}

// result adds the turn of a tool.
func (a *adapter) result(m *message, body jsontext.Body) {
	t := a.row.Add(canonical.Tool, m.at)
	t.Body, t.ID, t.Name, t.Failed = body, m.id.Body(), m.name.Body(), m.failed
}

// split reads the results of several calls out of one turn: a list with one element for each call. Unless the role has such
// lists and the turn names no call, every element must name its own.
func (a *adapter) split(m *message, body jsontext.Body) bool {
	last := len(a.row.Turns) - 1
	if last < 0 || len(a.row.Turns[last].Calls) < 2 {
		return false
	}
	asked := a.row.Turns[last].Calls
	results, _ := body.Embedded()
	if results.Kind() != '[' {
		return false
	}
	n, named, labelled := 0, true, true
	for _, result := range results.Elements() {
		id, _ := canonical.ReadID(result.Get("tool_call_id"))
		labelled = labelled && result.Get("content") != "" && (id != "" || result.Get("name").Body() != "")
		named = named && n < len(asked) && result.Get("name").Body() == asked[n].Name
		n++
	}
	byNumber := !named && !labelled
	if n != len(asked) || byNumber && (m.kind != observation || m.id.Body() != "") {
		return false
	}
	from := len(a.row.Turns)
	for _, result := range results.Elements() {
		t := a.row.Add(canonical.Tool, m.at)
		if !labelled {
			t.Body = build.AsText(result)
			continue
		}
		t.ID, _ = canonical.ReadID(result.Get("tool_call_id"))
		t.Name, t.Body = result.Get("name").Body(), build.AsText(result.Get("content"))
		a.row.Leave("loss.part_member", result, "tool_call_id", "name", "content", "role")
	}
	if byNumber {
		a.parted = &parted{*m, body, from, len(a.row.Turns)}
	}
	return true
}

// A parted turn was taken for the results of several calls since it is a list of as many elements.
type parted struct {
	message  message
	body     jsontext.Body
	from, to int // its turns
}

// unsplit makes one result of a parted turn when another result follows it, which is that of the next call then.
func (a *adapter) unsplit() {
	p := a.parted
	if a.parted = nil; p != nil && p.to == len(a.row.Turns) {
		a.row.Turns = a.row.Turns[:p.from]
		a.result(&p.message, p.body)
	}
}

// A kind says more of a message than its role.
type kind uint8

const (
	plain       kind = iota
	observation      // a tool's turn of the ShareGPT family, which may answer several calls at once
	callTurn         // an assistant's turn of calls only
	thoughtTurn      // the assistant's reasoning before the turn that follows
)

// kinds are the names of roles that imply a kind.
var kinds = map[string]kind{
	"observation": observation, "tool_response": observation, "tool response": observation, "function_response": observation,
	"function response": observation,
	"tool-response":     observation, "function-response": observation, "tool_results": observation,
	"function_call": callTurn, "tool_call": callTurn, "tool call": callTurn, "function call": callTurn,
	"function-call": callTurn, "tool-call": callTurn, "tool_calls": callTurn, "function_calls": callTurn,
	"reasoning": thoughtTurn, "thought": thoughtTurn, "analysis": thoughtTurn, "thinking": thoughtTurn,
	"thoughts": thoughtTurn, "inner thoughts": thoughtTurn, "inner_thoughts": thoughtTurn,
}

var rolesOfKinds = [...]canonical.Role{observation: canonical.Tool, callTurn: canonical.Assistant, thoughtTurn: canonical.Assistant}

func roleOf(name jsontext.JSON) (canonical.Role, kind) {
	switch name {
	case `"user"`:
		return canonical.User, plain
	case `"assistant"`:
		return canonical.Assistant, plain
	}
	word := canonical.RoleName(name)
	if k := kinds[word]; k != plain {
		return rolesOfKinds[k], k
	}
	return canonical.RoleOf(word), plain
}
