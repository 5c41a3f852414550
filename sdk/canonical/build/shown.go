package build

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// continued is the text of an assistant's turn that shows results: the turns in it, of which the first is the message itself.
type continued struct {
	path  string
	turns []calls.Turn
}

// unfold makes turns of the results that the texts of the assistant show, and of what is said after them.
func (c *Builder) unfold() error {
	if !slices.ContainsFunc(c.Turns, func(t Message) bool { return t.then != nil }) {
		return nil
	}
	turns := c.Turns
	c.Turns = make([]Message, 0, 2*len(turns))
	waiting := 0 // calls without a result
	for _, t := range turns {
		switch {
		case t.Role == canonical.Tool:
			waiting = max(waiting-1, 0)
		case t.Role != canonical.Assistant || !t.Body.Blank():
			waiting = 0
		}
		waiting += len(t.Calls)
		then := t.then
		t.then = nil
		if then == nil || len(t.Calls) > 0 || t.Body != "" || t.Reasoning != "" {
			c.Turns = append(c.Turns, t)
		}
		if then == nil {
			continue
		}
		for i, said := range then.turns {
			if i > 0 {
				c.Count("loss.call_member", said.Left)
				if said.Text != "" {
					waiting = 0
				}
				waiting += len(said.Calls)
				c.Turns = append(c.Turns, Message{
					Role: canonical.Assistant, At: t.At, NoTarget: t.NoTarget, Name: t.Name,
					Body: jsontext.BodyOf(said.Text), Reasoning: jsontext.BodyOf(said.Thought), Calls: said.Calls,
				})
			}
			asked := waiting
			for _, result := range said.Results {
				if !result.Told {
					waiting--
				}
				if waiting < 0 {
					return sdk.Reject("bad_result", then.path, "want a call before each result in the text, have %d results behind %d calls", len(said.Results), asked)
				}
				shown := Message{Role: canonical.Tool, At: t.At}
				shown.answers(result)
				c.Turns = append(c.Turns, shown)
			}
		}
	}
	return nil
}
