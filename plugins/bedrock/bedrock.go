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
	Args:  build.Options{Joiner: "\n"},
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

// An adapter reads one record.
type adapter struct{ blocks.Conversation }

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{converse.New(row)}
	if err := a.Fill(record); err != nil {
		return err
	}
	if !begins(a.Field[blocks.Messages]) {
		return sdk.Decline("want messages with blocks of the Converse interface")
	}
	return a.convert()
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
func (a *adapter) convert() error {
	if err := a.tools(a.Field[blocks.Tools]); err != nil {
		return err
	}
	if text := a.Row.TextOf(a.Field[blocks.System]); text != "" {
		a.Row.Add(canonical.System, 0).Body = text
	}
	if err := a.AddMessages(); err != nil {
		return err
	}
	answer := a.Field[blocks.Answer]
	if message := answer.Get("message"); message == "" {
		a.Row.Keep("output", answer)
	} else if err := a.AddMessage(len(a.Row.Turns), message); err != nil {
		return err
	} else {
		a.Row.Leave("loss.response_member", answer, "message")
	}
	a.Settle("stopReason", "other")
	return nil
}

// tools reads the tools and the choice among them.
func (a *adapter) tools(config jsontext.JSON) error {
	list := []byte("[")
	a.Row.Leave("loss.choice_member", config, "tools", "toolChoice")
	for _, tool := range config.Get("tools").Elements() {
		spec := tool.Get("toolSpec")
		a.Row.Leave("loss.tool_member", tool, "toolSpec")
		if spec.Kind() == '{' {
			list = blocks.AppendTool(list, spec, "json", "inputSchema")
		}
	}
	choice := config.Get("toolChoice")
	switch {
	case choice == "":
	case choice.Get("auto") != "":
		a.Row.ToolChoice = `"auto"`
	case choice.Get("any") != "":
		a.Row.ToolChoice = `"required"`
	case choice.Get("tool").Get("name").Body() != "":
		a.Row.ToolChoice = `{"type":"tool","toolName":` + choice.Get("tool").Get("name") + "}"
		a.Row.Leave("loss.choice_member", choice.Get("tool"), "name")
	default:
		a.Row.Keep("toolChoice", choice)
	}
	for _, kind := range []string{"auto", "any"} {
		a.Row.Leave("loss.choice_member", choice.Get(kind))
	}
	a.Row.Leave("loss.choice_member", choice, "auto", "any", "tool")
	return a.Row.SetTools("toolConfig.tools", jsontext.JSON(append(list, ']')))
}
