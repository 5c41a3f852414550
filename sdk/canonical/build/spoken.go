package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// spoken is what an assistant's turn was before the calls in its text were read.
type spoken struct {
	text      string
	reasoning jsontext.Body
	calls     int
	left      int    // how many members of the object around the calls are in no call
	maybe     []Call // those of a Python list of which only a result can say that it is one of calls
}

// SaidCalls notes that an adapter read the calls of an assistant's turn from its text, which it stays where the conversation goes on
// without results. reasoning is what the turn had before, and left counts the members around the calls that are in none.
func (c *Builder) SaidCalls(t *Message, text string, reasoning jsontext.Body, left int) {
	t.spoken = &spoken{text: text, reasoning: reasoning, calls: len(t.Calls), left: left}
}

// announced is a row whose prompt asks for calls, so that names without a tool are those of calls too.
type announced struct{ *Builder }

func (announced) Mentions(string) bool { return true }

// maybeCalls notes the calls that a text without any, said being what is left of it without thoughts, would be, if it is a list in Python
// and a result comes behind it.
func (c *Builder) maybeCalls(t *Message, text, said string) {
	if start := strings.TrimLeft(said, " \t\r\n"); !strings.HasPrefix(start, "[") || strings.HasPrefix(start, "[{") {
		return
	}
	if r, err := calls.Read(text, announced{c}); err == nil && len(r.Calls) > 0 {
		t.spoken = &spoken{text: text, reasoning: t.Reasoning, maybe: r.Calls}
	}
}

// settleMaybe makes calls of such lists where a result of a tool comes behind one of the row's.
func (c *Builder) settleMaybe() {
	maybe := func(t *Message) bool { return t.spoken != nil && t.spoken.maybe != nil }
	answered := false
	for i := range c.Turns {
		answered = answered || c.Turns[i].Role == canonical.Tool && i > 0 && maybe(&c.Turns[i-1])
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		switch {
		case !maybe(t):
		case answered && len(t.Calls) == 0:
			t.Body, t.Calls = "", append(t.Calls, t.spoken.maybe...)
			t.spoken.calls = len(t.Calls)
		default:
			t.spoken = nil
		}
	}
}

// settleSpoken leaves the calls of the row's texts as text where the conversation goes on behind one without any result of theirs: the
// agents of SWE-smith and OpenHands tell what came of a call in the words of the user. They count as "call_in_text".
func (c *Builder) settleSpoken() {
	c.settleMaybe()
	keep := c.tellsResults()
	for i := range c.Turns {
		t := &c.Turns[i]
		switch was := t.spoken; {
		case was == nil:
			continue
		case keep && was.calls == len(t.Calls): // the adapter added none
			c.Count("call_in_text", len(t.Calls))
			thought, rest := calls.Thought(calls.TrimEnd(was.text))
			t.Body, t.Reasoning, t.Calls = jsontext.BodyOf(rest), was.reasoning, t.Calls[:0]
			t.think(thought)
		default:
			c.Count("loss.call_member", was.left)
		}
		t.spoken = nil
	}
}

// tellsResults reports whether the calls in texts of the row have no results but what the user says.
func (c *Builder) tellsResults() bool {
	tells, waiting := false, false
	for i := range c.Turns {
		t := &c.Turns[i]
		switch {
		case t.then != nil || waiting && t.Role == canonical.Tool:
			return false
		case t.Role == canonical.User || t.goesOn() && !c.Merge:
			tells, waiting = tells || waiting, false
		}
		waiting = waiting || t.spoken != nil
	}
	return tells
}
