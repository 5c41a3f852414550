package elizarecord

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// memory adds the memory and the current message.
func (p *processor) memory() error {
	c := jsontext.Cursor{JSON: p.row.memory}
	if kind := c.Kind(); kind != '[' && kind != 'n' && kind != 0 {
		return sdk.Reject("bad_memory", "memoryEntries", "want an array, have another value")
	}
	from := len(p.conv.Turns)
	for i := range c.Elements() {
		if err := p.entry(i, &c); err != nil {
			return err
		}
	}
	if p.Leading == "drop" {
		p.dropLeading(from)
	}
	at := len(p.conv.Turns)
	if p.row.current.Get("content").Body().Blank() {
		return sdk.Reject("bad_current", "currentMessage.content", "want text, have none")
	}
	if err := p.entry(current, &jsontext.Cursor{JSON: p.row.current}); err != nil {
		return err
	}
	switch t := &p.conv.Turns[at]; t.Role {
	case eliza.Assistant, eliza.System: // whoever spoke, it is what the agent answers
		t.Role = eliza.User
	}
	if p.conv.Turns[at].Role == eliza.User {
		p.restore(from, at)
	}
	return nil
}

// restore puts the current message back to its place. The tooling that wrote flat rows took the last word of the user
// out of the conversation and put it behind the calls and results that had followed it; a memory that ends with a
// result shows that. Where two turns of the assistant meet, the user spoke between them; else it was at the start of
// what follows the user's last turn.
func (p *processor) restore(from, at int) {
	turns := p.conv.Turns
	if at == from || turns[at-1].Role != eliza.Tool {
		return
	}
	start := at
	for start > from && turns[start-1].Role != eliza.User {
		start--
	}
	place := start
	for i := start + 1; i < at; i++ {
		if turns[i].Role == eliza.Assistant && turns[i-1].Role == eliza.Assistant {
			place = i
		}
	}
	last := turns[at]
	copy(turns[place+1:at+1], turns[place:at])
	turns[place] = last
	p.record.Count("mended.order", 1)
}

func (p *processor) dropLeading(from int) {
	n := from
	for n < len(p.conv.Turns) && p.conv.Turns[n].Role == eliza.Assistant {
		n++
	}
	if n > from {
		p.record.Count("loss.leading_assistant", n-from)
		p.conv.Turns = slices.Delete(p.conv.Turns, from, n)
	}
}

// current is where currentMessage stands, which has no place in the memory.
const current = -1

// contentPath is where the text of a message stands.
func contentPath(at int) string {
	if at == current {
		return "currentMessage.content"
	}
	return "memoryEntries." + strconv.Itoa(at) + ".content"
}

// entry adds the message of the memory ahead, or several when a tool's text holds several results.
func (p *processor) entry(at int, c *jsontext.Cursor) error {
	if c.Kind() != '{' {
		p.record.Count("loss.memory_entry", 1)
		c.Skip()
		return nil
	}
	var speaker jsontext.Body
	var roleValue, content jsontext.JSON
	for key := range c.Members() {
		switch key {
		case "role":
			roleValue = c.Value()
		case "speaker":
			speaker, _ = c.String()
		case "content":
			content = c.Value()
		}
	}
	name := canonical.RoleName(roleValue)
	role := canonical.RoleOf(name)
	if role == eliza.NoRole { // someone the roles do not know speaks to the agent
		if role = eliza.User; name != "" {
			p.record.Count("mended.role", 1)
		}
	}
	body, isText := content.Quoted()
	if !isText && content != "" && content != "null" {
		body = jsontext.BodyOf(jsontext.AppendCompact(nil, content))
	}
	switch {
	case role == eliza.Tool:
		if !speech.Results(&p.conv, body, at) {
			p.conv.Add(role, at).Body = body
		}
	case role == eliza.Assistant:
		t := p.conv.Add(role, at)
		if t.Body = body; calls.Marked(string(body)) {
			return speech.Assistant(&p.conv, t, body, contentPath(at))
		}
	default:
		t := p.conv.Add(role, at)
		if t.Body = body; role == eliza.User && speaker != "" && canonical.RoleOf(strings.ToLower(string(speaker))) == eliza.NoRole {
			t.Name = speaker
		}
	}
	return nil
}
