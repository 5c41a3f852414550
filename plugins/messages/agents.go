package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// typeRole returns the role that the type of a LangChain message or the name of its class says, or "".
func typeRole(name jsontext.JSON) string {
	word := name.Text()
	class, isClass := strings.CutSuffix(strings.TrimSuffix(word, "Chunk"), "Message")
	if isClass {
		word = strings.ToLower(class)
	}
	switch word {
	case "human", "ai", "system", "tool", "function", "chat":
		return word
	}
	return ""
}

// langChain replaces a message that LangChain has serialised by what it holds: an object of its constructor, one with "data", or one whose
// role is its type.
func (m *message) langChain() {
	if m.from != "" {
		return
	}
	if m.item == "" && m.inner.Get("role").Kind() == '"' && m.text.Get("message") == m.inner { // a choice of a completion
		inner := message{at: m.at, text: m.inner, finish: m.finish, left: m.left - 1}
		for key, v := range m.inner.Members() {
			inner.take(key, v)
		}
		*m = inner
		return
	}
	role := typeRole(m.item)
	if role == "" && m.inner.Kind() == '{' && m.text.Get("lc") != "" {
		if class := m.text.Get("id").List(); len(class) > 0 {
			role = typeRole(class[len(class)-1])
		}
	}
	switch {
	case role == "":
		return
	case m.inner.Kind() == '{':
		inner := message{at: m.at, text: m.inner}
		for key, v := range m.inner.Members() {
			inner.take(key, v)
		}
		if inner.item != "" && typeRole(inner.item) == "" {
			inner.left++
		}
		inner.left += aroundLangChain(m.text)
		*m = inner
	}
	m.item = ""
	if m.from == "" {
		m.from = jsontext.JSON(`"` + role + `"`)
	}
}

// aroundLangChain counts the members around a serialised message that say more than of what class it is.
func aroundLangChain(object jsontext.JSON) (left int) {
	for key, v := range object.Members() {
		switch key {
		case "kwargs", "data", "lc":
		case "type":
			if v != `"constructor"` && typeRole(v) == "" {
				left++
			}
		case "id":
			for _, name := range v.Elements() {
				if name := name.Text(); !slices.Contains(langChainNames, name) && typeRole(jsontext.Quote(name)) == "" {
					left++
				}
			}
		default:
			if v != "null" {
				left++
			}
		}
	}
	return left
}

// langChainNames are the modules of LangChain that define messages.
var langChainNames = []string{"langchain", "langchain_core", "schema", "messages"}

// events are the types of AutoGen's messages and events, with what they are.
var events = map[string]string{
	"TextMessage": "text", "MultiModalMessage": "text", "StopMessage": "text", "HandoffMessage": "text", "StructuredMessage": "text",
	"ToolCallRequestEvent": "calls", "ToolCallMessage": "calls", "ToolCallExecutionEvent": "results", "ToolCallResultMessage": "results",
	"ThoughtEvent": "thought", "ToolCallSummaryMessage": "tool_summary", "MemoryQueryEvent": "memory", "UserInputRequestedEvent": "input_request",
	"ModelClientStreamingChunkEvent": "chunk", "CodeGenerationEvent": "code_event", "CodeExecutionEvent": "code_event",
}

func isEvent(name jsontext.JSON) bool { return events[name.Text()] != "" }

// event adds a message or an event of AutoGen: the agents other than the user are the assistant. The summary of a tool call repeats its
// results and no model said it, so it is counted.
func (a *adapter) event(m *message) error {
	what := events[m.item.Text()]
	a.row.Leave("loss.message_member", m.text, "type", "source", "content")
	speaker := m.source.Word()
	if speaker != "user" && speaker != "user_proxy" {
		a.row.Leave("loss.message_member", `{"source":`+m.source+`}`)
	}
	switch what {
	case "text":
		role := canonical.Assistant
		if speaker == "user" || speaker == "user_proxy" {
			role = canonical.User
		}
		plain := message{at: m.at, role: role, content: m.content}
		if m.content.Kind() != '"' {
			plain.text = `{"role":"` + jsontext.JSON(role.String()) + `","content":` + m.content + `}`
			plain.from = jsontext.JSON(`"` + role.String() + `"`)
			return a.partsMessage(&plain)
		}
		return a.textMessage(&plain)
	case "thought":
		a.thought.Add(build.BlankLine, m.content.Body())
	case "calls":
		found, ok := calls.Objects(m.content)
		if !ok || len(found) == 0 {
			return a.reject("bad_tool_call", m.at, "content", "want calls with the names of tools, have %s", unnamed(m.content))
		}
		t := a.row.Add(canonical.Assistant, m.at)
		t.Reasoning, t.Calls = a.thought.Take(), append(t.Calls, found...)
	case "results":
		for _, result := range m.content.Elements() {
			id, err := a.idOf(m, "content", result.Get("call_id"))
			if err != nil {
				return err
			}
			t := a.row.Add(canonical.Tool, m.at)
			t.ID, t.Name, t.Body = id, result.Get("name").Body(), build.AsText(result.Get("content"))
			t.Failed = result.Get("is_error") == "true"
			a.row.Leave("loss.part_member", result, "call_id", "name", "content", "is_error")
		}
	default:
		a.row.Count("loss."+what, 1)
	}
	return nil
}

