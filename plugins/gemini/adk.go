package gemini

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ofADK reads what Google's Agent Development Kit saves: a session, a set of conversations for evaluation, or one of these.
func ofADK(c *blocks.Conversation, record jsontext.JSON) error {
	row := c.Row
	if events := row.Kept("events"); isEvent(events.First()) {
		row.Forget("events")
		row.Path, row.Shape = "events", "adk-session"
		return session(c, events)
	}
	for _, key := range []string{"eval_cases", "evalCases"} {
		if cases := row.Kept(key); hasCase(cases) {
			return evalSet(c, record, key, cases)
		}
	}
	if isCase(record) {
		row.Reset()
		return evalCase(c, record, "")
	}
	if isAsked(record) {
		row.Reset()
		return evaluated(c, record)
	}
	return sdk.Decline("want contents with parts, or messages with an author")
}

// isEvent reports whether a value is an event of a session.
func isEvent(value jsontext.JSON) bool {
	author, spoke := false, false
	for key, v := range value.Members() {
		switch key {
		case "author":
			author = v.Kind() == '"'
		case "content", "actions", "invocation_id", "invocationId":
			spoke = true
		}
	}
	return author && spoke
}

// A run is a session while it is read.
type run struct {
	*blocks.Conversation
	agent jsontext.JSON  // who answered last
	model jsontext.JSON  // that answered first
	begun map[string]int // the first turn of each invocation
}

// session adds the turns of all events. Several agents may answer in it.
func session(c *blocks.Conversation, events jsontext.JSON) error {
	if err := c.Row.CheckRepair(); err != nil {
		return err
	}
	if err := tools(c); err != nil {
		return err
	}
	system(c)
	s := run{Conversation: c, begun: map[string]int{}}
	for i, value := range events.Elements() {
		if err := s.event(i, value); err != nil {
			return err
		}
	}
	if s.agent != "" {
		c.Row.Identify("agentId", s.agent)
		for i := range c.Row.Turns { // whose turns need no name
			if t := &c.Row.Turns[i]; t.Role == canonical.Assistant && t.Name == s.agent.Body() {
				t.Name = ""
			}
		}
	}
	if s.model != "" {
		c.Row.Identify("model", s.model)
	}
	c.Settle("finishReason", "other")
	return nil
}

// An event is one element of a session, its members as JSON.
type event struct {
	author, content, actions, partial, invocation jsontext.JSON
	usage, stop, model                            jsontext.JSON
}

// eventMembers are the names of an event's members, in both spellings.
var eventMembers = []string{
	"author", "content", "actions", "partial", "invocation_id", "invocationId", "usage_metadata", "usageMetadata", "finish_reason", "finishReason",
	"model_version", "modelVersion",
}

// event adds the turns of one event. One without a content, such as a change of the state, is counted, and so is a piece of an
// answer that comes whole in a later event.
func (s *run) event(i int, value jsontext.JSON) error {
	var e event
	left := 0
	value.Fill(eventMembers, []*jsontext.JSON{
		&e.author, &e.content, &e.actions, &e.partial, &e.invocation, &e.invocation, &e.usage, &e.usage, &e.stop, &e.stop, &e.model, &e.model,
	}, func(_ string, v jsontext.JSON) { // its time, its id, what it searched
		if v.Truthy() {
			left++
		}
	})
	if e.author.Kind() != '"' {
		return sdk.Reject("bad_content", "events."+strconv.Itoa(i)+".author", "want the name of an author, have %s", jsontext.KindName(e.author.Kind()))
	}
	for _, v := range e.actions.Unique() {
		if v.Value.Truthy() {
			left++
		}
	}
	if e.invocation.Truthy() {
		left++
	}
	s.Row.Count("loss.event_member", left)
	s.rewind(&e)
	parts := e.content.Get("parts")
	if e.partial == "true" || parts.First() == "" {
		s.Row.Count("loss.event", 1)
		return nil
	}
	s.Row.Leave("loss.message_member", e.content, "role", "parts")
	return s.say(i, &e, parts)
}

// rewind takes back the turns from an invocation on, as the event asks.
func (s *run) rewind(e *event) {
	id := string(e.invocation)
	if _, ok := s.begun[id]; !ok && id != "" {
		s.begun[id] = len(s.Row.Turns)
	}
	to := either(e.actions, "rewind_before_invocation_id", "rewindBeforeInvocationId")
	if from, ok := s.begun[string(to)]; ok && to.Truthy() && from <= len(s.Row.Turns) {
		s.Row.Count("loss.rewound_turn", len(s.Row.Turns)-from)
		s.Row.Turns = s.Row.Turns[:from]
	}
}

// say adds the turns of an event's content, those of an agent with its name.
func (s *run) say(i int, e *event, parts jsontext.JSON) error {
	name, is := e.content.Get("role"), canonical.User
	if name == "" || name == "null" {
		if e.author != `"user"` {
			is = canonical.Assistant
		}
	} else if given, err := role(s.Conversation, name); err != nil {
		return sdk.Reject("bad_role", "events."+strconv.Itoa(i)+".content.role", "want user or model, have %s", jsontext.Seen(name))
	} else {
		is = given
	}
	from := len(s.Row.Turns)
	if err := s.AddBlocks(is, i, parts, ""); err != nil {
		return err
	}
	if is != canonical.Assistant {
		if e.author != `"user"` && s.agent != "" && e.author != s.agent { // who ran the tool
			s.Row.Count("loss.event_member", 1)
		}
		return nil
	}
	s.agent = e.author
	for n := range s.Row.Turns[from:] {
		if t := &s.Row.Turns[from+n]; t.Role == canonical.Assistant && t.Raw == "" {
			t.Name = e.author.Body()
		}
	}
	if s.model == "" {
		s.model = e.model
	} else if e.model.Truthy() && e.model != s.model {
		s.Row.Count("loss.event_member", 1)
	}
	for into, v := range map[*jsontext.JSON]jsontext.JSON{&s.Field[blocks.Usage]: e.usage, &s.Field[blocks.Stop]: e.stop} {
		if into.Truthy() { // of an earlier answer
			s.Row.Count("loss.event_member", 1)
		}
		if *into = v; v == "null" {
			*into = ""
		}
	}
	return nil
}
