package anthropic

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A block is one part of a message, as JSON but for bodies.
type block struct {
	kind, id, name               jsontext.Body
	text, input, content, failed jsontext.JSON
	left                         int // members without a place in a row
}

func membersOf(value jsontext.JSON) (b block) {
	for key, v := range value.Members() {
		switch key {
		case "type":
			b.kind = v.Body()
		case "text", "thinking":
			if b.text.Truthy() {
				b.left++
			}
			b.text = v
		case "id", "tool_use_id":
			b.id, _ = canonical.ReadID(v)
		case "name":
			b.name = v.Body()
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
		b.text.Truthy() && !text, b.name != "" && !call, b.input.Truthy() && !call, b.content.Truthy() && (call || text),
	} {
		if has {
			n++
		}
	}
	return n
}

// readBlock reads one block of a content.
func readBlock(c *blocks.Conversation, _ *blocks.Message, value jsontext.JSON) (blocks.Block, error) {
	b := membersOf(value)
	if left := b.left + b.misplaced(); left > 0 && b.kind != "image" && b.kind != "document" {
		c.Row.Count("loss.part_member", left)
	}
	c.Marked = c.Marked || strings.HasSuffix(string(b.kind), "thinking") || strings.HasSuffix(string(b.kind), "tool_result")
	switch b.kind {
	case "text":
		return blocks.Block{Kind: blocks.Text, Body: textOf(c, b.text)}, nil
	case "thinking":
		return blocks.Block{Kind: blocks.Thought, Body: textOf(c, b.text)}, nil
	case "redacted_thinking":
		c.Row.Count("loss.redacted_thinking", 1)
		return blocks.Block{}, nil
	case "tool_use", "server_tool_use", "mcp_tool_use":
		c.Marked = true
		var err error
		if b.name == "" {
			err = c.Fail(sdk.Reject("bad_call", c.Path(), "want a tool call with the name of a tool, have %s", jsontext.Describe(value)))
		}
		return blocks.Block{Kind: blocks.Call, Call: build.Call{ID: b.id, Name: b.name, Args: b.input}}, err
	case "image", "document":
		return blocks.Block{Kind: blocks.Media}, nil
	}
	if strings.HasSuffix(string(b.kind), "tool_result") {
		return blocks.Block{Kind: blocks.Result, ID: b.id, Failed: b.failed == "true", Body: result(c, b.content)}, nil
	}
	return blocks.Block{}, c.RefuseBlock("type", "want a block of the Anthropic interface, have %s", jsontext.Seen(value.Get("type")))
}

// textOf returns a text, or the texts in a list as one, and counts what is neither.
func textOf(c *blocks.Conversation, value jsontext.JSON) jsontext.Body {
	switch value.Kind() {
	case '"', 'n', 0:
		return value.Body()
	case '[':
		var whole build.Joiner
		for _, v := range value.Elements() {
			if v.Kind() == '{' {
				c.Row.Leave("loss.part_member", v, "type", "text")
				v = v.Get("text")
			}
			whole.Add("", textOf(c, v))
		}
		return whole.Body()
	}
	c.Row.Count("loss.part_member", 1)
	return ""
}

// result returns what a tool returned: a text, text blocks, or other JSON.
func result(c *blocks.Conversation, content jsontext.JSON) jsontext.Body {
	switch content.Kind() {
	case '"':
		return content.Body()
	case '{':
		return build.AsText(content)
	}
	return c.JoinBlocks(content, func(value jsontext.JSON) jsontext.Body {
		switch b := membersOf(value); b.kind {
		case "text":
			c.Row.Leave("loss.part_member", value, "type", "text")
			return textOf(c, b.text)
		case "image", "document":
			c.Row.Count("loss.media", 1)
			return ""
		}
		return build.AsText(value) // such as the hits of a search
	})
}
