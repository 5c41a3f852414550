package messages

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// list reads every message of the list at path.
func (a *adapter) list(path string, messages jsontext.JSON) error {
	a.row.Path = path
	a.listing, a.mixed, a.parted = messages, nil, nil
	c := jsontext.Cursor{JSON: messages}
	for i := range c.Elements() {
		at, kind := &c, c.Kind()
		if kind == '"' { // a message in a string, as in some MCP corpora, or what the user says
			body, _ := c.String()
			inner, _ := body.Embedded()
			if inner.Kind() != '{' {
				a.row.Add(canonical.User, i).Body = body
				continue
			}
			at = &jsontext.Cursor{JSON: inner}
		}
		if at.Kind() != '{' {
			return a.reject("bad_message", i, "", "want an object or a text, have %s", jsontext.KindName(kind))
		}
		if err := a.message(i, at); err != nil {
			return err
		}
	}
	if a.defined != nil {
		tools := jsontext.JSON("[" + strings.Join(a.defined, ",") + "]")
		a.defined = nil
		return a.row.OfferTools(path, tools)
	}
	return nil
}

func (a *adapter) reject(code string, i int, member, format string, args ...any) error {
	return sdk.Reject(code, a.pathOf(i, member), format, args...)
}

// pathOf returns the path of a member of message i, or of the message.
func (a *adapter) pathOf(i int, member string) string {
	path := strings.TrimPrefix(a.row.Path+"."+strconv.Itoa(i), ".")
	if member != "" {
		path += "." + member
	}
	return path
}

// A message is one element of a list, its members as JSON.
type message struct {
	at   int
	role canonical.Role
	kind kind
	text jsontext.JSON // the whole element

	from, content, name, id, reasoning jsontext.JSON
	toolCalls, function, refusal       jsontext.JSON
	parts                              bool          // it has AI SDK members in addition to the content
	thoughtSaid                        bool          // the content may repeat the reasoning
	noTarget, failed, partly           bool          // partly: some parts are not to be trained on
	tools                              jsontext.JSON // a definition of tools in the message
	list                               jsontext.JSON // the member "parts"
	finish                             jsontext.JSON // why the message ended
	left                               int           // how many members no turn has a place for
	item                               jsontext.JSON // the type of an item of the OpenAI Responses interface
	human, assistant, system           jsontext.JSON // a round in one element, as in ms-swift and XTuner
	rounds, twice                      bool          // rounds: it has a member that only rounds have; twice: several that ask or answer
	plan                               jsontext.JSON // of Cohere
	inner, source                      jsontext.JSON // the message in a LangChain object; the agent of an AutoGen event
}

// message reads the message at the cursor.
func (a *adapter) message(i int, c *jsontext.Cursor) error {
	m := message{at: i}
	start := c.At
	for key := range c.Members() {
		m.take(key, c.Value())
	}
	m.text = c.JSON[start:c.At]
	if m.id != "" {
		id, err := a.idOf(&m, "tool_call_id", m.id)
		if err != nil {
			return err
		}
		m.id = id.JSON()
	}
	m.langChain()
	if m.from == "" && m.source.Kind() == '"' && isEvent(m.item) {
		return a.event(&m)
	}
	if m.tools.Truthy() && m.item != `"mcp_list_tools"` && a.row.OfferTools(a.pathOf(i, "tools"), m.tools) != nil {
		m.left++ // not a list of tools
	}
	switch {
	case m.from != "":
		m.unshown(m.human, m.assistant, m.system)
	case m.item != "":
		return a.item(&m)
	case m.rounds, m.human != "" && m.assistant != "":
		return a.round(&m)
	default:
		return a.reject("bad_message", i, "role", "want a role or from, have %s", jsontext.Describe(m.text))
	}
	if m.role, m.kind = roleOf(m.from); m.role == canonical.NoRole {
		return a.reject("unknown_role", i, "role", "want the role of a chat format, have %s", jsontext.Seen(m.from))
	}
	m.planned()
	if m.item != "" && m.item != `"message"` {
		m.left++
	}
	if m.role == canonical.Tool && m.content.Kind() == '{' && m.content.Get("function").Get("name") != "" {
		a.defined = append(a.defined, string(m.content)) // a tool that is offered, as some tracers log it
		m.misplaced()
		m.unshown(m.list)
		a.left(&m)
		return nil
	}
	if isGenAI(m.list) {
		return a.genAIParts(&m)
	}
	if kind := m.content.Kind(); m.parts || kind != 0 && kind != '"' && kind != 'n' && m.kind != callTurn {
		return a.partsMessage(&m)
	}
	m.misplaced()
	a.left(&m)
	return a.textMessage(&m)
}

