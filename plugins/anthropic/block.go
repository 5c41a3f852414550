package anthropic

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// message adds one message: the results in it first, then what is said.
func (a *adapter) message(i int, c *jsontext.Cursor) error {
	path := a.row.Path + "." + strconv.Itoa(i)
	if c.Kind() != '{' {
		a.foreign("bad_message", path, "want an object, have another value")
		c.Skip()
		return nil
	}
	var role, content jsontext.JSON
	start, left := c.At, 0
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "role":
			role = v
		case "content":
			content = v
		case "tool_calls", "tool_call_id", "function_call", "parts":
			return sdk.Decline("want blocks of the Anthropic interface")
		default:
			if v != "null" {
				left++
			}
		}
	}
	if left > 0 {
		a.row.Count("loss.message_member", left)
	}
	turn := canonical.User
	switch role {
	case `"assistant"`:
		turn = canonical.Assistant
	case `"user"`:
	default:
		return sdk.Decline("want messages of user and assistant only")
	}
	switch {
	case content.Kind() == '[':
		a.blocks(turn, i, content, c.JSON[start:c.At])
	case content.Kind() == '"':
		body, _ := content.Quoted()
		if t := a.row.Add(turn, i); turn == canonical.User {
			t.Body = body
		} else {
			a.fail(a.row.Say(t, body, path+".content"))
		}
	default:
		a.foreign("bad_content", path+".content", "want a text or blocks, have another value")
	}
	return nil
}

// A block is one part of a message, as JSON but for kind, which is a body.
type block struct {
	kind, text, id, name   jsontext.Body
	input, content, failed jsontext.JSON
	left                   int
}

// readBlock reads the block ahead.
func readBlock(c *jsontext.Cursor) (b block) {
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "type":
			b.kind, _ = v.Quoted()
		case "text", "thinking":
			if b.text != "" {
				b.left++
			}
			b.text, _ = v.Quoted()
		case "id", "tool_use_id":
			b.id, _ = v.Quoted()
		case "name":
			b.name, _ = v.Quoted()
		case "input":
			b.input = v
		case "content":
			b.content = v
		case "is_error":
			b.failed = v
		default:
			if v != "null" {
				b.left++
			}
		}
	}
	return b
}

// misplaced counts members that belong to blocks of another kind.
func (b *block) misplaced() (n int) {
	call, text := strings.HasSuffix(string(b.kind), "tool_use"), b.kind == "text" || b.kind == "thinking"
	for _, has := range [...]bool{
		b.text != "" && !text, b.name != "" && !call, b.input.Truthy() && !call, b.content.Truthy() && (call || text),
	} {
		if has {
			n++
		}
	}
	return n
}

// blocks adds the turns of a message. What an assistant says after a result of a server's tool is a turn of its own.
// whole is the message, "" for the answer of a log.
func (a *adapter) blocks(role canonical.Role, i int, content, whole jsontext.JSON) {
	path := a.row.Path + "." + strconv.Itoa(i) + ".content"
	var said build.Said
	media := false
	c := jsontext.Cursor{JSON: content}
	for n := range c.Elements() {
		b := readBlock(&c)
		if left := b.left + b.misplaced(); left > 0 && b.kind != "image" && b.kind != "document" {
			a.row.Count("loss.part_member", left)
		}
		switch b.kind {
		case "text":
			said.Text.Add(a.row.Joiner(), b.text)
		case "thinking":
			a.marks = true
			said.Thought.Add(build.BlankLine, b.text)
		case "redacted_thinking":
			a.marks = true
			a.row.Count("loss.redacted_thinking", 1)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			a.marks = true
			if b.name == "" {
				a.fail(sdk.Reject("bad_call", path+"."+strconv.Itoa(n), "want the name of a tool, have none"))
			}
			said.Calls = append(said.Calls, build.Call{ID: b.id, Name: b.name, Args: b.input})
		case "image", "document":
			media = true
		default:
			if !strings.HasSuffix(string(b.kind), "tool_result") {
				a.foreign("bad_block", path+"."+strconv.Itoa(n)+".type", "want a block of the Anthropic interface, have another")
				continue
			}
			a.marks = true
			if role == canonical.Assistant {
				a.fail(a.row.AddSaid(role, i, &said, path))
			}
			a.result(i, b)
		}
	}
	if media && role == canonical.User && whole != "" && !strings.Contains(string(content), `"tool_result"`) {
		a.row.Add(role, i).Raw = whole
		return
	}
	if media {
		a.row.Count("loss.media", 1)
	}
	a.fail(a.row.AddSaid(role, i, &said, path))
}

// result adds what a tool gave back: a text, text blocks, or other JSON.
func (a *adapter) result(i int, b block) {
	t := a.row.Add(canonical.Tool, i)
	t.ID, t.Failed = b.id, b.failed == "true"
	if body, ok := b.content.Quoted(); ok || b.content == "" || b.content == "null" {
		t.Body = body
		return
	}
	var told build.Joiner
	c := jsontext.Cursor{JSON: b.content}
	for range c.Elements() {
		start := c.At
		switch inner := readBlock(&c); inner.kind {
		case "text":
			a.row.Leave("loss.part_member", c.JSON[start:c.At], "type", "text")
			told.Add(a.row.Joiner(), inner.text)
		case "image", "document":
			a.row.Count("loss.media", 1)
		default: // such as the hits of a search
			told.Add(a.row.Joiner(), jsontext.BodyOf(jsontext.AppendCompact(nil, c.JSON[start:c.At])))
		}
	}
	t.Body = told.Body()
	if b.content[0] == '{' {
		t.Body = jsontext.BodyOf(jsontext.AppendCompact(nil, b.content))
	}
}
