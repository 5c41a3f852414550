// Package session reads the transcripts of coding agents, as source "sessions" groups them, and writes eliza_native_v1 rows.
//
// A record is the events of one session: {"session": ..., "events": [...]}, {"loglines": [...]}, an export of opencode, or a list
// of its messages. The first event that only one agent writes decides whose session it is. Of its tree of events the
// path to the last one is the conversation; where the agent compacted it, the model went on with a summary, so what came
// before is a conversation of its own. Each conversation is a row.
package session

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "session".
var Plugin = build.Adapter{
	Name: "session",
	Doc:  "reads sessions of Claude Code, Codex, OpenClaw and opencode and writes eliza_native_v1 rows",
	Args: options{},
	Codes: map[string]string{
		"bad_block":   blocks.Codes["bad_block"],
		"bad_content": blocks.Codes["bad_content"],
		"bad_event":   "an event of the session is not what the agent writes, or its line was rejected by the source; what the model answered to is not known",
		"bad_role":    blocks.Codes["bad_role"],
	},
	New: func(a sdk.Args) (build.ReadFunc, error) {
		var o options
		err := a.Decode(&o)
		return func(record jsontext.JSON, row *build.Builder) error { return read(record, row, &o) }, err
	},

	Marks: build.Marked([]string{"events", "loglines", "parts"}, []string{"type", "role"}),
}.Plugin()

// An agent is a program that writes sessions.
type agent struct {
	name          string
	owns          func(event jsontext.JSON) bool           // reports whether only this agent writes such an event
	conversations func(s *session) ([]conversation, error) // finds the conversations, and counts the events that are in none
	add           func(s *session, t *conversation) error
}

var agents = []agent{
	{"claude-code", isClaude, claudeConversations, addClaude},
	{"codex", isCodex, codexConversations, addCodex},
	{"openclaw", isOpenClaw, openClawConversations, addOpenClaw},
	{"opencode", isOpenCode, openCodeConversations, addOpenCode},
}

// A session is one record while it is read.
type session struct {
	blocks.Conversation
	each   bool   // there is a row for each answer
	sides  bool   // there is a row for each run of a sub-agent
	path   string // of the list of events
	id     jsontext.JSON
	events []jsontext.JSON
	kept   []build.Member // of the record, for the metadata of each row
	from   []build.Member // of the events, for the metadata of each row
	lines  []line         // of Claude Code
	model  jsontext.JSON  // of the last answer
	fresh  int            // the first turn that the row before does not have

	system  jsontext.Body // of all conversations
	tools   jsontext.JSON
	toolsAt string
}

// A conversation is one conversation of a session.
type conversation struct {
	events  []int         // in order
	known   int           // how many of the first events the row before has too
	items   []item        // of Codex, in place of events
	summary jsontext.Body // what the agent replaced the conversation before by
	at      int           // the event of the summary
}

func read(record jsontext.JSON, row *build.Builder, o *options) error {
	s := session{Conversation: contents.New(row), each: o.Target == "each", sides: o.Sidechains == "row"}
	if !s.fill(record) {
		return sdk.Decline("want the events of a session")
	}
	var by *agent
	for _, event := range s.events {
		if i := slices.IndexFunc(agents, func(a agent) bool { return a.owns(event) }); i >= 0 {
			by = &agents[i]
			break
		}
	}
	if by == nil {
		return sdk.Decline("want events of a known agent")
	}
	for i, event := range s.events {
		if event.Kind() != '{' {
			return sdk.Reject("bad_event", s.at(i), "want an object, have %s: what the model answered to is not known", jsontext.KindName(event.Kind()))
		}
	}
	return s.write(by)
}

// fill finds the events of a record, and reports whether it has any.
func (s *session) fill(record jsontext.JSON) bool {
	if record.Kind() == '[' {
		s.events = record.List()
		return len(s.events) > 0 && s.events[0].Get("parts").Kind() == '['
	}
	for key, v := range record.Members() {
		switch {
		case (key == "events" || key == "loglines" || key == "messages") && v.Kind() == '[' && s.events == nil:
			s.path, s.events = key, v.List()
		case key == "format" || key == "conversations":
			return false
		case key == "session" && v.Kind() == '"':
			s.id = v
		default:
			s.kept = append(s.kept, build.Member{Key: jsontext.BodyOf(key), Value: v})
		}
	}
	return len(s.events) > 0
}

