package build

import "github.com/sluicehq/sluice/sdk/canonical"

// HasTarget reports whether the assistant answers a user in the turns, so that Emit finds something to train on. An adapter whose
// records hold several conversations leaves out and counts those that have nothing, where Emit would reject the record.
func (c *Builder) HasTarget() bool { return c.HasTargetFrom(0) }

// HasTargetFrom is HasTarget for turns of which the first ones are another row's too: only an answer from that index on counts, wherever
// the user asked.
func (c *Builder) HasTargetFrom(first int) bool {
	asked := false
	for i := range c.Turns {
		switch t := &c.Turns[i]; {
		case t.Role == canonical.User:
			asked = asked || t.Raw != "" || !t.Body.Blank()
		case t.Role == canonical.Assistant && i >= first && asked && !t.NoTarget && (!t.Body.Blank() || len(t.Calls) > 0):
			return true
		}
	}
	return false
}
