package session

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// contents is how the agents spell the contents of messages: as the interfaces of their models do.
var contents = blocks.Interface{
	Name:    "session",
	Content: "message.content",
	Stops: map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "stop": "stop", "tool_use": "tool_calls", "toolUse": "tool_calls", "tool-calls": "tool_calls",
		"max_tokens": "length", "length": "length", "refusal": "content_filter", "content-filter": "content_filter", "pause_turn": "other",
	},
	Usages: map[string]string{
		"input_tokens": "promptTokens", "output_tokens": "completionTokens", "input": "promptTokens", "output": "completionTokens",
		"cache_read_input_tokens": "cacheReadInputTokens", "cache_creation_input_tokens": "cacheCreationInputTokens",
		"cacheRead": "cacheReadInputTokens", "cacheWrite": "cacheCreationInputTokens",
	},
	Block: readBlock,
	Media: func(m *blocks.Message) jsontext.JSON {
		if m.Role != canonical.User || m.Results {
			return ""
		}
		return m.Parts()
	},
}

// addContent adds what a message says: a text, or blocks.
func (s *session) addContent(role canonical.Role, i int, content jsontext.JSON) error {
	switch content.Kind() {
	case '"':
		t := s.Row.Add(role, i)
		if t.Body = content.Body(); role == canonical.Assistant {
			return s.Row.Say(t, t.Body, s.at(i))
		}
		return nil
	case '[':
		return s.AddBlocks(role, i, content, "")
	case 0, 'n':
		return nil
	}
	return s.Refuse("bad_content", "", "want a text or blocks, have %s", jsontext.KindName(content.Kind()))
}

// readBlock reads one block of a content.
func readBlock(c *blocks.Conversation, _ *blocks.Message, v jsontext.JSON) (blocks.Block, error) {
	kind := v.Get("type").Body()
	leave := func(read ...string) { c.Row.Leave("loss.part_member", v, append(read, "type")...) }
	switch kind {
	case "text", "input_text", "output_text":
		leave("text")
		return blocks.Block{Kind: blocks.Text, Body: v.Get("text").Body()}, nil
	case "refusal":
		leave("refusal")
		return blocks.Block{Kind: blocks.Text, Body: v.Get("refusal").Body()}, nil
	case "thinking":
		if v.Get("redacted") == "true" {
			c.Row.Count("loss.redacted_thinking", 1)
			return blocks.Block{}, nil
		}
		leave("thinking")
		return blocks.Block{Kind: blocks.Thought, Body: v.Get("thinking").Body()}, nil
	case "redacted_thinking":
		c.Row.Count("loss.redacted_thinking", 1)
		return blocks.Block{}, nil
	case "tool_use", "server_tool_use", "mcp_tool_use":
		leave("id", "name", "input")
		return blocks.Block{Kind: blocks.Call, Call: build.Call{ID: v.Get("id").Body(), Name: v.Get("name").Body(), Args: v.Get("input")}}, nil
	case "toolCall":
		leave("id", "name", "arguments")
		return blocks.Block{Kind: blocks.Call, Call: build.Call{ID: v.Get("id").Body(), Name: v.Get("name").Body(), Args: v.Get("arguments")}}, nil
	case "image", "document", "input_image", "input_file":
		return blocks.Block{Kind: blocks.Media, Part: jsontext.Body(v)}, nil
	}
	if strings.HasSuffix(string(kind), "tool_result") {
		leave("tool_use_id", "content", "is_error")
		return blocks.Block{Kind: blocks.Result, ID: v.Get("tool_use_id").Body(), Failed: v.Get("is_error") == "true", Body: resultOf(c, v.Get("content"))}, nil
	}
	return blocks.Block{}, c.RefuseBlock("type", "want a block that agents write, have %s", jsontext.Seen(v.Get("type")))
}

// resultOf returns what a tool returned: a text, blocks of text, or other JSON.
func resultOf(c *blocks.Conversation, content jsontext.JSON) jsontext.Body {
	switch content.Kind() {
	case 'n':
		return ""
	case '[':
		return c.JoinBlocks(content, func(v jsontext.JSON) jsontext.Body {
			switch v.Get("type").Body() {
			case "text", "input_text", "output_text":
				c.Row.Leave("loss.part_member", v, "type", "text")
				return v.Get("text").Body()
			case "image", "document", "input_image":
				c.Row.Count("loss.media", 1)
				return ""
			}
			return build.AsText(v)
		})
	}
	return build.AsText(content)
}
