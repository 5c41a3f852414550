package chatml

import (
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// system makes one message of the system and developer turns at the head, without repeats, and settles what becomes of
// later ones.
func (c *conversation) system(r *sdk.Record) error {
	turns := c.turns
	head := 0
	for head < len(turns) && instructs(turns[head]) {
		head++
	}
	if c.instructed == nil {
		c.instructed = map[jsontext.Body]bool{}
	}
	clear(c.instructed)
	m := message{role: canonical.System}
	for i, t := range turns {
		if !instructs(t) {
			continue
		}
		body, plain := c.row.TextOf(t)
		if plain && c.instructed[body] {
			r.Count("repair.repeated_system", 1)
			turns[i].From = t.To
			continue
		}
		if plain {
			c.instructed[body] = true
		}
		if i >= head {
			switch c.lateSystem {
			case "reject":
				return sdk.Reject("late_system", t.Path(), "want system messages at the head only: late_system = \"user\" or \"merge\" keeps the row")
			case "user":
				r.Count("repair.late_system", 1)
				turns[i].Role = canonical.User
				continue
			}
			r.Count("repair.late_system", 1)
		}
		if len(c.texts) > 0 {
			c.texts = append(c.texts, `\n\n`)
		}
		start := len(c.texts)
		for j := t.From; j < t.To; j++ {
			p := &c.row.Parts[j]
			switch p.Kind {
			case canonical.TextPart, canonical.MediaPart:
				if err := c.say(r, p, start, t); err != nil {
					return err
				}
			default:
				if err := c.leave(r, p, t); err != nil {
					return err
				}
			}
		}
	}
	if m.texts.to = len(c.texts); c.says(m.texts) {
		c.messages = append(c.messages, m)
	}
	return nil
}

func instructs(t canonical.Turn) bool {
	return t.Role == canonical.System || t.Role == canonical.Developer
}
