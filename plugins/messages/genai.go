package messages

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// What spans of the OpenTelemetry conventions for generative models hold, by attribute.
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
		c := attributes.Cursor()
		for key := range c.Members() {
			a.row.Keep(key, c.Value())
		}
		c = attributes.Cursor()
		for range c.Elements() {
			pair := c.Value()
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
		return sdk.Reject("bad_message", tracedInput, "want messages, have another value")
	}
	if err := a.list(tracedInput, in); err != nil || out == "" {
		return err
	}
	return a.answered(tracedOutput, out)
}

// genAIKinds are the types of parts in messages of these conventions, whose text stands under "content".
var genAIKinds = []string{"text", "reasoning", "tool_call", "tool_call_response"}

// isGenAI reports whether parts are of these conventions.
func isGenAI(parts jsontext.JSON) bool {
	first := firstOf(parts)
	if first == "" {
		return false
	}
	kind := string(first.Get("type").Body())
	return slices.Contains(genAIKinds, kind) && (first.Get("content") != "" || kind == "tool_call" || kind == "tool_call_response")
}

// genAIParts adds a message of such parts: the results in it first, then what is said.
func (a *adapter) genAIParts(m *message) error {
	m.unshown(m.content, m.toolCalls, m.function, m.refusal)
	a.left(m)
	var said, thought build.Joiner
	thought.Add("", a.thought.Take())
	thought.Add(build.BlankLine, m.reasoning.Body())
	var found []build.Call
	c := m.list.Cursor()
	for range c.Elements() {
		part := c.Value()
		switch part.Get("type").Body() {
		case "text":
			a.row.Leave("loss.part_member", part, "type", "content")
			said.Add(a.row.Joiner(), textBody(part.Get("content")))
		case "reasoning", "thinking":
			a.row.Leave("loss.part_member", part, "type", "content")
			thought.Add(build.BlankLine, textBody(part.Get("content")))
		case "tool_call":
			call, ok := readCall(part)
			if !ok || m.role != canonical.Assistant {
				return a.reject("bad_tool_call", m.at, "parts", "want the name of a tool in a call, and calls in an assistant's turn alone")
			}
			found = append(found, call)
		case "tool_call_response":
			a.row.Leave("loss.part_member", part, "type", "id", "name", "response", "result")
			t := a.row.Add(canonical.Tool, m.at)
			t.ID, t.Name = part.Get("id").Body(), part.Get("name").Body()
			if value := part.Get("response"); value != "" {
				t.Body = textBody(value)
			} else {
				t.Body = textBody(part.Get("result"))
			}
		default:
			return a.reject("media", m.at, "parts", "want parts of text, reasoning, calls and their responses, have another")
		}
	}
	if m.role == canonical.Tool && said.Body() == "" {
		return nil
	}
	t := a.row.Add(m.role, m.at)
	t.Body, t.Reasoning, t.NoTarget, t.Name = said.Body(), thought.Body(), m.noTarget, m.name.Body()
	t.Calls = append(t.Calls, found...)
	if m.role == canonical.Assistant && len(found) == 0 {
		return a.readText(t)
	}
	return nil
}
