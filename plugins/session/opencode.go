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

func isOpenCode(event jsontext.JSON) bool {
	stored := unwrapped(event)
	return event.Get("parts").Kind() == '[' && event.Get("info").Get("role") != "" ||
		stored.Get("messageID").Body() != "" && stored.Get("type").Body() != "" && stored.Get("sessionID") != ""
}

// unwrapped returns an object of opencode's storage: a session, a message or a part, which shared sessions have in "data".
func unwrapped(event jsontext.JSON) jsontext.JSON {
	if data := event.Get("data"); data.Kind() == '{' {
		return data
	}
	return event
}

// assemble makes messages with their parts of the objects of a storage, in the order of their ids, which are those of time.
func (s *session) assemble() {
	if !slices.ContainsFunc(s.events, func(e jsontext.JSON) bool { return e.Get("parts") == "" && unwrapped(e).Get("messageID") != "" }) {
		return
	}
	byID := func(a, b jsontext.JSON) int { return strings.Compare(string(a.Get("id")), string(b.Get("id"))) }
	parts := map[jsontext.JSON][]jsontext.JSON{}
	var messages []jsontext.JSON
	for _, event := range s.events {
		v := unwrapped(event)
		if v != event {
			s.Row.Leave("loss.event_member", event, "data")
		}
		switch id := v.Get("messageID"); {
		case id != "":
			parts[id] = append(parts[id], v)
		case v.Get("role") != "" && v.Get("sessionID") != "":
			messages = append(messages, v)
		case v.Get("id") != "" && v.Get("projectID") != "":
			s.kept = append(s.kept, build.Member{Key: "info", Value: v})
		default:
			s.lose("event", 1)
		}
	}
	slices.SortStableFunc(messages, byID)
	s.events = nil
	for _, m := range messages {
		id := m.Get("id")
		slices.SortStableFunc(parts[id], byID)
		var all build.Joiner
		for _, part := range parts[id] {
			all.Add(",", jsontext.Body(part))
		}
		delete(parts, id)
		s.events = append(s.events, `{"info":`+m+`,"parts":[`+jsontext.JSON(all.Body())+`]}`)
	}
	for _, alone := range parts { // of no message
		s.lose("event", len(alone))
	}
}

// openCodeConversations begins a conversation with each summary. What the user took back is left out.
func openCodeConversations(s *session) ([]conversation, error) {
	s.assemble()
	reverted := s.openCodeMeta()
	conversations := []conversation{{}}
	for i, event := range s.events {
		info := event.Get("info")
		if id := info.Get("id"); reverted != "" && id == reverted {
			s.lose("branch", len(s.events)-i)
			break
		}
		s.Row.Leave("loss.event_member", event, "info", "parts")
		if info.Get("summary") == "true" && info.Get("role") == `"assistant"` {
			var said build.Joiner
			for _, part := range event.Get("parts").Elements() {
				if part.Get("type") == `"text"` {
					s.Row.Leave("loss.part_member", part, "type", "text")
					said.Add(cmp.Or(s.Row.Joiner(), `\n`), part.Get("text").Body())
				} else {
					s.lose("part", 1)
				}
			}
			s.Row.Leave("loss.message_member", info, "role", "summary")
			conversations = append(conversations, conversation{at: i, summary: said.Body()})
			continue
		}
		t := &conversations[len(conversations)-1]
		t.events = append(t.events, i)
	}
	return conversations, nil
}

// openCodeMeta reads what an export says of its session, and returns the message that the user went back to.
func (s *session) openCodeMeta() (reverted jsontext.JSON) {
	for n, m := range s.kept {
		if m.Key != "info" {
			continue
		}
		s.kept = append(s.kept[:n:n], s.kept[n+1:]...)
		for key, v := range m.Value.Members() {
			switch key {
			case "id":
				if s.id == "" {
					s.id = v
				}
			case "title", "directory", "version", "agent", "parentID":
				s.note(key, v)
			case "revert":
				reverted = v.Get("messageID")
				s.lose("event_member", 1)
			default:
				s.lose("event_member", 1)
			}
		}
		break
	}
	return reverted
}

