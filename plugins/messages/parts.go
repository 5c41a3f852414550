package messages

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// parted adds a message whose content is no string: parts of the AI SDK, of OpenAI or of LLaMA-Factory, or the JSON of
// a tool's result.
func (a *adapter) parted(m *message) error {
	begins := m.content.Kind()
	first := firstOf(m.content)
	m.trainsParts()
	typed := first.Get("type").Body() != ""
	switch {
	case declinable(m.content):
		return sdk.Decline("holds blocks of the Anthropic interface")
	case m.role == canonical.Tool && (begins == '{' || begins == '[' && first != "" && !typed || begins != '[' && !m.parts):
		m.misplaced()
		a.left(m)
		a.result(m, textBody(m.content))
		return nil
	case m.kind == thoughtTurn || m.kind == callTurn || begins != '[' && begins != '{' && !m.parts:
		return a.reject("bad_content", m.at, "content", "want a string or parts, have another value")
	case typed && first.Get("value") != "":
		m.unshown(m.toolCalls, m.function, m.refusal, m.reasoning)
		a.left(m)
		return a.factoryParts(m)
	}
	return a.sdkParts(m)
}

// firstOf returns the first element of a list, or "".
func firstOf(list jsontext.JSON) jsontext.JSON {
	c := jsontext.Cursor{JSON: list}
	if c.Kind() == '[' {
		for range c.Elements() {
			return c.Value()
		}
	}
	return ""
}

// declinable reports whether a content has blocks of the Anthropic interface, which the adapter of that name reads.
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

