package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Envelope is the planner's answer {"thought", "toolCalls", "messageToUser"} as the text of a turn that has the same
// calls. Rendering both would train every call twice.
type Envelope struct {
	Thought, Message jsontext.Body
	Answered         bool // a call has a result, so the calls must stay
}

// EnvelopeOf reads the only text of a turn as an envelope. It is one when its calls are those of the turn, by name and
// order, and it says nothing else, so that nothing is lost when one of the two goes.
func (r *Row) EnvelopeOf(t Turn) (env Envelope, ok bool) {
	var few [8]jsontext.Body
	text, texts, calls := jsontext.Body(""), 0, few[:0]
	for i := t.From; i < t.To; i++ {
		switch p := &r.Parts[i]; p.Kind {
		case TextPart, MediaPart:
			text = p.Body
			texts++
		case CallPart:
			calls = append(calls, p.Name)
			env.Answered = env.Answered || p.Mate >= 0
		case ResultPart:
			i += p.Sub
		}
	}
	if t.Role != Assistant || texts != 1 || len(calls) == 0 || !strings.Contains(string(text), "toolCalls") {
		return env, false
	}
	whole, _ := text.Embedded() // words behind it are no part of it
	json := whole.Cursor()
	if json.Kind() != '{' {
		return env, false
	}
	for key := range json.Members() {
		switch kind := json.Kind(); {
		case key == "thought" && (kind == '"' || kind == 'n'):
			env.Thought = json.Value().Body()
		case key == "messageToUser" && (kind == '"' || kind == 'n'):
			env.Message = json.Value().Body()
		case key == "toolCalls":
			for range json.Elements() {
				if len(calls) == 0 || calledIn(&json) != calls[0].Text() {
					return env, false
				}
				calls = calls[1:]
			}
		default:
			return env, false
		}
	}
	return env, len(calls) == 0
}

// calledIn gives the name in the call ahead, decoded.
func calledIn(json *jsontext.Cursor) (name string) {
	for key := range json.Members() {
		if key == "name" || key == "toolName" {
			body, _ := json.String()
			name = body.Text()
		}
	}
	return name
}
