// Package bedrock reads rows of the Converse interface of Amazon Bedrock, as tuning files, requests with their answers and
// invocation logs have them, and writes eliza_native_v1 rows.
//
// A row is taken when it has a list "messages" whose first content is a list that begins with a block of this interface: an
// object without a type, with text, toolUse, image and so on. The list is a member of the record, of "request" next to a
// "response", or of "input.inputBodyJson" next to an "output.outputBodyJson".
package bedrock

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "bedrock".
var Plugin = build.Adapter{
	Name:  "bedrock",
	Doc:   "reads rows of the Converse interface of Amazon Bedrock and writes eliza_native_v1 rows",
	Codes: blocks.Codes,
	New:   func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"messages"}, kinds),
}.Plugin()

var converse = blocks.Interface{
	Name: "Converse",
	Fields: map[string]blocks.Field{
		"system": blocks.System, "messages": blocks.Messages, "toolConfig": blocks.Tools, "output": blocks.Answer,
		"stopReason": blocks.Stop, "usage": blocks.Usage, "modelId": blocks.Model,
	},
	Logs:    map[string]string{"request": "", "response": "", "input": "inputBodyJson", "output": "outputBodyJson"},
	Foreign: []string{"format", "schema", "conversations", "contents"},
	List:    "messages",
	Content: "content",
	Role:    role,
	Texts:   true,
	Stops: map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length",
		"content_filtered": "content_filter", "guardrail_intervened": "content_filter",
	},
	Usages: map[string]string{
		"inputTokens": "promptTokens", "outputTokens": "completionTokens",
		"cacheWriteInputTokens": "cacheCreationInputTokens",
	},
	Block: readBlock,
	Media: func(m *blocks.Message) jsontext.JSON {
		if m.Role != canonical.User {
			return ""
		}
		return m.Parts()
	},
}

func read(record jsontext.JSON, row *build.Builder) error {
	c := converse.New(row)
	if err := c.Fill(record); err != nil {
		return err
	}
	if !begins(c.Field[blocks.Messages]) {
		return sdk.Decline("want messages with blocks of the Converse interface")
	}
	return convert(&c)
}

func role(c *blocks.Conversation, name jsontext.JSON) (canonical.Role, error) {
	switch role := canonical.RoleOf(canonical.RoleName(name)); role {
	case canonical.User, canonical.Assistant, canonical.System:
		return role, nil
	default:
		return role, c.Refuse("bad_role", "role", "want user or assistant, have %s", jsontext.Seen(name))
	}
}

// kinds are the members of blocks that say what a block is.
var kinds = []string{"text", "toolUse", "toolResult", "image", "document", "video", "audio", "reasoningContent", "cachePoint", "guardContent", "citationsContent"}

// begins reports whether a list of messages begins with one of this interface.
func begins(messages jsontext.JSON) bool {
	for _, message := range messages.Elements() {
		content, known := message.Get("content"), false
		for key := range content.First().Members() {
			if key == "type" {
				return false
			}
			known = known || slices.Contains(kinds, key)
		}
		if content.Kind() != '[' || !content.Empty() {
			return known
		}
	}
	return false
}

// convert fills the row.
func convert(c *blocks.Conversation) error {
	if err := tools(c, c.Field[blocks.Tools]); err != nil {
		return err
	}
	if text := c.TextOf(c.Field[blocks.System]); text != "" {
		c.Row.Add(canonical.System, 0).Body = text
	}
	answer := c.Field[blocks.Answer]
	message := answer.Get("message")
	if content := message.Get("content"); content != "" {
		if whole := c.Prefilled(content); whole != content {
			c.Row.Leave("loss.message_member", message, "role", "content")
			message = `{"role":"assistant","content":` + whole + `}`
		}
	}
	if err := c.AddMessages(); err != nil {
		return err
	}
	if message == "" {
		c.Row.Keep("output", answer)
	} else if err := c.AddMessage(len(c.Row.Turns), message); err != nil {
		return err
	} else {
		c.Row.Leave("loss.response_member", answer, "message")
	}
	c.Settle("stopReason", "other")
	return nil
}

// tools reads the tools and the choice among them.
func tools(c *blocks.Conversation, config jsontext.JSON) error {
	list := []byte("[")
	c.Row.Leave("loss.choice_member", config, "tools", "toolChoice")
	for _, tool := range config.Get("tools").Elements() {
		spec := tool.Get("toolSpec")
		c.Row.Leave("loss.tool_member", tool, "toolSpec")
		if spec.Kind() == '{' {
			if schema := spec.Get("inputSchema"); schema.Get("json") != "" {
				c.Row.Leave("loss.tool_member", schema, "json")
			}
			list = blocks.AppendTool(list, spec, "json", "inputSchema")
		}
	}
	choice := config.Get("toolChoice")
	switch {
	case choice == "":
	case choice.Get("auto") != "":
		c.Row.ToolChoice = `"auto"`
	case choice.Get("any") != "":
		c.Row.ToolChoice = `"required"`
	case choice.Get("tool").Get("name").Body() != "":
		c.Row.ToolChoice = `{"type":"tool","toolName":` + choice.Get("tool").Get("name") + "}"
		c.Row.Leave("loss.choice_member", choice.Get("tool"), "name")
	default:
		c.Row.Keep("toolChoice", choice)
	}
	for _, kind := range []string{"auto", "any"} {
		c.Row.Leave("loss.choice_member", choice.Get(kind))
	}
	c.Row.Leave("loss.choice_member", choice, "auto", "any", "tool")
	return c.Row.SetTools("toolConfig.tools", jsontext.JSON(append(list, ']')))
}
