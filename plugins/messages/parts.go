package messages

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// parted adds a message whose content is no string: parts of the AI SDK, of OpenAI or of LLaMA-Factory, or the JSON of
// a tool's result. What text cannot hold, such as an image, keeps the message as it stands, which a canonical row may.
func (l *list) parted(i int, k kind, m *message, text jsontext.JSON) error {
	if declinable(m.content) {
		return sdk.Decline("holds blocks of the Anthropic interface")
	}
	if k == tool || k == observation {
		if kind := m.content; kind != "" && (kind[0] == '{' || kind[0] == '[' && !isParts(kind)) || !m.parts && kind[0] != '[' {
			t := l.conv.Add(eliza.Tool, i)
			t.Body, t.ID, t.Name, t.Failed = textBody(m.content), m.id.Body(), m.name.Body(), m.failed
			return nil
		}
	}
	if k == thought || k == call || !m.parts && m.content[0] != '[' && m.content[0] != '{' {
		return l.reject("bad_content", i, "content", "want a string or parts, have another value")
	}
	if isFactoryParts(m.content) {
		return l.factoryParts(i, k, m)
	}
	if string(m.role) != `"`+sdkRoles[k]+`"` {
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
func (l *list) turns(i int, turn eliza.Turn, m *message, text jsontext.JSON) error {
	parts := l.sdk.Parts[turn.From:turn.To]
	for _, p := range parts {
		if p.Kind == eliza.Media {
			t := l.conv.Add(turn.Role, i)
			t.Raw, t.NoTarget = text, m.noTarget
			return nil
		}
	}
	var t *canonical.Turn
	var said, thought canonical.Joiner // of t
	begin := func() *canonical.Turn {
		if t == nil {
			t = l.conv.Add(turn.Role, i)
			t.NoTarget = m.noTarget
			if turn.Role == eliza.Assistant {
				t.Reasoning = l.thought.Take()
			}
			said = canonical.Joiner{}
			thought = canonical.Joiner{}
			thought.Add("", t.Reasoning)
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
			t := begin()
			said.Add("", p.Body)
			t.Body = said.Body()
		case eliza.Reasoning:
			t := begin()
			thought.Add(canonical.BlankLine, p.Body)
			t.Reasoning = thought.Body()
		case eliza.Call:
			if turn.Role != eliza.Assistant || p.Name.Blank() {
				return l.reject("bad_tool_call", i, "", "want the name of a tool in a call, and calls in an assistant's turn alone")
			}
			t := begin()
			t.Calls = append(t.Calls, canonical.Call{ID: p.ID, Name: p.Name, Args: p.Value})
		case eliza.Result:
			r := canonical.Turn{ID: p.ID, Name: p.Name, Body: p.Body, Failed: p.Failed}
			if p.Value != "" {
				r.Body = jsontext.BodyOf(jsontext.AppendCompact(nil, p.Value))
			}
			var told canonical.Joiner
			told.Add("", r.Body)
			for ; p.Sub > 0; p.Sub-- {
				n++
				told.Add("", parts[n].Body)
			}
			r.Body = told.Body()
			results = append(results, r)
		case eliza.Aside:
			l.record.Count("loss."+string(p.Body), 1)
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
func withRole(message jsontext.JSON, k kind) jsontext.JSON {
	b := []byte(`{"role":"` + sdkRoles[k] + `"`)
	c := jsontext.Cursor{JSON: message}
	for key := range c.Members() {
		value := c.Value()
		if key != "role" && key != "from" {
			b = append(append(jsontext.AppendString(append(b, ','), key), ':'), value...)
		}
	}
	return jsontext.JSON(append(b, '}'))
}

var sdkRoles = [...]string{system: "system", user: "user", assistant: "assistant", tool: "tool", observation: "tool"}

// isParts tells whether a list begins like parts: objects with a type.
func isParts(list jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: list}
	for range c.Elements() {
		return c.Value().Get("type").Body() != ""
	}
	return true
}

// declinable tells whether a content has blocks of the Anthropic interface, which the adapter of that name reads.
func declinable(content jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: content}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		switch part := c.Value(); part.Get("type").Body() {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
			return true
		}
	}
	return false
}

// isFactoryParts tells whether parts are those of LLaMA-Factory, which hold a value.
func isFactoryParts(content jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: content}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		part := c.Value()
		return part.Get("type").Body() != "" && part.Get("value") != ""
	}
	return false
}

// factoryParts adds a message of LLaMA-Factory's parts: text, reasoning, tool_call (formats, 3.12).
func (l *list) factoryParts(i int, k kind, m *message) error {
	role := map[kind]eliza.Role{system: eliza.System, user: eliza.User, assistant: eliza.Assistant, tool: eliza.Tool, observation: eliza.Tool}[k]
	t := l.conv.Add(role, i)
	t.NoTarget, t.ID, t.Name = m.noTarget, m.id.Body(), m.name.Body()
	var said, thought canonical.Joiner
	thought.Add("", l.thought.Take())
	c := jsontext.Cursor{JSON: m.content}
	for range c.Elements() {
		part := c.Value()
		value := part.Get("value")
		switch part.Get("type").Body() {
		case "text":
			said.Add("", value.Body())
		case "reasoning":
			thought.Add(canonical.BlankLine, value.Body())
		case "tool_call":
			if body, ok := value.Quoted(); ok {
				value, _ = body.Embedded()
			}
			found, ok := canonical.Call{}, false
			if value.Kind() == '{' {
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
	t.Body, t.Reasoning = said.Body(), thought.Body()
	return nil
}
