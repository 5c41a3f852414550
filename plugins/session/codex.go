package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An item is an item of the OpenAI Responses interface in an event of Codex.
type item struct {
	at   int // the event
	kind jsontext.Body
	json jsontext.JSON
}

func isCodex(event jsontext.JSON) bool {
	switch event.Get("type") {
	case `"message"`: // as the first versions wrote them
		kind := event.Get("content").First().Get("type")
		return kind == `"input_text"` || kind == `"output_text"`
	case `"session_meta"`, `"response_item"`, `"turn_context"`, `"event_msg"`, `"compacted"`:
		return event.Get("payload").Kind() == '{'
	}
	return false
}

// codexConversations takes the items that the model got and made, and leaves the log for people, unless it is all there is. After a
// compaction the model went on with other items, or with a summary.
func codexConversations(s *session) ([]conversation, error) {
	conversations := []conversation{{}}
	shown := !slices.ContainsFunc(s.events, func(event jsontext.JSON) bool {
		return event.Get("type") == `"response_item"` || event.Get("payload").Kind() != '{'
	})
	for i, event := range s.events {
		kind, payload := event.Get("type").Body(), event.Get("payload")
		t := &conversations[len(conversations)-1]
		if payload.Kind() != '{' { // as the first versions wrote them
			kind, payload = "response_item", event
		} else if kind == "response_item" || kind == "compacted" || kind == "session_meta" {
			s.Row.Leave("loss.event_member", event, "type", "payload")
		}
		switch kind {
		case "response_item":
			t.items = append(t.items, item{i, payload.Get("type").Body(), payload})
		case "compacted":
			conversations = append(conversations, conversation{at: i, summary: payload.Get("message").Body()})
			next := &conversations[len(conversations)-1]
			if history := payload.Get("replacement_history"); history.Kind() == '[' && !history.Empty() {
				s.Row.Leave("loss.event_member", payload, "replacement_history")
				next.summary = ""
				for _, v := range history.Elements() {
					next.items = append(next.items, item{i, v.Get("type").Body(), v})
				}
			} else {
				s.Row.Leave("loss.event_member", payload, "message")
			}
			next.known = len(next.items)
		case "session_meta":
			s.codexMeta(i, payload)
		case "turn_context":
			s.lose("event", 1)
			s.model = cmp.Or(payload.Get("model"), s.model)
		default:
			s.lose("event", 1)
			switch said := payload.Get("type").Body(); {
			case said == "thread_rolled_back":
				s.rollBack(t, payload.Get("num_turns"))
			case shown && (said == "user_message" || said == "agent_message" || said == "agent_reasoning"):
				t.items = append(t.items, item{i, said, payload})
			}
		}
	}
	return s.readable(conversations), nil
}

// codexMeta reads the header of a session. A session that continues another has the header of that one too.
func (s *session) codexMeta(i int, payload jsontext.JSON) {
	for _, m := range s.from {
		if m.Key == "cli_version" || m.Key == "cwd" {
			s.lose("event", 1)
			return
		}
	}
	for key, v := range payload.Members() {
		switch key {
		case "id":
			if s.id == "" {
				s.id = v
			}
			if s.id != v { // the source named the session by its file
				s.note("session_id", v)
			}
		case "cwd", "originator", "cli_version", "git", "source":
			s.note(key, v)
		case "model_provider":
			s.note("provider", v)
		case "base_instructions":
			if v.Kind() == '{' {
				s.Row.Leave("loss.event_member", v, "text")
				v = v.Get("text")
			}
			s.system = v.Body()
		case "dynamic_tools":
			s.tools, s.toolsAt = v, s.at(i)+".payload.dynamic_tools"
		default:
			if v != "null" {
				s.lose("event_member", 1)
			}
		}
	}
}

// scaffolds begin texts that the program puts before the words of the user, or says in the user's name.
var scaffolds = []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions", "<turn_aborted>", "<skill>", "<user_shell_command>", "<subagent_notification>"}

// rollBack leaves out what follows from the n-th last message of the user on.
func (s *session) rollBack(t *conversation, turns jsontext.JSON) {
	n, err := strconv.Atoi(string(turns))
	if err != nil {
		n = 1
	}
	from := len(t.items)
	for at := from - 1; at >= t.known && n > 0; at-- {
		if x := t.items[at]; x.kind == "user_message" || x.kind == "message" && x.json.Get("role") == `"user"` && !scaffold(x.json.Get("content")) {
			from = at
			n--
		}
	}
	s.lose("branch", len(t.items)-from)
	t.items = t.items[:from]
}

// scaffold reports whether a message of the user holds only what the program says.
func scaffold(content jsontext.JSON) bool {
	for _, block := range content.Elements() {
		text := strings.TrimSpace(block.Get("text").Text())
		own := false
		for _, mark := range scaffolds {
			own = own || strings.HasPrefix(text, mark)
		}
		if !own {
			return false
		}
	}
	return content.Kind() == '['
}