// idOf returns the id of a call that a result names.
func (a *adapter) idOf(m *message, under string, value jsontext.JSON) (jsontext.Body, error) {
	id, ok := canonical.ReadID(value)
	if !ok {
		return "", a.reject("bad_tool_call", m.at, under, "want an id that is a string or a number, have %s", jsontext.KindName(value.Kind()))
	}
	return id, nil
}

// misplaced counts members that belong to messages of another role.
func (m *message) misplaced() {
	if m.role == canonical.Assistant && m.kind != callTurn && m.kind != thoughtTurn {
		return
	}
	m.unshown(m.toolCalls, m.function, m.refusal, m.reasoning)
	if m.role == canonical.System || m.role == canonical.Developer || m.role == canonical.Assistant {
		m.unshown(m.name)
	}
}

// round adds the turns of the user and the assistant that share one element.
func (a *adapter) round(m *message) error {
	if m.twice {
		return a.reject("bad_message", m.at, "", "want one question and one answer in a round, have %s", jsontext.Describe(m.text))
	}
	m.unshown(m.content, m.name, m.reasoning, m.toolCalls, m.function, m.refusal, m.list)
	a.left(m)
	if m.system.Truthy() {
		if err := a.system(m.at, build.AsText(m.system)); err != nil {
			return err
		}
	}
	if err := a.textMessage(&message{at: m.at, role: canonical.User, content: m.human}); err != nil {
		return err
	}
	return a.textMessage(&message{at: m.at, role: canonical.Assistant, content: m.assistant, noTarget: m.noTarget})
}

// unshown counts values that a turn of this kind cannot hold.
func (m *message) unshown(values ...jsontext.JSON) {
	for _, v := range values {
		if v.Truthy() {
			m.left++
		}
	}
}

// left counts the members of a message that its turn cannot hold.
func (a *adapter) left(m *message) {
	if m.id.Truthy() && m.role != canonical.Tool {
		m.left++
	}
	if m.finish.Truthy() && !a.record.members[finish].Truthy() { // the last one counts
		a.finish = m.finish
	} else if m.finish.Truthy() {
		m.left++
	}
	a.row.Count("loss.message_member", m.left)
	if m.partly {
		a.row.Count("loss.partial_target", 1)
	}
}

// take stores the member of a message under its meaning, and counts one that no turn has a place for.
func (m *message) take(key string, value jsontext.JSON) {
	switch ofRound(key) {
	case "role", "from":
		m.set(&m.from, value)
	case "content", "value":
		if m.content == "" || key == "content" {
			m.set(&m.content, value)
		} else if value != m.content {
			m.left++
		}
	case "tool_calls", "toolCalls", "toolcalls":
		if !m.toolCalls.Truthy() {
			m.toolCalls = value
		} else if value.Truthy() && value != m.toolCalls {
			m.left++
		}
	case "function_call":
		m.function = value
	case "tool_call_id", "toolCallId":
		m.set(&m.id, value)
	case "name", "toolName":
		m.set(&m.name, value)
	case "reasoning_content", "reasoning", "thinking", "thought":
		switch {
		case value.Kind() == '"' && value.Truthy():
			m.thoughtSaid = key == "thought"
			m.set(&m.reasoning, value)
		case value.Truthy():
			m.left++
		}
	case "refusal":
		if value.Truthy() {
			m.refusal = value
		}
	case "tools", "functions":
		m.set(&m.tools, value)
	case "parts":
		m.parts, m.list = m.parts || value.Truthy(), value
	case "toolInvocations", "experimental_attachments":
		m.parts = m.parts || value.Truthy()
	case "finish_reason", "finishReason":
		m.finish = value
	case "is_error", "isError":
		m.failed = value == "true"
	case "type":
		m.item = value
	case "human", "input", "user utterance":
		m.rounds = true
		m.half(&m.human, value)
	case "assistant", "output", "system response":
		m.rounds = true
		m.half(&m.assistant, value)
	case "user", "prompt", "question", "query", "instruction":
		m.half(&m.human, value)
	case "bot", "ai", "gpt", "response", "answer":
		m.half(&m.assistant, value)
	case "system":
		m.set(&m.system, value)
	default:
		if !m.takeForeign(key, value) && !m.trains(key, value) && value != "null" {
			m.left++
		}
	}
}