// isAgentParts reports whether the parts of a message are those of agent frameworks, which have calls and results beside texts: Azure's
// evaluation rows, AgentScope, LlamaIndex, and LangChain around Anthropic's blocks. Rows that are all of the Anthropic interface are
// for the adapter of that name.
func (a *adapter) isAgentParts(m *message) bool {
	for _, part := range m.content.Elements() {
		switch part.Get("type").Body() {
		case "tool_call":
			return part.Get("value") == ""
		case "tool_result":
			if m.role == canonical.Tool || m.role == canonical.System || part.Get("tool_result") != "" || part.Get("tool_use_id") == "" {
				return true
			}
			return a.otherRoles()
		case "tool_use", "thinking":
			return m.toolCalls.Truthy() || a.otherRoles()
		case "":
			if part.Get("block_type") != "" {
				return true
			}
		}
	}
	return false
}

// otherRoles reports whether the list that is read has a message of a role that the Anthropic interface has not.
func (a *adapter) otherRoles() bool {
	if a.mixed == nil {
		mixed := false
		for _, v := range a.listing.Elements() {
			role := cmp.Or(v.Get("role"), v.Get("from"), v.Get("type"))
			mixed = mixed || role != `"user"` && role != `"assistant"`
		}
		a.mixed = &mixed
	}
	return *a.mixed
}

// agentParts adds a message of such parts: the text with its calls, and each result as a turn of its own.
func (a *adapter) agentParts(m *message) error {
	if m.role != canonical.Assistant {
		m.unshown(m.toolCalls)
	}
	m.unshown(m.function, m.refusal)
	a.left(m)
	var said build.Said
	said.Thought.Add("", a.thought.Take())
	said.Thought.Add(build.BlankLine, m.reasoning.Body())
	for _, part := range m.content.Elements() {
		switch kind := cmp.Or(part.Get("type"), part.Get("block_type")).Text(); kind {
		case "text", "input_text", "output_text":
			a.row.Leave("loss.part_member", part, "type", "block_type", "text")
			said.Text.Add(a.row.Joiner(), part.Get("text").Body())
		case "thinking", "reasoning":
			a.row.Leave("loss.part_member", part, "type", "block_type", "thinking", "text")
			said.Thought.Add(build.BlankLine, cmp.Or(part.Get("thinking"), part.Get("text")).Body())
		case "tool_call", "tool_use":
			if kind == "tool_use" && m.toolCalls.Truthy() {
				a.row.Leave("loss.part_member", part, "type") // the message has its calls twice
				continue
			}
			inner := part
			if wrapped := part.Get("tool_call"); wrapped.Kind() == '{' {
				a.row.Leave("loss.part_member", part, "type", "tool_call")
				inner = wrapped
			}
			call, ok := calls.Object(inner)
			if !ok || m.role != canonical.Assistant {
				return a.reject("bad_tool_call", m.at, "content", "want the name of a tool in a call, and calls only in turns of the assistant, have %s", unnamedIn(m.role, inner))
			}
			said.Calls = append(said.Calls, call)
		case "tool_result":
			if m.role == canonical.Assistant { // behind the call in this message
				if err := a.agentSaid(m, &said); err != nil {
					return err
				}
				said = build.Said{}
			}
			if err := a.agentResult(m, part); err != nil {
				return err
			}
		default:
			return a.reject("media", m.at, "content", "want parts of text, thoughts, calls and results, have %s", jsontext.Seen(part.Get("type")))
		}
	}
	return a.agentSaid(m, &said)
}