// readable leaves out the conversations that begin with what only the service can read, and counts their items.
func (s *session) readable(conversations []conversation) []conversation {
	kept := conversations[:1]
	for _, t := range conversations[1:] {
		hidden := t.summary == "" && t.known == 0
		for _, x := range t.items[:t.known] {
			hidden = hidden || x.json.Get("encrypted_content").Truthy() && x.kind != "reasoning"
		}
		if hidden {
			s.lose("encrypted", 1)
			s.lose("turn", len(t.items))
		} else {
			kept = append(kept, t)
		}
	}
	return kept
}

// addCodex adds the items of a conversation. Those of one answer of the model are one turn.
func addCodex(s *session, t *conversation) error {
	row := s.Row
	row.Merge = true
	if s.tools != "" {
		if err := row.SetTools(s.toolsAt, s.tools); err != nil {
			return err
		}
	}
	if s.system != "" {
		row.Turns = append([]build.Message{{Role: canonical.System, Body: s.system}}, row.Turns...)
	}
	for n, x := range t.items {
		from := len(row.Turns)
		if err := s.addItem(x); err != nil {
			return err
		}
		if n < t.known {
			s.repeated(from)
		}
	}
	return nil
}

// addItem adds one item.
func (s *session) addItem(x item) error {
	row, v := s.Row, x.json
	leave := func(read ...string) { row.Leave("loss.message_member", v, append(read, "type")...) }
	switch x.kind {
	case "message":
		leave("role", "content")
		role, ok := roles[v.Get("role").Body()]
		if !ok {
			return s.refuse(x.at, "bad_role", "role", "want user, assistant, developer or system, have %s", jsontext.Seen(v.Get("role")))
		}
		return s.addContent(role, x.at, v.Get("content"))
	case "user_message", "agent_message": // of a log for people alone
		role := canonical.User
		if x.kind == "agent_message" {
			role = canonical.Assistant
		}
		return s.addContent(role, x.at, v.Get("message"))
	case "agent_reasoning":
		row.Add(canonical.Assistant, x.at).Reasoning = v.Get("text").Body()
	case "reasoning":
		s.addReasoning(x)
	case "function_call":
		leave("name", "arguments", "call_id")
		s.addCall(x, build.Call{ID: v.Get("call_id").Body(), Name: v.Get("name").Body(), Args: v.Get("arguments")})
	case "custom_tool_call":
		leave("name", "input", "call_id")
		s.addCall(x, build.Call{ID: v.Get("call_id").Body(), Name: v.Get("name").Body(), Args: `{"input":` + cmp.Or(v.Get("input"), `""`) + `}`})
	case "local_shell_call":
		leave("call_id", "action")
		s.addCall(x, build.Call{ID: cmp.Or(v.Get("call_id").Body(), v.Get("id").Body()), Name: "local_shell", Args: v.Get("action")})
	case "tool_search_call":
		leave("call_id", "arguments")
		s.addCall(x, build.Call{ID: v.Get("call_id").Body(), Name: "tool_search", Args: v.Get("arguments")})
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		s.addOutput(x)
	default:
		s.lose("event", 1)
	}
	return nil
}

var roles = map[jsontext.Body]canonical.Role{
	"user": canonical.User, "assistant": canonical.Assistant, "developer": canonical.Developer, "system": canonical.System,
}

// addCall adds a call of the model.
func (s *session) addCall(x item, call build.Call) {
	t := s.Row.Add(canonical.Assistant, x.at)
	t.Calls = append(t.Calls, call)
}

// addReasoning adds the thoughts of the model, or else their summary. Most are encrypted.
func (s *session) addReasoning(x item) {
	s.Row.Leave("loss.message_member", x.json, "type", "content", "summary", "encrypted_content")
	if x.json.Get("encrypted_content").Truthy() {
		s.lose("redacted_thinking", 1)
	}
	var said build.Joiner
	for _, name := range []string{"content", "summary"} {
		list := x.json.Get(name)
		if said.Body() != "" && list.Truthy() {
			s.lose("message_member", 1)
			continue
		}
		for _, part := range list.Elements() {
			s.Row.Leave("loss.part_member", part, "type", "text")
			said.Add(build.BlankLine, part.Get("text").Body())
		}
	}
	if body := said.Body(); body != "" {
		s.Row.Add(canonical.Assistant, x.at).Reasoning = body
	}
}

// addOutput adds the result of a call: a text, blocks, or an object with one of these and whether the call succeeded.
func (s *session) addOutput(x item) {
	out, failed := x.json.Get("output"), false
	s.Row.Leave("loss.message_member", x.json, "type", "call_id", "output")
	if out.Kind() == '{' && (out.Get("content") != "" || out.Get("success") != "") {
		failed = out.Get("success") == "false"
		s.Row.Leave("loss.message_member", out, "content", "success")
		out = out.Get("content")
	}
	t := s.Row.Add(canonical.Tool, x.at)
	t.ID, t.Failed, t.Body = x.json.Get("call_id").Body(), failed, resultOf(&s.Conversation, out)
}