// takeForeign stores a member that only messages of some frameworks have, and reports whether it is one.
func (m *message) takeForeign(key string, value jsontext.JSON) bool {
	switch key {
	case "tool_call_ids": // of SWE-agent
		for i, id := range value.Elements() {
			if i == 0 {
				m.set(&m.id, id)
			} else {
				m.left++
			}
		}
	case "additional_kwargs": // of LangChain
		for key, v := range value.Members() {
			if key == "tool_calls" && v.Truthy() && !m.toolCalls.Truthy() {
				m.toolCalls = v
			} else if v.Truthy() {
				m.left++
			}
		}
	case "tool_plan": // of Cohere
		m.plan = value
	case "blocks": // of LlamaIndex
		if m.content == "" {
			m.content = value
		} else {
			m.left++
		}
	case "kwargs", "data", "message":
		m.inner = value
		m.left++
	case "source":
		m.source = value
		m.left++
	case "status":
		m.failed = m.failed || value == `"error"`
		if value.Truthy() && value != `"error"` && value != `"success"` {
			m.left++
		}
	case "example", "invalid_tool_calls", "tool_call_chunks", "response_metadata", "usage_metadata", "artifact", "annotations":
		if value.Truthy() {
			m.left++
		}
	default:
		return false
	}
	return true
}

// ofRound returns a key without the prefix of a part of a round, such as "input" for toy_input.
func ofRound(key string) string {
	if i := strings.LastIndexByte(key, '_'); i > 0 && slices.Contains([]string{"input", "output", "system"}, key[i+1:]) {
		return key[i+1:]
	}
	return key
}

// half stores one half of a round. Of two that are not the same neither can be left out.
func (m *message) half(into *jsontext.JSON, value jsontext.JSON) {
	m.twice = m.twice || into.Truthy() && value.Truthy() && *into != value
	if into.Truthy() && !value.Truthy() {
		return
	}
	m.set(into, value)
}

// set stores a member, and counts a different one of the same meaning that it replaces.
func (m *message) set(into *jsontext.JSON, value jsontext.JSON) {
	if into.Truthy() && *into != value {
		m.left++
	}
	*into = value
}

// trains reads a member that may exclude a message from training, and reports whether it is such a member. A message with
// an excluded part is no target, since a row cannot mark parts.
func (m *message) trains(key string, value jsontext.JSON) bool {
	switch key {
	case "weight", "loss_scale", "loss_weight":
		m.noTarget = m.noTarget || value.Kind() != 'n' && isZero(value)
		if !isZero(value) && value != "1" && value != "1.0" && value != "true" && value != "null" {
			m.left++
		}
	case "train", "loss", "training", "trainable", "output_with_loss":
		m.noTarget = m.noTarget || value == "false" || value == "0"
		if value != "false" && value != "0" && value != "true" && value != "1" && value != "null" {
			m.left++
		}
	case "masked":
		m.noTarget = m.noTarget || value == "true" || value == "1"
	case "train_detail":
		for _, v := range value.Elements() {
			m.partly = m.partly || v.Get("train") == "false"
		}
		m.noTarget = m.noTarget || m.partly
		if value.Truthy() {
			m.left++
		}
	default:
		return false
	}
	return true
}

// trainsParts looks for parts of the content that are excluded from training.
func (m *message) trainsParts() {
	if text := string(m.content); !strings.Contains(text, `"train"`) && !strings.Contains(text, `"weight"`) {
		return
	}
	untrained, all := false, true
	for _, part := range m.content.Elements() {
		weight := part.Get("weight")
		no := part.Get("train") == "false" || weight != "" && isZero(weight)
		untrained, all = untrained || no, all && no
	}
	m.noTarget = m.noTarget || untrained
	m.partly = m.partly || untrained && !all
}

// isZero reports whether a weight is zero, false, null or empty.
func isZero(weight jsontext.JSON) bool {
	return !weight.Truthy() || weight == `"0"` || weight == `"0.0"` || weight == "false"
}
