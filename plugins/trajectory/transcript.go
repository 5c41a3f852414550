package trajectory

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// converse adds the turns of a transcript: lines "[Speaker]: text", each with the lines that follow it. The agent's are
// the assistant's, all others the user's under their names. The text before the first is a system text. A prompt
// without such lines is one turn of the user.
func (a *adapter) converse(body jsontext.Body) {
	prompt := body.Text()
	from, who := 0, "" // where the words of the last speaker begin
	add := func(to int) {
		text := jsontext.BodyOf(strings.TrimSpace(prompt[from:to]))
		switch {
		case text == "":
		case who == "":
			a.row.Add(canonical.System, 0).Body = text
		case slices.ContainsFunc(a.agents, func(agent string) bool { return strings.EqualFold(who, agent) }):
			a.row.Add(canonical.Assistant, 0).Body = text
		default:
			t := a.row.Add(canonical.User, 0)
			t.Body, t.Name = text, jsontext.BodyOf(who)
		}
	}
	at := 0
	for line := range strings.Lines(prompt) {
		if name, ok := speaker(line); ok {
			add(at)
			from, who = at+len("["+name+"]:"), name
		}
		at += len(line)
	}
	if who == "" {
		a.row.Add(canonical.User, 0).Body = body
		return
	}
	add(at)
}

// speaker returns the name in "[name]: text".
func speaker(line string) (name string, ok bool) {
	behind, ok := strings.CutPrefix(line, "[")
	name, _, end := strings.Cut(behind, "]:")
	return name, ok && end && name != "" && !strings.ContainsAny(name, "[]\n")
}
