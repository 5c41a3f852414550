package messages

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// parted adds a message whose content is no string: parts of the AI SDK, of OpenAI or of LLaMA-Factory, or the JSON of
// a tool's result. What text cannot hold, such as an image, keeps the message as it stands, which a canonical row may.
func (l *list) parted(i int, k kind, m *message, text string) error {
	if declinable(m.content) {
		return sdk.Decline("holds blocks of the Anthropic interface")
	}
	if k == tool || k == observation {
		if kind := m.content; kind != "" && (kind[0] == '{' || kind[0] == '[' && !isParts(kind)) || !m.parts && kind[0] != '[' {
			t := l.conv.Add(eliza.Tool, i)
			t.Body, t.ID, t.Name, t.Failed = textBody(m.content), jsontext.Body(m.id), jsontext.Body(m.name), m.failed
			return nil
		}
	}
	if k == thought || k == call || !m.parts && m.content[0] != '[' && m.content[0] != '{' {
		return l.reject("bad_content", i, "content", "want a string or parts, have another value")
	}
	if isFactoryParts(m.content) {
		return l.factoryParts(i, k, m)
	}
	if m.role != `"`+sdkRoles[k]+`"` {
		text = withRole(text, k)
	}
	l.sdk.Read(`{"request":{"messages":[` + text + `]}}`)
	for _, f := range l.sdk.Faults {
		if strings.HasPrefix(f.Path, "request.messages.0") {
			return l.reject(f.Code, i, strings.TrimPrefix(strings.TrimPrefix(f.Path, "request.messages.0"), "."), "%s", f.Message)
		}
	}
	from := len(l.conv.Turns)
	for _, turn := range l.sdk.Turns {
		if l.sdk.Has(turn, eliza.Unknown) {
			return l.reject("bad_content", i, "content", "want parts of a known type, have another")
		}
		if err := l.turns(i, turn, m, text); err != nil {
			return err
		}
	}
	for n := from; n < len(l.conv.Turns); n++ {
		if t := &l.conv.Turns[n]; t.Role == eliza.Assistant && t.Raw == "" {
			if err := l.readText(i, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// turns adds what a message made of parts holds. An assistant's results become tool turns of their own, behind all
// calls of the same step.
func (l *list) turns(i int, turn eliza.Turn, m *message, text string) error {
	parts := l.sdk.Parts[turn.From:turn.To]
	for _, p := range parts {
		if p.Kind == eliza.Media {
			t := l.conv.Add(turn.Role, i)
			t.Raw, t.NoTarget = text, m.noTarget
			return nil
		}
	}
	var t *canonical.Turn
	begin := func() *canonical.Turn {
		if t == nil {
			t = l.conv.Add(turn.Role, i)
			t.NoTarget = m.noTarget
			if turn.Role == eliza.Assistant {
				t.Reasoning, l.thought = l.thought, ""
			}
		}
		return t
	}
	var results []canonical.Turn
	for n := 0; n < len(parts); n++ {
		p := parts[n]
		if len(results) > 0 && p.Kind != eliza.Result && p.Kind != eliza.Call {
			l.answers(i, results)
			t, results = nil, nil
		}
		switch p.Kind {
		case eliza.Text:
			begin().Body += p.Body
		case eliza.Reasoning:
			t := begin()
			t.Reasoning = canonical.Join(t.Reasoning, p.Body)
		case eliza.Call:
			if turn.Role != eliza.Assistant || jsontext.Blank(p.Name) {
				return l.reject("bad_tool_call", i, "", "want the name of a tool in a call, and calls in an assistant's turn alone")
			}
			t := begin()
			t.Calls = append(t.Calls, canonical.Call{ID: p.ID, Name: p.Name, Args: p.Value})
		case eliza.Result:
			r := canonical.Turn{ID: p.ID, Name: p.Name, Body: p.Body, Failed: p.Failed}
			if p.Value != "" {
				r.Body = canonical.Body(string(jsontext.AppendCompact(nil, p.Value)))
			}
			for ; p.Sub > 0; p.Sub-- {
				n++
				r.Body += parts[n].Body
			}
			results = append(results, r)
		case eliza.Aside:
			l.record.Count("loss."+p.Body, 1)
		}
	}
	l.answers(i, results)
	return nil
}

// answers adds the turns of tools.
func (l *list) answers(i int, results []canonical.Turn) {
	for _, r := range results {
		t := l.conv.Add(eliza.Tool, i)
		t.ID, t.Name, t.Body, t.Failed = r.ID, r.Name, r.Body, r.Failed
	}
}

// withRole gives a message with the role as the AI SDK spells it.
func withRole(message string, k kind) string {
	b := []byte(`{"role":"` + sdkRoles[k] + `"`)
	c := jsontext.Cursor{Text: message}
	for key := range c.Members() {
		value := c.Value()
		if key != "role" && key != "from" {
			b = append(append(jsontext.AppendString(append(b, ','), key), ':'), value...)
		}
	}
	return string(append(b, '}'))
}

var sdkRoles = [...]string{system: "system", user: "user", assistant: "assistant", tool: "tool", observation: "tool"}

// isParts tells whether a list begins like parts: objects with a type.
func isParts(list string) bool {
	c := jsontext.Cursor{Text: list}
	for range c.Elements() {
		return jsontext.Body(jsontext.Lookup(c.Value(), "type")) != ""
	}
	return true
}

// declinable tells whether a content has blocks of the Anthropic interface, which the adapter of that name reads.
func declinable(content string) bool {
	c := jsontext.Cursor{Text: content}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		switch part := c.Value(); jsontext.Body(jsontext.Lookup(part, "type")) {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
			return true
		}
	}
	return false
}

// isFactoryParts tells whether parts are those of LLaMA-Factory, which hold a value.
func isFactoryParts(content string) bool {
	c := jsontext.Cursor{Text: content}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		part := c.Value()
		return jsontext.Body(jsontext.Lookup(part, "type")) != "" && jsontext.Lookup(part, "value") != ""
	}
	return false
}

// factoryParts adds a message of LLaMA-Factory's parts: text, reasoning, tool_call (formats, 3.12).
func (l *list) factoryParts(i int, k kind, m *message) error {
	role := map[kind]eliza.Role{system: eliza.System, user: eliza.User, assistant: eliza.Assistant, tool: eliza.Tool, observation: eliza.Tool}[k]
	t := l.conv.Add(role, i)
	t.NoTarget, t.ID, t.Name = m.noTarget, jsontext.Body(m.id), jsontext.Body(m.name)
	t.Reasoning, l.thought = l.thought, ""
	c := jsontext.Cursor{Text: m.content}
	for range c.Elements() {
		part := c.Value()
		value := jsontext.Lookup(part, "value")
		switch jsontext.Body(jsontext.Lookup(part, "type")) {
		case "text":
			t.Body += jsontext.Body(value)
		case "reasoning":
			t.Reasoning = canonical.Join(t.Reasoning, jsontext.Body(value))
		case "tool_call":
			if body, ok := jsontext.Quoted(value); ok {
				value = strings.TrimSpace(jsontext.Unquote(body))
			}
			found, ok := canonical.Call{}, false
			if strings.HasPrefix(value, "{") {
				found, ok = readCall(value)
			}
			if !ok {
				return l.reject("bad_tool_call", i, "content", "want a tool_call with the name of a tool, have none")
			}
			t.Calls = append(t.Calls, found)
		default:
			return l.reject("media", i, "content", "want parts of text, reasoning or tool_call, have another")
		}
	}
	return nil
}
