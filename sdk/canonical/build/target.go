package build

import "github.com/sluicehq/sluice/sdk/canonical"

// HasTarget reports whether the assistant answers a user in the turns, so that Emit finds something to train on. An adapter whose
// records hold several conversations leaves out and counts those that have nothing, where Emit would reject the record.
func (c *Builder) HasTarget() bool {
	asked := false
	for i := range c.Turns {
		switch t := &c.Turns[i]; {
		case t.Role == canonical.User:
			asked = asked || t.Raw != "" || !t.Body.Blank()
		case t.Role == canonical.Assistant && asked && !t.NoTarget && (!t.Body.Blank() || len(t.Calls) > 0):
			return true
		}
	}
	return false
}
