package anthropic

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/sdk"
)

// message adds one message: the results in it first, then what is said.
func (a *adapter) message(r *sdk.Record, i int, c *jsontext.Cursor) error {
	path := a.row.Path + "." + strconv.Itoa(i)
	if c.Kind() != '{' {
		a.foreign("bad_message", path, "want an object, have another value")
		c.Skip()
		return nil
	}
	var role, content string
	start := c.At
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v
		case "content":
			content = v
		case "tool_calls", "tool_call_id", "function_call", "parts":
			return sdk.Decline("want blocks of the Anthropic interface")
		}
	}
	turn := eliza.User
	switch role {
	case `"assistant"`:
		turn = eliza.Assistant
	case `"user"`:
	default:
		return sdk.Decline("want messages of user and assistant only")
	}
	switch {
	case strings.HasPrefix(content, "["):
		a.blocks(r, turn, i, content, c.Text[start:c.At])
	case strings.HasPrefix(content, `"`):
		body, _ := jsontext.Quoted(content)
		if t := a.row.Add(turn, i); turn == eliza.User {
			t.Body = body
		} else {
			a.fail(speech.Assistant(&a.row, t, body, path+".content"))
		}
	default:
		a.foreign("bad_content", path+".content", "want a text or blocks, have another value")
	}
	return nil
}

// A block is one part of a message, as JSON but for kind, which is a body.
type block struct{ kind, text, id, name, input, content, failed string }

// readBlock reads the block ahead.
func readBlock(c *jsontext.Cursor) (b block) {
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "type":
			b.kind, _ = jsontext.Quoted(v)
		case "text", "thinking":
			b.text, _ = jsontext.Quoted(v)
		case "id", "tool_use_id":
			b.id, _ = jsontext.Quoted(v)
		case "name":
			b.name, _ = jsontext.Quoted(v)
		case "input":
			b.input = v
		case "content":
			b.content = v
		case "is_error":
			b.failed = v
		}
	}
	return b
}

// blocks adds the turns of a message. What an assistant says after a result of a server's tool is a turn of its own.
// whole is the message, "" for the answer of a log.
func (a *adapter) blocks(r *sdk.Record, role eliza.Role, i int, content, whole string) {
	path := a.row.Path + "." + strconv.Itoa(i) + ".content"
	var said canonical.Turn
	media := false
	flush := func() {
		if said.Body != "" || said.Reasoning != "" || said.Calls != nil {
			t := a.row.Add(role, i)
			t.Body, t.Reasoning = said.Body, said.Reasoning
			t.Calls = append(t.Calls, said.Calls...)
		}
		said = canonical.Turn{}
	}
	c := jsontext.Cursor{Text: content}
	for n := range c.Elements() {
		b := readBlock(&c)
		switch b.kind {
		case "text":
			said.Body = canonical.JoinBy(a.joiner, said.Body, b.text)
		case "thinking":
			a.marks = true
			said.Reasoning = canonical.Join(said.Reasoning, b.text)
		case "redacted_thinking":
			a.marks = true
			r.Count("loss.redacted_thinking", 1)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			a.marks = true
			if b.name == "" {
				a.fail(sdk.Reject("bad_call", path+"."+strconv.Itoa(n), "want the name of a tool, have none"))
			}
			said.Calls = append(said.Calls, canonical.Call{ID: b.id, Name: b.name, Args: b.input})
		case "image", "document":
			media = true
		default:
			if !strings.HasSuffix(b.kind, "tool_result") {
				a.foreign("bad_block", path+"."+strconv.Itoa(n)+".type", "want a block of the Anthropic interface, have another")
				continue
			}
			a.marks = true
			if role == eliza.Assistant {
				flush()
			}
			a.result(r, i, b)
		}
	}
	if media && role == eliza.User && whole != "" && !strings.Contains(content, `"tool_result"`) {
		a.row.Add(role, i).Raw = whole
		return
	}
	if media {
		r.Count("loss.media", 1)
	}
	if flush(); len(a.row.Turns) > 0 && role == eliza.Assistant {
		t := &a.row.Turns[len(a.row.Turns)-1]
		if t.At == i && t.Role == role && len(t.Calls) == 0 {
			a.fail(speech.Assistant(&a.row, t, t.Body, path))
		}
	}
}

// result adds what a tool gave back: a text, text blocks, or other JSON.
func (a *adapter) result(r *sdk.Record, i int, b block) {
	t := a.row.Add(eliza.Tool, i)
	t.ID, t.Failed = b.id, b.failed == "true"
	if body, ok := jsontext.Quoted(b.content); ok || b.content == "" || b.content == "null" {
		t.Body = body
		return
	}
	c := jsontext.Cursor{Text: b.content}
	for range c.Elements() {
		start := c.At
		switch inner := readBlock(&c); inner.kind {
		case "text":
			t.Body = canonical.JoinBy(a.joiner, t.Body, inner.text)
		case "image", "document":
			r.Count("loss.media", 1)
		default: // such as the hits of a search
			t.Body = canonical.JoinBy(a.joiner, t.Body, canonical.Body(string(jsontext.AppendCompact(nil, c.Text[start:c.At]))))
		}
	}
	if b.content[0] == '{' {
		t.Body = canonical.Body(string(jsontext.AppendCompact(nil, b.content)))
	}
}
