package modelspec

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
)

// An envelope is the planner's answer {"thought", "toolCalls", "messageToUser"} as text, mirrored in the calls of the
// same turn (canonical-record, Native tool calls). Rendering both would train every call twice.
type envelope struct{ thought, message string } // string bodies

// envelopeOf reads the text of a turn as an envelope: its only text, whose calls are those of the turn by name.
func (c *converter) envelopeOf(t eliza.Turn) (env envelope, ok bool) {
	if c.Envelope == "both" || t.Role != eliza.Assistant {
		return env, false
	}
	text, calls := "", 0
	for _, p := range c.row.Parts[t.From:t.To] {
		switch p.Kind {
		case eliza.Call:
			calls++
		case eliza.Text:
			if text != "" {
				return env, false
			}
			text = p.Body
		}
	}
	if calls == 0 || !strings.HasPrefix(text, "{") || !strings.Contains(text, "toolCalls") {
		return env, false
	}
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
				if !c.calls(t, mirrored, callName(&json)) {
					return env, false
				}
				mirrored++
			}
		default:
			return env, false
		}
	}
	return env, mirrored == calls
}

// calls tells whether the nth call of a turn is one of the tool.
func (c *converter) calls(t eliza.Turn, n int, name string) bool {
	for _, p := range c.row.Parts[t.From:t.To] {
		if p.Kind != eliza.Call {
			continue
		}
		if n == 0 {
			return jsontext.Unquote(p.Name) == name
		}
		n--
	}
	return false
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