// agentResult adds a result: its value is under the part's own type, or its output or content.
func (a *adapter) agentResult(m *message, part jsontext.JSON) error {
	id, err := a.idOf(m, "content", cmp.Or(part.Get("tool_use_id"), part.Get("tool_call_id"), part.Get("id"), m.id))
	if err != nil {
		return err
	}
	a.row.Leave("loss.part_member", part, "type", "tool_result", "output", "content", "tool_use_id", "tool_call_id", "id", "name", "is_error")
	t := a.row.Add(canonical.Tool, m.at)
	t.ID = id
	t.Name, t.Failed = cmp.Or(part.Get("name"), m.toolName()).Body(), m.failed || part.Get("is_error") == "true"
	t.Body = a.outputText(cmp.Or(part.Get("tool_result"), part.Get("output"), part.Get("content")))
	return nil
}

// toolName returns the name that a tool's message has.
func (m *message) toolName() jsontext.JSON {
	if m.role == canonical.Tool {
		return m.name
	}
	return ""
}

// agentSaid adds what a message of such parts says besides its results.
func (a *adapter) agentSaid(m *message, said *build.Said) error {
	text, thought := said.Text.Take(), said.Thought.Take()
	if m.role == canonical.Tool && text != "" {
		a.result(m, text)
		return nil
	}
	if text == "" && thought == "" && len(said.Calls) == 0 && !m.toolCalls.Truthy() {
		return nil
	}
	t := a.row.Add(m.role, m.at)
	t.Body, t.Reasoning, t.NoTarget = text, thought, m.noTarget
	if m.role != canonical.System {
		t.Name = m.name.Body()
	}
	t.Calls = append(t.Calls, said.Calls...)
	if m.role != canonical.Assistant {
		return nil
	}
	if err := a.memberCalls(t, m); err != nil {
		return err
	}
	if len(t.Calls) == 0 {
		return a.readText(t)
	}
	return nil
}

// isEvaluated reports whether the record is a row of an evaluation: a query and a response of which one is a list of messages.
func (a *adapter) isEvaluated() bool {
	query, answer := a.row.Kept("query"), a.record.members[response]
	return isFull(query) && answer.Truthy() || query.Kind() == '"' && isFull(answer)
}

// evaluated reads the query with the response.
func (a *adapter) evaluated() error {
	query := a.row.Kept("query")
	a.row.Forget("query")
	if err := a.asked("query", query); err != nil {
		return err
	}
	return a.answered("response", a.of(response))
}

// isRounds reports whether the record has what the user and the assistant said in two lists of texts, or one text of each under these
// names.
func (a *adapter) isRounds() bool {
	if a.row.Kept("user").Kind() == '"' && a.row.Kept("assistant").Kind() == '"' {
		return !a.record.members[prompt].Truthy() && a.questionColumn() == ""
	}
	return a.hasLists()
}

// hasLists reports whether the record has a list of texts of each side.
func (a *adapter) hasLists() bool {
	return a.record.members[input].First().Kind() == '"' && a.record.members[output].First().Kind() == '"'
}

// rounds reads what the two said in turn.
func (a *adapter) rounds() error {
	if err := a.begin(); err != nil {
		return err
	}
	var user, assistant []jsontext.JSON
	path := "output"
	if a.hasLists() {
		user, assistant = a.of(input).List(), a.of(output).List()
	} else {
		a.row.Keep("question", a.row.Kept("user")) // as which it is asked about the material beside it
		a.row.Forget("user")
		_, asked, err := a.askedText()
		if err != nil {
			return err
		}
		user, assistant, path = []jsontext.JSON{asked.JSON()}, []jsontext.JSON{a.row.Kept("assistant")}, "assistant"
		a.row.Forget("assistant")
	}
	isText := func(v jsontext.JSON) bool { return v.Kind() == '"' }
	if len(user) != len(assistant) || !slices.ContainsFunc(user, isText) {
		return a.reject("bad_message", 0, "", "want an answer for each of %d questions, have %d", len(user), len(assistant))
	}
	a.row.Path = path
	for i := range user {
		if !isText(user[i]) || !isText(assistant[i]) {
			return a.reject("bad_message", i, "", "want texts, have %s", jsontext.KindName(cmp.Or(assistant[i], user[i]).Kind()))
		}
		if err := a.textMessage(&message{at: i, role: canonical.User, content: user[i]}); err != nil {
			return err
		}
		if err := a.textMessage(&message{at: i, role: canonical.Assistant, content: assistant[i]}); err != nil {
			return err
		}
	}
	return nil
}

// unnamed names what is in the place of a call with a name.
func unnamed(call jsontext.JSON) string {
	if call.Kind() != '{' {
		return jsontext.KindName(call.Kind())
	}
	return "an object without a name"
}

// unnamedIn says what is wrong with a call in a turn of a role.
func unnamedIn(role canonical.Role, call jsontext.JSON) string {
	if role != canonical.Assistant {
		return "a call of the " + role.String()
	}
	return unnamed(call)
}
