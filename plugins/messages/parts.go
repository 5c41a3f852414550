package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// partsMessage adds a message whose content is no string: parts of the AI SDK, of OpenAI or of LLaMA-Factory, or the JSON of
// a tool's result.
func (a *adapter) partsMessage(m *message) error {
	begins := m.content.Kind()
	first := m.content.First()
	m.trainsParts()
	typed := first.Get("type").Body() != ""
	switch {
	case a.isAgentParts(m):
		return a.agentParts(m)
	case declinable(m.content):
		return sdk.Decline("holds blocks of the Anthropic interface")
	case m.role == canonical.Tool && (begins == '{' || begins == '[' && first != "" && !typed || begins != '[' && !m.parts):
		m.misplaced()
		a.left(m)
		a.result(m, build.AsText(m.content))
		return nil
	case m.role == canonical.Tool && begins == '[' && a.documents(m):
		return nil
	case m.kind == thoughtTurn && (begins == '[' || begins == '{'):
		m.misplaced()
		a.left(m)
		m.content = a.row.TextOf(m.content).JSON()
		return a.textMessage(m)
	case m.kind == thoughtTurn || m.kind == callTurn || begins != '[' && begins != '{' && !m.parts:
		return a.reject("bad_content", m.at, "content", "want a string or parts, have %s", jsontext.KindName(begins))
	case typed && first.Get("value") != "":
		m.unshown(m.toolCalls, m.function, m.refusal, m.reasoning)
		a.left(m)
		return a.factoryParts(m)
	}
	return a.sdkParts(m)
}

// declinable reports whether a content has blocks of the Anthropic interface, which the adapter of that name reads.
func declinable(content jsontext.JSON) bool {
	for _, part := range content.Elements() {
		switch part.Get("type").Body() {
		case "thinking":
			return part.Get("thinking").Kind() != '[' // Mistral has parts there
		case "tool_use", "tool_result", "redacted_thinking", "server_tool_use":
			return true
		}
	}
	return false
}

