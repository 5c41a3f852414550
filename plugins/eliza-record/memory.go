package elizarecord

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// memory adds the memory and the current message.
func (a *adapter) memory() error {
	if kind := a.record.memory.Kind(); kind != '[' && kind != 'n' && kind != 0 {
		return sdk.Reject("bad_memory", "memoryEntries", "want an array, have %s", jsontext.KindName(kind))
	}
	from := len(a.row.Turns)
	for i, entry := range a.record.memory.Elements() {
		if err := a.entry(i, entry); err != nil {
			return err
		}
	}
	if a.Leading == "drop" {
		a.dropLeading(from)
	}
	at := len(a.row.Turns)
	if a.record.current.Get("content").Body().Blank() {
		return sdk.Reject("bad_current", "currentMessage.content", "want text that is not blank")
	}
	if err := a.entry(current, a.record.current); err != nil {
		return err
	}
	if at == len(a.row.Turns) { // the row has as many turns as one may have, and is rejected
		return nil
	}
	switch t := &a.row.Turns[at]; t.Role {
	case canonical.Assistant, canonical.System: // the agent answers it, whoever spoke
		t.Role = canonical.User
	}
	if a.row.Turns[at].Role == canonical.User && a.Current == "restore" {
		a.restore(from, at)
	}
	return nil
}

// restore puts the current message back to its place. The tooling that wrote flat rows moved the last message of the user behind
// the calls and results that had followed it, which shows in a memory that ends with the result of a call without a question. The
// message belongs between two turns of the assistant that meet, or to the start when no user spoke before. Calls after a turn of
// the user answer that turn, and the message stays.
func (a *adapter) restore(from, at int) {
	turns := a.row.Turns
	if at == from || turns[at-1].Role != canonical.Tool {
		return
	}
	start := at
	for start > from && turns[start-1].Role != canonical.User {
		start--
	}
	place := start
	for i := start + 1; i < at; i++ {
		if turns[i].Role == canonical.Assistant && turns[i-1].Role == canonical.Assistant {
			place = i
		}
	}
	if place == start && start > from {
		return
	}
	last := turns[at]
	a.row.Turns = slices.Insert(slices.Delete(turns, at, at+1), place, last)
	a.row.Count("mended.order", 1)
}

func (a *adapter) dropLeading(from int) {
	n := from
	for n < len(a.row.Turns) && a.row.Turns[n].Role == canonical.Assistant {
		n++
	}
	if n > from {
		a.row.Count("loss.leading_assistant", n-from)
		a.row.Turns = slices.Delete(a.row.Turns, from, n)
	}
}

// thinkers are the roles of what the agent thinks before its next turn.
var thinkers = []string{"reasoning", "thought", "analysis", "thinking"}

// current is the index of currentMessage, which has no place in the memory.
const current = -1

// contentPath returns the path of the text of a message.
func contentPath(at int) string {
	if at == current {
		return "currentMessage.content"
	}
	return "memoryEntries." + strconv.Itoa(at) + ".content"
}

// entry adds a message of the memory, or several when the text of a tool holds several results.
func (a *adapter) entry(at int, entry jsontext.JSON) error {
	if entry.Kind() != '{' {
		a.row.Count("loss.memory_entry", 1)
		return nil
	}
	var said, spoke, content jsontext.JSON
	left := 0
	entry.Fill([]string{"role", "speaker", "content"}, []*jsontext.JSON{&said, &spoke, &content}, func(_ string, v jsontext.JSON) {
		if v.Truthy() {
			left++
		}
	})
	name, speaker := canonical.RoleName(said), spoke.Body()
	role := canonical.RoleOf(name)
	thinks := at != current && slices.Contains(thinkers, name)
	if thinks {
		role = canonical.Assistant
	}
	if role == canonical.NoRole { // somebody without a known role speaks to the agent
		if role = canonical.User; name != "" {
			a.row.Count("mended.role", 1)
		}
	}
	named := speaker != "" && canonical.RoleOf(strings.ToLower(string(speaker))) == canonical.NoRole
	if named && role != canonical.User && !speaker.Is(a.record.agent.Body()) {
		left++
	}
	a.row.Count("loss.message_member", left)
	body := jsontext.Body("")
	if content != "null" {
		body = build.AsText(content)
	}
	if thinks {
		inner, rest := calls.Thought(body.Text())
		a.thought.Add(build.BlankLine, jsontext.BodyOf(calls.Join(inner, strings.TrimSpace(rest))))
		return nil
	}
	if !named || role != canonical.User {
		speaker = ""
	}
	return a.says(role, speaker, body, at)
}

// says adds what a role says, a user by name.
func (a *adapter) says(role canonical.Role, name, body jsontext.Body, at int) error {
	if role == canonical.Tool && a.row.Results(body, at) {
		return nil
	}
	t := a.row.Add(role, at)
	t.Body, t.Name = body, name
	if role != canonical.Assistant {
		return nil
	}
	t.Reasoning = a.thought.Take()
	if at != current && a.Envelope == "calls" {
		if read, err := a.recall(t, body, at); read || err != nil {
			return err
		}
	}
	return a.row.Say(t, body, contentPath(at))
}

// recall reads an earlier answer that is a planner's envelope: what it said to the user is the text, and its other actions are calls,
// which stay text where nothing answers them. It returns false for another text, and for an envelope of which nothing can be read.
func (a *adapter) recall(t *build.Message, body jsontext.Body, at int) (read bool, err error) {
	if !strings.Contains(string(body), `\"`) && !strings.Contains(string(body), `\u0022`) { // as JSON in a text has
		return false, nil
	}
	var e envelope
	whole, thought, _ := enveloped(body)
	if whole.Kind() != '{' {
		return false, nil
	}
	if e.read(whole); !e.isEnvelope() {
		return false, nil
	}
	actions, bad := e.recalled()
	text, _ := e.text.Quoted()
	for _, act := range actions {
		if name := a.called(act.name); !slices.Contains(speaking, name) {
			a.act(t, act)
		} else if own, ok := paramsOf(act).Get("text").Quoted(); ok && name == "REPLY" && !own.Is(text) {
			text = build.Join(text, own)
		}
	}
	if bad != nil || text.Blank() && len(t.Calls) == 0 {
		t.Calls = t.Calls[:0]
		return false, nil
	}
	was := t.Reasoning
	if thought != strings.TrimSpace(e.thought.Text()) { // else it is said twice
		a.think(t, jsontext.BodyOf(thought))
	}
	a.think(t, e.thought.Body())
	if len(t.Calls) == 0 {
		a.row.Count("loss.message_member", others(whole))
		return true, a.row.Say(t, text, contentPath(at))
	}
	t.Body = text
	a.row.SaidCalls(t, body.Text(), was, others(whole))
	return true, nil
}
