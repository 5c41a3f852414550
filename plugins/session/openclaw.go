package session

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func isOpenClaw(event jsontext.JSON) bool {
	switch event.Get("type") {
	case `"session"`:
		return event.Get("id") != "" && (event.Get("version") != "" || event.Get("cwd") != "")
	case `"message"`:
		return event.Get("id") != "" && event.Get("message").Kind() == '{'
	}
	return false
}

// openClawConversations follows the parents of the last entry. At a compaction the model went on with a summary and the entries that were kept.
func openClawConversations(s *session) ([]conversation, error) {
	path := s.openClawPath()
	conversations := []conversation{{}}
	on := make([]bool, len(s.events))
	position := map[jsontext.JSON]int{} // in the conversation
	again := 0                          // entries that a compaction kept
	broken := map[jsontext.JSON]bool{}  // calls of answers that broke off
	for _, i := range path {
		on[i] = true
		event := s.events[i]
		t := &conversations[len(conversations)-1]
		if s.brokeOff(event, broken) {
			s.lose("broken_answer", 1)
			continue
		}
		if event.Get("type") != `"compaction"` {
			position[event.Get("id")] = len(t.events)
			t.events = append(t.events, i)
			continue
		}
		next := conversation{at: i, summary: event.Get("summary").Body()}
		s.Row.Leave("loss.event_member", event, "type", "summary")
		if from, ok := position[event.Get("firstKeptEntryId")]; ok {
			next.events = append(next.events, t.events[from:]...)
			next.known = len(next.events)
		}
		if again += next.known; again > mostKept*len(path) {
			return nil, sdk.Reject("bad_event", s.at(i)+".firstKeptEntryId", "want compactions that keep at most %d times what the session has", mostKept)
		}
		clear(position)
		for n, i := range next.events {
			position[s.events[i].Get("id")] = n
		}
		conversations = append(conversations, next)
	}
	for i, event := range s.events {
		switch {
		case on[i]:
		case event.Get("type") == `"session"`:
			s.openClawMeta(event)
		case event.Get("type") == `"message"`:
			s.lose("branch", 1)
		default:
			s.lose("event", 1)
		}
	}
	return conversations, nil
}

// mostKept is how many times as many entries as a session has its compactions may keep together.
const mostKept = 4

// brokeOff reports whether an entry is an answer that failed or was aborted, which the model never gets again, or a result of its calls.
func (s *session) brokeOff(event jsontext.JSON, calls map[jsontext.JSON]bool) bool {
	m := event.Get("message")
	if id := m.Get("toolCallId"); id != "" {
		return calls[id]
	}
	if stop := m.Get("stopReason"); stop != `"error"` && stop != `"aborted"` {
		return false
	}
	for _, block := range m.Get("content").Elements() {
		if id := block.Get("id"); id != "" {
			calls[id] = true
		}
	}
	return true
}

// openClawPath returns the entries from the first to the last one, by their parents, or all where none has one.
func (s *session) openClawPath() (path []int) {
	index, chained := map[jsontext.JSON]int{}, false
	last := -1
	for i, event := range s.events {
		if event.Get("type") == `"session"` {
			continue
		}
		path, last = append(path, i), i
		if id := event.Get("id"); id.Body() != "" {
			index[id] = i
		}
		chained = chained || event.Get("parentId").Body() != ""
	}
	if !chained {
		return path
	}
	path = nil
	for i := last; i >= 0; {
		path = append(path, i)
		parent := s.events[i].Get("parentId")
		next, ok := index[parent]
		if !ok || next >= i {
			if parent.Body() != "" && s.events[0].Get("id") != parent {
				s.Row.Count("mended.parent", 1)
			}
			break
		}
		i = next
	}
	slices.Reverse(path)
	return path
}

// openClawMeta reads the header of a session.
func (s *session) openClawMeta(event jsontext.JSON) {
	for key, v := range event.Members() {
		switch key {
		case "id":
			if s.id == "" {
				s.id = v
			}
			if s.id != v { // the source named the session by its file
				s.note("session_id", v)
			}
		case "cwd":
			s.note(key, v)
		case "type":
		default:
			s.lose("event_member", 1)
		}
	}
}

// addOpenClaw adds the entries of a conversation.
func addOpenClaw(s *session, t *conversation) error {
	for n, i := range t.events {
		event, from := s.events[i], len(s.Row.Turns)
		switch event.Get("type").Body() {
		case "message":
			s.Row.Leave("loss.event_member", event, "type", "message")
			if err := s.openClawMessage(i, event.Get("message")); err != nil {
				return err
			}
		case "branch_summary":
			s.Row.Leave("loss.event_member", event, "type", "summary")
			s.Row.Add(canonical.User, i).Body = event.Get("summary").Body()
		case "custom_message":
			s.Row.Leave("loss.event_member", event, "type", "content")
			if err := s.addContent(canonical.User, i, event.Get("content")); err != nil {
				return err
			}
		default: // what the program notes for itself
			s.lose("event", 1)
		}
		if n < t.known {
			s.repeated(from)
		}
	}
	return nil
}

// openClawMessage adds one message.
func (s *session) openClawMessage(i int, m jsontext.JSON) error {
	content := m.Get("content")
	switch role := m.Get("role"); role {
	case `"user"`:
		s.Row.Leave("loss.message_member", m, "role", "content")
		return s.addContent(canonical.User, i, content)
	case `"assistant"`:
		s.Row.Leave("loss.message_member", m, "role", "content", "model", "provider", "stopReason", "usage")
		s.answered(m.Get("model"), m.Get("stopReason"), m.Get("usage"))
		s.note("provider", m.Get("provider"))
		return s.addContent(canonical.Assistant, i, content)
	case `"toolResult"`:
		s.Row.Leave("loss.message_member", m, "role", "content", "toolCallId", "toolName", "isError")
		t := s.Row.Add(canonical.Tool, i)
		t.ID, t.Name, t.Failed = m.Get("toolCallId").Body(), m.Get("toolName").Body(), m.Get("isError") == "true"
		t.Body = resultOf(&s.Conversation, content)
	case `"bashExecution"`, `"custom"`, `"branchSummary"`, `"compactionSummary"`:
		s.lose("event", 1)
	default:
		return s.refuse(i, "bad_role", "message.role", "want user, assistant or toolResult, have %s", jsontext.Seen(role))
	}
	return nil
}