// sdkParts adds a message of parts that a canonical row may have too. A message with a part that text cannot hold, such as
// an image, is kept unchanged.
func (a *adapter) sdkParts(m *message) error {
	if name := m.role.String(); string(m.from) != `"`+name+`"` || m.text.Get("value") != "" {
		m.text = canonicalKeys(m.text, name)
	}
	a.parts.Read(`{"request":{"messages":[` + m.text + `]}}`)
	for _, f := range a.parts.Faults {
		if member, ours := strings.CutPrefix(f.Path, "request.messages.0"); ours {
			return a.reject(f.Code, m.at, strings.TrimPrefix(member, "."), "%s", f.Message)
		}
	}
	from := len(a.row.Turns)
	raw := slices.ContainsFunc(a.parts.Turns, func(t canonical.Turn) bool { return a.parts.Has(t, canonical.MediaPart) })
	if !raw { // else the message is kept unchanged
		a.parts.Left(func(name string, n int) {
			if name != "loss.message_member" { // left counts these
				a.row.Count(name, n)
			}
		})
		a.left(m)
	}
	for _, turn := range a.parts.Turns {
		if a.parts.Has(turn, canonical.UnknownPart) {
			return a.reject("bad_content", m.at, "content", "want parts of a known type, have %s", a.unknownPart(turn))
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

// unknownPart describes the first part that is not known, by its type where it has one.
func (a *adapter) unknownPart(turn canonical.Turn) string {
	for i := turn.From; i < turn.To; i++ {
		if p := &a.parts.Parts[i]; p.Kind == canonical.UnknownPart {
			return p.Seen()
		}
	}
	return "no part"
}

// canonicalKeys returns a message with the role as the AI SDK spells it, and its content under that name.
func canonicalKeys(message jsontext.JSON, role string) jsontext.JSON {
	b := []byte(`{"role":"` + role + `"`)
	says := message.Get("content") != ""
	for key, value := range message.Members() {
		if key == "role" || key == "from" {
			continue
		}
		if key == "value" && !says {
			key = "content"
		}
		b = append(jsontext.AppendKey(b, key), value...)
	}
	return jsontext.JSON(append(b, '}'))
}

// turns adds the turns of a message made of parts. Results in an assistant's message become tool turns of their own, after
// all calls of the same step.
func (a *adapter) turns(m *message, turn canonical.Turn) error {
	if a.parts.Has(turn, canonical.MediaPart) {
		t := a.row.Add(turn.Role, m.at)
		t.Raw, t.NoTarget = m.text, m.noTarget
		return nil
	}
	var t *build.Message
	var text, thought build.Joiner // of t
	begin := func() {
		if t != nil {
			return
		}
		t = a.row.Add(turn.Role, m.at)
		t.NoTarget, t.Name = m.noTarget, turn.Name
		text, thought = build.Joiner{}, build.Joiner{}
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
			a.row.Turns = append(a.row.Turns, results...)
			t, results = nil, nil
		}
		switch p.Kind {
		case canonical.TextPart:
			begin()
			text.Add(a.row.Joiner(), p.Body)
			t.Body = text.Body()
		case canonical.ReasoningPart:
			begin()
			thought.Add(build.BlankLine, p.Body)
			t.Reasoning = thought.Body()
		case canonical.CallPart:
			if turn.Role != canonical.Assistant || p.Name.Blank() {
				return a.reject("bad_tool_call", m.at, "", "want the name of a tool in a call, and calls only in turns of the assistant, have a call of the %s", turn.Role)
			}
			begin()
			t.Calls = append(t.Calls, build.Call{ID: p.ID, Name: p.Name, Args: p.Value})
		case canonical.ResultPart:
			results = append(results, a.resultOf(m, p, parts[n+1:n+1+p.Sub]))
			n += p.Sub
		case canonical.AsidePart:
			a.row.Count("loss."+string(p.Body), 1)
		}
	}
	a.row.Turns = append(a.row.Turns, results...)
	return nil
}

// resultOf returns the message of a tool: its text, its JSON, or the texts of its parts.
func (a *adapter) resultOf(m *message, p canonical.Part, content []canonical.Part) build.Message {
	body := p.Body
	if p.Value != "" {
		body = jsontext.BodyOf(jsontext.AppendPlain(nil, p.Value))
	}
	var text build.Joiner
	text.Add("", body)
	for _, part := range content {
		text.Add(a.row.Joiner(), part.Body)
	}
	return build.Message{Role: canonical.Tool, At: m.at, ID: p.ID, Name: p.Name, Body: text.Body(), Failed: p.Failed}
}

// factoryParts adds a message of LLaMA-Factory's parts, which hold a value: text, reasoning, tool_call.
func (a *adapter) factoryParts(m *message) error {
	t := a.row.Add(m.role, m.at)
	t.NoTarget, t.ID, t.Name = m.noTarget, m.id.Body(), m.name.Body()
	var text, thought build.Joiner
	thought.Add("", a.thought.Take())
	for _, part := range m.content.Elements() {
		value := part.Get("value")
		a.row.Leave("loss.part_member", part, "type", "value")
		switch part.Get("type").Body() {
		case "text":
			text.Add(a.row.Joiner(), value.Body())
		case "reasoning":
			thought.Add(build.BlankLine, value.Body())
		case "tool_call":
			found, ok := calls.Object(value.Inner())
			if !ok {
				return a.reject("bad_tool_call", m.at, "content", "want a tool_call with the name of a tool, have %s", unnamed(value.Inner()))
			}
			t.Calls = append(t.Calls, found)
		default:
			return a.reject("media", m.at, "content", "want parts of text, reasoning or tool_call, have %s", jsontext.Seen(part.Get("type")))
		}
	}
	t.Body, t.Reasoning = text.Body(), thought.Body()
	return nil
}

// Attributes of spans in the OpenTelemetry conventions for generative models.
const (
	tracedInput  = "gen_ai.input.messages"
	tracedOutput = "gen_ai.output.messages"
	tracedSystem = "gen_ai.system_instructions"
	tracedTools  = "gen_ai.tool.definitions"
	tracedModel  = "gen_ai.request.model"
)

// isTraced reports whether the record is a span, or the attributes of one.
func (a *adapter) isTraced() bool {
	return a.row.Kept(tracedInput) != "" || strings.Contains(string(a.row.Kept("attributes")), tracedInput)
}

// traced reads a span: attributes at the top or under "attributes", as an object or in the list of the wire format, whose
// values may be strings that hold JSON.
func (a *adapter) traced() error {
	if attributes := a.row.Kept("attributes"); a.row.Kept(tracedInput) == "" {
		a.row.Forget("attributes")
		for key, value := range attributes.Members() {
			a.row.Keep(key, value)
		}
		for _, pair := range attributes.Elements() {
			a.row.Leave("loss.part_member", pair, "key", "value")
			value := pair.Get("value")
			if inner := value.Get("stringValue"); inner != "" {
				a.row.Leave("loss.part_member", value, "stringValue")
				value = inner
			}
			a.row.Keep(pair.Get("key").Text(), value)
		}
	}
	take := func(name string) jsontext.JSON {
		value := opened(a.row.Kept(name))
		a.row.Forget(name)
		return value
	}
	if tools := take(tracedTools); tools != "" {
		a.take("tools", tools)
	}
	if system := take(tracedSystem); system != "" {
		a.take("system", system)
	}
	if err := a.begin(); err != nil {
		return err
	}
	if model := take(tracedModel); model != "" {
		a.row.Identify("model", model)
	}
	in, out := take(tracedInput), take(tracedOutput)
	if in.Kind() != '[' {
		return sdk.Reject("bad_message", tracedInput, "want messages, have %s", jsontext.KindName(in.Kind()))
	}
	if err := a.list(tracedInput, in); err != nil || out == "" {
		return err
	}
	return a.answered(tracedOutput, out)
}

// genAIKinds are the types of parts in these conventions, which hold their text under "content".
var genAIKinds = []string{"text", "reasoning", "tool_call", "tool_call_response"}

// isGenAI reports whether parts follow these conventions.
func isGenAI(parts jsontext.JSON) bool {
	if parts == "" {
		return false
	}
	first := parts.First()
	kind := string(first.Get("type").Body())
	return slices.Contains(genAIKinds, kind) && (first.Get("content") != "" || kind == "tool_call" || kind == "tool_call_response")
}

// genAIParts adds a message of such parts: its results first, then its text.
func (a *adapter) genAIParts(m *message) error {
	m.unshown(m.content, m.toolCalls, m.function, m.refusal)
	a.left(m)
	var text, thought build.Joiner
	thought.Add("", a.thought.Take())
	thought.Add(build.BlankLine, m.reasoning.Body())
	var found []build.Call
	for _, part := range m.list.Elements() {
		switch part.Get("type").Body() {
		case "text":
			a.row.Leave("loss.part_member", part, "type", "content")
			text.Add(a.row.Joiner(), build.AsText(part.Get("content")))
		case "reasoning", "thinking":
			a.row.Leave("loss.part_member", part, "type", "content")
			thought.Add(build.BlankLine, build.AsText(part.Get("content")))
		case "tool_call":
			call, ok := calls.Object(part)
			if !ok || m.role != canonical.Assistant {
				return a.reject("bad_tool_call", m.at, "parts", "want the name of a tool in a call, and calls only in turns of the assistant, have %s", unnamedIn(m.role, part))
			}
			found = append(found, call)
		case "tool_call_response":
			a.row.Leave("loss.part_member", part, "type", "id", "name", "response", "result")
			if len(found) > 0 { // in this message
				call := a.row.Add(m.role, m.at)
				call.Body, call.Reasoning, call.NoTarget, call.Name = text.Take(), thought.Take(), m.noTarget, m.name.Body()
				call.Calls, found = append(call.Calls, found...), nil
			}
			id, err := a.idOf(m, "parts", part.Get("id"))
			if err != nil {
				return err
			}
			t := a.row.Add(canonical.Tool, m.at)
			t.ID, t.Name = id, part.Get("name").Body()
			t.Body = build.AsText(cmp.Or(part.Get("response"), part.Get("result")))
		default:
			return a.reject("media", m.at, "parts", "want parts of text, reasoning, calls and their responses, have %s", jsontext.Seen(part.Get("type")))
		}
	}
	if text.Body() == "" && (m.role == canonical.Tool || len(found) == 0 && thought.Body() == "" && len(a.row.Turns) > 0 && a.row.Turns[len(a.row.Turns)-1].At == m.at) {
		return nil
	}
	t := a.row.Add(m.role, m.at)
	t.Body, t.Reasoning, t.NoTarget, t.Name = text.Body(), thought.Body(), m.noTarget, m.name.Body()
	t.Calls = append(t.Calls, found...)
	if m.role == canonical.Assistant && len(found) == 0 {
		return a.readText(t)
	}
	return nil
}