// at returns the path of an event.
func (s *session) at(i int) string {
	if s.path == "" {
		return strconv.Itoa(i)
	}
	return s.path + "." + strconv.Itoa(i)
}

// write writes a row for each conversation that has an answer.
func (s *session) write(by *agent) error {
	row := s.Row
	conversations, err := by.conversations(s)
	if err != nil {
		return err
	}
	model, written := s.model, 0
	for n := range conversations {
		s.begin(by)
		s.model = model
		if t := &conversations[n]; t.summary != "" {
			row.Add(canonical.User, t.at).Body = t.summary
		}
		if err := by.add(s, &conversations[n]); err != nil {
			return err
		}
		s.resultsFirst()
		if last := n == len(conversations)-1; !row.HasTargetFrom(s.fresh) && (!last || written > 0) {
			row.Count("loss.turn", len(row.Turns)) // compacted before the model answered, or the end of the session
			continue
		}
		for _, m := range s.from {
			row.Keep(m.Key.Text(), m.Value)
		}
		s.Settle("stop_reason", "")
		if s.model != "" {
			row.Identify("model", s.model)
		}
		if len(conversations) > 1 {
			s.id = row.ShareTrajectory().JSON()
		}
		if err := row.Emit(); err != nil {
			return err
		}
		written++
	}
	return nil
}

// begin begins the row of a conversation.
func (s *session) begin(by *agent) {
	row := s.Row
	row.Reset()
	s.Conversation = contents.New(row)
	s.fresh = 0
	row.Path, row.Shape = s.path, by.name
	if s.id != "" {
		row.Identify("trajectoryId", s.id)
	}
	for _, m := range s.kept {
		row.Keep(m.Key.Text(), m.Value)
	}
}

// resultsFirst puts the results of calls before what the user said while the tools ran: an answer with calls is followed by their results.
func (s *session) resultsFirst() {
	turns, from := s.Row.Turns, -1
	rank := func(t build.Message) int {
		if t.Role == canonical.Tool {
			return 0
		}
		return 1
	}
	for i := 0; i <= len(turns); i++ {
		if i < len(turns) && turns[i].Role != canonical.Assistant {
			continue
		}
		if from >= 0 && i-from > 1 {
			slices.SortStableFunc(turns[from:i], func(a, b build.Message) int { return rank(a) - rank(b) })
		}
		from = i + 1
	}
}

// note notes members of an event for the metadata: the first value of each counts. Others that differ are counted.
func (s *session) note(key string, value jsontext.JSON) {
	if !value.Truthy() {
		return
	}
	body := jsontext.BodyOf(key)
	for _, m := range s.from {
		if m.Key == body {
			if m.Value != value {
				s.Row.Count("loss.event_member", 1)
			}
			return
		}
	}
	s.from = append(s.from, build.Member{Key: body, Value: value})
}

// answered notes what is known of an answer, of which the row has that of its last one.
func (s *session) answered(model, stop, usage jsontext.JSON) {
	if s.model != "" && model != "" && s.model != model {
		s.Row.Count("loss.message_member", 1)
	}
	if model != "" {
		s.model = model
	}
	for field, v := range map[blocks.Field]jsontext.JSON{blocks.Stop: stop, blocks.Usage: usage} {
		if s.Field[field] != "" && s.Field[field] != v {
			s.Row.Count("loss.message_member", 1)
		}
		if s.Field[field] = v; v == "null" {
			s.Field[field] = ""
		}
	}
}

// repeated says that the row before has the turns too, and marks the answers from one on, so that none is the last of two rows.
func (s *session) repeated(from int) {
	s.fresh = len(s.Row.Turns)
	for i := from; s.each && i < len(s.Row.Turns); i++ {
		if t := &s.Row.Turns[i]; t.Role == canonical.Assistant {
			t.NoTarget = true
		}
	}
}

// refuse rejects the record for something in an event.
func (s *session) refuse(i int, code, under, format string, args ...any) error {
	return sdk.Reject(code, s.at(i)+"."+under, format, args...)
}

// lose counts events that no row has.
func (s *session) lose(name string, n int) { s.Row.Count("loss."+name, n) }
