package session

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// options are the attributes.
type options struct {
	build.Options
	Sidechains string `hcl:"sidechains,optional" oneof:"count row" doc:"runs of sub-agents inside a session: counted, or rows of their own; count by default"`
}

// A sideRuns collects the runs of sub-agents inside a session of Claude Code.
type sideRuns struct {
	conversations []conversation
	of            map[string]int        // the conversation of each agent
	lines         map[jsontext.JSON]int // the conversation of each line
}

// add adds a message to the run of its agent or, where it names none, of its parent.
func (r *sideRuns) add(i int, l *line, agent jsontext.JSON) {
	if r.of == nil {
		r.of, r.lines = map[string]int{}, map[jsontext.JSON]int{}
	}
	at, ok := r.lines[l.parent]
	name := string(agent)
	if agent.Body() == "" {
		name = string(l.tool) // the call that started the run
	}
	if l.parent.Body() == "" || !ok {
		if name == "" || name == "null" {
			name = strconv.Itoa(i)
		}
		at, ok = r.of[name]
	}
	if !ok {
		at = len(r.conversations)
		r.conversations = append(r.conversations, conversation{at: i})
		r.of[name] = at
	}
	r.lines[l.uuid] = at
	r.conversations[at].events = append(r.conversations[at].events, i)
}
