package bedrock

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// readBlock reads one block of a content.
func readBlock(c *blocks.Conversation, m *blocks.Message, block jsontext.JSON) (blocks.Block, error) {
	kind, value := kindOf(block)
	c.Row.Leave("loss.part_member", block, kind)
	text := func(body jsontext.Body) (blocks.Block, error) {
		return blocks.Block{Kind: blocks.Text, Body: body}, nil
	}
	switch kind {
	case "text":
		return text(said(c, value))
	case "guardContent":
		inner := value.Get("text")
		c.Row.Leave("loss.part_member", value, "text")
		c.Row.Leave("loss.part_member", inner, "text")
		return text(said(c, inner.Get("text")))
	case "citationsContent": // one text, in a piece for each citation
		c.Row.Leave("loss.part_member", value, "content")
		var whole build.Joiner
		for _, piece := range value.Get("content").Elements() {
			c.Row.Leave("loss.part_member", piece, "text")
			whole.Add("", said(c, piece.Get("text")))
		}
		return text(whole.Body())
	case "toolUse":
		name := value.Get("name").Body()
		switch {
		case name == "":
			return blocks.Block{}, sdk.Reject("bad_call", c.Path(), "want a call with the name of a tool, have %s", jsontext.Describe(value))
		case m.Role != canonical.Assistant:
			return blocks.Block{}, sdk.Reject("bad_call", c.Path(), "want a call by the assistant, have one by %s", m.Role)
		}
		c.Row.Leave("loss.call_member", value, "toolUseId", "name", "input")
		id, _ := canonical.ReadID(value.Get("toolUseId"))
		return blocks.Block{Kind: blocks.Call, Call: build.Call{ID: id, Name: name, Args: value.Get("input")}}, nil
	case "toolResult":
		return result(c, value), nil
	case "reasoningContent": // of a thought that is not shown only the count stays
		inner := value.Get("reasoningText")
		c.Row.Leave("loss.part_member", value, "reasoningText", "redactedContent")
		c.Row.Leave("loss.part_member", inner, "text")
		if value.Get("redactedContent") != "" {
			c.Row.Count("loss.redacted_thinking", 1)
		}
		return blocks.Block{Kind: blocks.Thought, Body: said(c, inner.Get("text"))}, nil
	case "image", "document", "video", "audio":
		return blocks.Block{Kind: blocks.Media, Part: medium(c, kind, value)}, nil
	case "cachePoint":
		c.Row.Count("loss.cache_point", 1)
		return blocks.Block{}, nil
	}
	return blocks.Block{}, sdk.Reject("bad_block", c.Path(), "want a block of the Converse interface, have %s", jsontext.Describe(block))
}

// said returns a text, and counts what is in the place of one.
func said(c *blocks.Conversation, value jsontext.JSON) jsontext.Body {
	body, isText := value.Quoted()
	if !isText && value.Truthy() {
		c.Row.Count("loss.part_member", 1)
	}
	return body
}

// kindOf returns the member of a block that says what it is, "" when it has none.
func kindOf(block jsontext.JSON) (kind string, value jsontext.JSON) {
	for key, v := range block.Members() {
		if slices.Contains(kinds, key) {
			return key, v
		}
	}
	return "", ""
}

// medium returns an image or file as a part of a canonical message.
func medium(c *blocks.Conversation, kind string, value jsontext.JSON) jsontext.Body {
	source := value.Get("source")
	data := cmp.Or(source.Get("bytes").Body(), source.Get("s3Location").Get("uri").Body())
	c.Row.Leave("loss.part_member", value, "format", "name", "source")
	c.Row.Leave("loss.part_member", source, "bytes", "s3Location")
	c.Row.Leave("loss.part_member", source.Get("s3Location"), "uri")
	part := `{"type":"file","mediaType":"` + jsontext.Body(kind) + "/" + value.Get("format").Body() + `","data":"` + data + `"`
	if name := value.Get("name").Body(); name != "" {
		part += `,"filename":"` + name + `"`
	}
	return part + "}"
}

// result reads what a tool returned: texts, and JSON as text.
func result(c *blocks.Conversation, value jsontext.JSON) blocks.Block {
	status := value.Get("status").Body()
	if status != "" && status != "success" && status != "error" {
		c.Row.Count("loss.part_member", 1)
	}
	c.Row.Leave("loss.part_member", value, "toolUseId", "status", "content")
	body := c.JoinBlocks(value.Get("content"), func(block jsontext.JSON) jsontext.Body {
		kind, inner := kindOf(block)
		json := block.Get("json")
		switch {
		case kind == "text":
			c.Row.Leave("loss.part_member", block, "text")
			return said(c, inner)
		case kind != "":
			c.Row.Count("loss.media", 1)
			return ""
		case json != "":
			c.Row.Leave("loss.part_member", block, "json")
			return build.AsText(json)
		}
		return build.AsText(block)
	})
	id, _ := canonical.ReadID(value.Get("toolUseId"))
	return blocks.Block{Kind: blocks.Result, ID: id, Failed: status == "error", Body: body}
}
