package trajectory

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// converse adds the turns of a transcript: lines "[Speaker]: text", each with the lines that follow it. The agent's are
// the assistant's, all others the user's under their names. What stands before the first is a system text. A prompt
// without such lines is one turn of the user.
func (a *adapter) converse(body jsontext.Body) {
	prompt := body.Text()
	from := len(a.row.Turns)
	said, who := "", ""
	add := func() {
		text := jsontext.BodyOf(strings.TrimSpace(said))
		switch {
		case text == "":
		case who == "":
			a.row.Add(eliza.System, 0).Body = text
		case a.isAgent(who):
			a.row.Add(eliza.Assistant, 0).Body = text
		default:
			t := a.row.Add(eliza.User, 0)
			t.Body, t.Name = text, jsontext.BodyOf(who)
		}
	}
	for line := range strings.Lines(prompt) {
		name, text, ok := speaker(line)
		if !ok {
			said += line
			continue
		}
		add()
		said, who = text, name
	}
	if who == "" {
		a.row.Turns = a.row.Turns[:from]
		a.row.Add(eliza.User, 0).Body = body
		return
	}
	add()
}

// speaker reads "[name]: text".
func speaker(line string) (name, text string, ok bool) {
	if !strings.HasPrefix(line, "[") {
		return "", "", false
	}
	name, text, ok = strings.Cut(line[1:], "]:")
	return name, text, ok && name != "" && !strings.ContainsAny(name, "[]\n")
}

// isAgent tells whether a speaker is the one whose answers are learnt.
func (a *adapter) isAgent(who string) bool {
	for _, name := range []string{a.agent, a.run.name.Body().Text(), a.run.agent.Body().Text(), "Agent", "Assistant", "You"} {
		if name != "" && strings.EqualFold(who, name) {
			return true
		}
	}
	return false
}
