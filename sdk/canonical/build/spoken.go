package build

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// spoken is what an assistant's turn was before the calls in its text were read.
type spoken struct {
	text      string
	reasoning jsontext.Body
	calls     int
	left      int // how many members of the object around the calls are in no call
}

// settleSpoken leaves the calls of the row's texts as text where the conversation goes on behind one without any result of theirs: the
// agents of SWE-smith and OpenHands tell what came of a call in the words of the user. They count as "call_in_text".
func (c *Builder) settleSpoken() {
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
