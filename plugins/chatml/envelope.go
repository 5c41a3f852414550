package chatml

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// An envelope is the planner's answer {"thought", "toolCalls", "messageToUser"} as text, mirrored in the calls of the
// same turn (canonical-record, Native tool calls).
type envelope struct {
	thought, message string // string bodies
	answered         bool   // a call has a result, so the calls must stay
}

// envelopeOf reads the text of a turn as an envelope, or gives nil. It is one only when its calls are those of the turn, by name and
// order, so that nothing is lost when one of the two goes (R12).
func (c *conversation) envelopeOf(t eliza.Turn) *envelope {
	if c.envelope == "both" {
		return nil
	}
	answered := false
	text := ""
	texts, calls := 0, 0
	for i := t.From; i < t.To; i++ {
		switch p := &c.row.Parts[i]; p.Kind {
		case eliza.Text, eliza.Media:
			text = p.Body
			texts++
		case eliza.Call:
			calls++
			answered = answered || p.Mate >= 0
		case eliza.Result:
			i += p.Sub
		}
	}
	if texts != 1 || calls == 0 || !strings.HasPrefix(text, "{") || !strings.Contains(text, `toolCalls`) {
		return nil
	}
	env := &envelope{answered: answered}
	next := t.From
	mirrored := 0
	json := jsontext.Cursor{Text: jsontext.Unquote(text)}
	for key := range json.Members() {
		switch key {
		case "thought":
			env.thought, _ = json.String()
		case "messageToUser":
			env.message, _ = json.String()
		case "toolCalls":
			for range json.Elements() {
				for next < t.To && c.row.Parts[next].Kind != eliza.Call {
					next++
				}
				if next == t.To || callName(&json) != jsontext.Unquote(c.row.Parts[next].Name) {
					return nil
				}
				next++
				mirrored++
			}
		default:
			return nil
		}
	}
	if mirrored != calls {
		return nil
	}
	return env
}

func callName(json *jsontext.Cursor) (name string) {
	for key := range json.Members() {
		if key == "name" || key == "toolName" {
			body, _ := json.String()
			name = jsontext.Unquote(body)
		}
	}
	return name
}

// unfold puts an envelope in place of its text: the thought is reasoning, the message is what is said.
func (c *conversation) unfold(r *sdk.Record, env *envelope, m *message) {
	if env.thought != "" {
		c.think(r, env.thought, m)
	}
	c.texts = append(c.texts, env.message)
	m.texts.to = len(c.texts)
}