// addOpenCode adds the messages of a conversation.
func addOpenCode(s *session, t *conversation) error {
	for _, i := range t.events {
		info, parts := s.events[i].Get("info"), s.events[i].Get("parts")
		var err error
		switch role := info.Get("role"); role {
		case `"user"`:
			s.Row.Leave("loss.message_member", info, "role", "system")
			s.instruct(i, info.Get("system"))
			err = s.openCodeUser(i, parts)
		case `"assistant"`:
			s.Row.Leave("loss.message_member", info, "role", "system", "modelID", "providerID", "tokens", "finish")
			s.instruct(i, info.Get("system"))
			failed := info.Get("error")
			if failed.Truthy() && failed.Get("name") != `"MessageAbortedError"` { // the model does not get it again
				s.lose("broken_answer", 1)
				continue
			}
			from := len(s.Row.Turns)
			if err = s.openCodeAnswer(i, parts); failed.Truthy() {
				s.cutOff(from)
			}
			s.answered(info.Get("modelID"), info.Get("finish"), info.Get("tokens"))
			s.note("provider", info.Get("providerID"))
		default:
			err = s.refuse(i, "bad_role", "info.role", "want user or assistant, have %s", jsontext.Seen(role))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cutOff marks the answer with which an aborted message ends as not to be trained on.
func (s *session) cutOff(from int) {
	if n := len(s.Row.Turns) - 1; n >= from && s.Row.Turns[n].Role == canonical.Assistant {
		s.Row.Turns[n].NoTarget = true
	}
}

// instruct adds the system prompt, which some messages repeat, before all turns.
func (s *session) instruct(i int, system jsontext.JSON) {
	if !system.Truthy() {
		return
	}
	body := system.Body()
	if system.Kind() == '[' {
		var all build.Joiner
		for _, v := range system.Elements() {
			all.Add(build.BlankLine, v.Body())
		}
		body = all.Body()
	}
	turns := s.Row.Turns
	if len(turns) > 0 && turns[0].Role == canonical.System {
		if turns[0].Body != body {
			s.lose("system", 1)
		}
		return
	}
	s.Row.Turns = append([]build.Message{{Role: canonical.System, At: i, Body: body}}, turns...)
}

// openCodeUser adds a message of the user.
func (s *session) openCodeUser(i int, parts jsontext.JSON) error {
	var content build.Joiner
	for _, part := range parts.Elements() {
		switch kind := part.Get("type").Body(); {
		case kind == "text" && part.Get("ignored") != "true":
			content.Add(",", `{"type":"text","text":`+jsontext.Body(part.Get("text"))+`}`)
			s.Row.Leave("loss.part_member", part, "type", "text")
		case kind == "file":
			s.lose("media", 1)
		default:
			s.lose("part", 1)
		}
	}
	return s.addContent(canonical.User, i, jsontext.JSON("["+content.Body()+"]"))
}

// A step is one answer of the model and the results of its calls.
type step struct {
	said    build.Said
	results []build.Message
	last    jsontext.Body // the type of the part before
}

// openCodeAnswer adds an answer: its parts are those of several steps, each with the results of its calls.
func (s *session) openCodeAnswer(i int, parts jsontext.JSON) error {
	var now step
	for n, part := range parts.Elements() {
		kind := part.Get("type").Body()
		if kind == "step-start" || (kind == "text" || kind == "reasoning") && len(now.results) > 0 {
			if err := s.addStep(i, &now); err != nil {
				return err
			}
		}
		switch kind {
		case "text":
			if part.Get("ignored") == "true" {
				s.lose("part", 1)
				continue
			}
			s.Row.Leave("loss.part_member", part, "type", "text")
			by := s.Row.Joiner()
			if now.last != kind {
				by = cmp.Or(by, `\n`)
			}
			now.said.Text.Add(by, part.Get("text").Body())
		case "reasoning":
			s.Row.Leave("loss.part_member", part, "type", "text")
			now.said.Thought.Add(build.BlankLine, part.Get("text").Body())
		case "tool":
			if err := s.openCodeTool(i, n, &now, part); err != nil {
				return err
			}
		default:
			s.lose("part", 1)
		}
		now.last = kind
	}
	return s.addStep(i, &now)
}

// openCodeTool adds a call, and its result unless it was interrupted.
func (s *session) openCodeTool(i, n int, now *step, part jsontext.JSON) error {
	state, id, name := part.Get("state"), part.Get("callID").Body(), part.Get("tool").Body()
	s.Row.Leave("loss.part_member", part, "type", "tool", "callID", "state")
	s.Row.Leave("loss.part_member", state, "status", "input", "output", "error")
	now.said.Calls = append(now.said.Calls, build.Call{ID: id, Name: name, Args: state.Get("input")})
	result := build.Message{Role: canonical.Tool, At: i, ID: id, Name: name}
	switch status := state.Get("status"); status {
	case `"completed"`:
		result.Body = build.AsText(state.Get("output"))
		s.unsaid(state.Get("error"))
	case `"error"`:
		result.Body, result.Failed = build.AsText(state.Get("error")), true
		s.unsaid(state.Get("output"))
	case `"pending"`, `"running"`:
		s.unsaid(state.Get("output"))
		s.unsaid(state.Get("error"))
		return nil
	default:
		return s.refuse(i, "bad_block", "parts."+strconv.Itoa(n)+".state.status", "want completed, error, pending or running, have %s", jsontext.Seen(status))
	}
	now.results = append(now.results, result)
	return nil
}

// unsaid counts a value that has no place.
func (s *session) unsaid(v jsontext.JSON) {
	if v.Truthy() {
		s.lose("part_member", 1)
	}
}

// addStep adds the turns of a step and empties it.
func (s *session) addStep(i int, now *step) error {
	if err := s.Row.AddSaid(canonical.Assistant, i, &now.said, s.at(i)+".parts"); err != nil {
		return err
	}
	for _, r := range now.results {
		t := s.Row.Add(canonical.Tool, i)
		t.ID, t.Name, t.Failed, t.Body = r.ID, r.Name, r.Failed, r.Body
	}
	now.results = now.results[:0]
	return nil
}