// sdkParts adds a message of parts that a canonical row may have too. What text cannot hold, such as an image, keeps the
// message as it stands.
func (a *adapter) sdkParts(m *message) error {
	if name := m.role.String(); string(m.from) != `"`+name+`"` {
		m.text = withRole(m.text, name)
	}
	a.parts.Read(`{"request":{"messages":[` + m.text + `]}}`)
	for _, f := range a.parts.Faults {
		if member, ours := strings.CutPrefix(f.Path, "request.messages.0"); ours {
			return a.reject(f.Code, m.at, strings.TrimPrefix(member, "."), "%s", f.Message)
		}
	}
	from := len(a.row.Turns)
	raw := slices.ContainsFunc(a.parts.Turns, func(t canonical.Turn) bool { return a.parts.Has(t, canonical.MediaPart) })
	if !raw { // else the message stays as it stands
		a.parts.Left(func(name string, n int) {
			if name != "loss.message_member" { // which left counts
				a.row.Count(name, n)
			}
		})
		a.left(m)
	}
	for _, turn := range a.parts.Turns {
		if a.parts.Has(turn, canonical.UnknownPart) {
			return a.reject("bad_content", m.at, "content", "want parts of a known type, have another")
		}
		if err := a.turns(m, turn); err != nil {
			return err
		}
	}
	for n := from; n < len(a.row.Turns); n++ {
		if t := &a.row.Turns[n]; t.Role == canonical.Assistant && t.Raw == "" {
			if err := a.readText(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// withRole returns a message with the role as the AI SDK spells it.
func withRole(message jsontext.JSON, role string) jsontext.JSON {
	b := []byte(`{"role":"` + role + `"`)
	c := jsontext.Cursor{JSON: message}
	for key := range c.Members() {
		value := c.Value()
		if key != "role" && key != "from" {
			b = append(append(jsontext.AppendString(append(b, ','), key), ':'), value...)
		}
	}
	return jsontext.JSON(append(b, '}'))
}

// turns adds what a message made of parts holds. An assistant's results become tool turns of their own, behind all
// calls of the same step.
func (a *adapter) turns(m *message, turn canonical.Turn) error {
	if a.parts.Has(turn, canonical.MediaPart) {
		t := a.row.Add(turn.Role, m.at)
		t.Raw, t.NoTarget = m.text, m.noTarget
		return nil
	}
	var t *build.Message
	var said, thought build.Joiner // of t
	begin := func() {
		if t != nil {
			return
		}
		t = a.row.Add(turn.Role, m.at)
		t.NoTarget, t.Name = m.noTarget, turn.Name
		said, thought = build.Joiner{}, build.Joiner{}
		if turn.Role == canonical.Assistant {
			t.Reasoning = a.thought.Take()
			thought.Add("", t.Reasoning)
		}
	}
	var results []build.Message
	parts := a.parts.Parts[turn.From:turn.To]
	for n := 0; n < len(parts); n++ {
		p := parts[n]
		if len(results) > 0 && p.Kind != canonical.ResultPart && p.Kind != canonical.CallPart {
			a.results(m, results)
			t, results = nil, nil
		}
		switch p.Kind {
		case canonical.TextPart:
			begin()
			said.Add(a.row.Joiner(), p.Body)
			t.Body = said.Body()
		case canonical.ReasoningPart:
			begin()
			thought.Add(build.BlankLine, p.Body)
			t.Reasoning = thought.Body()
		case canonical.CallPart:
			if turn.Role != canonical.Assistant || p.Name.Blank() {
				return a.reject("bad_tool_call", m.at, "", "want the name of a tool in a call, and calls in an assistant's turn alone")
			}
			begin()
			t.Calls = append(t.Calls, build.Call{ID: p.ID, Name: p.Name, Args: p.Value})
		case canonical.ResultPart:
			results = append(results, a.resultOf(p, parts[n+1:n+1+p.Sub]))
			n += p.Sub
		case canonical.AsidePart:
			a.row.Count("loss."+string(p.Body), 1)
		}
	}
	a.results(m, results)
	return nil
}

// resultOf returns what a tool said: a text, JSON, or the parts behind it.
func (a *adapter) resultOf(p canonical.Part, content []canonical.Part) build.Message {
	var told build.Joiner
	if told.Add("", p.Body); p.Value != "" {
		told = build.Joiner{}
		told.Add("", jsontext.BodyOf(jsontext.AppendCompact(nil, p.Value)))
	}
	for _, part := range content {
		told.Add(a.row.Joiner(), part.Body)
	}
	return build.Message{ID: p.ID, Name: p.Name, Body: told.Body(), Failed: p.Failed}
}

// results adds the turns of tools.
func (a *adapter) results(m *message, results []build.Message) {
	for _, r := range results {
		t := a.row.Add(canonical.Tool, m.at)
		t.ID, t.Name, t.Body, t.Failed = r.ID, r.Name, r.Body, r.Failed
	}
}

// factoryParts adds a message of LLaMA-Factory's parts, which hold a value: text, reasoning, tool_call.
func (a *adapter) factoryParts(m *message) error {
	t := a.row.Add(m.role, m.at)
	t.NoTarget, t.ID, t.Name = m.noTarget, m.id.Body(), m.name.Body()
	var said, thought build.Joiner
	thought.Add("", a.thought.Take())
	c := jsontext.Cursor{JSON: m.content}
	for range c.Elements() {
		part := c.Value()
		value := part.Get("value")
		a.row.Leave("loss.part_member", part, "type", "value")
		switch part.Get("type").Body() {
		case "text":
			said.Add(a.row.Joiner(), value.Body())
		case "reasoning":
			thought.Add(build.BlankLine, value.Body())
		case "tool_call":
			if body, ok := value.Quoted(); ok {
				value, _ = body.Embedded()
			}
			found, ok := readCall(value)
			if !ok {
				return a.reject("bad_tool_call", m.at, "content", "want a tool_call with the name of a tool, have none")
			}
			t.Calls = append(t.Calls, found)
		default:
			return a.reject("media", m.at, "content", "want parts of text, reasoning or tool_call, have another")
		}
	}
	t.Body, t.Reasoning = said.Body(), thought.Body()
	return nil
}
