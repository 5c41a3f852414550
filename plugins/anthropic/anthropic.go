// Package anthropic reads rows of the Anthropic Messages interface, as fine-tuning files and logs have them, and writes
// eliza_native_v1 rows.
//
// A row is taken when it has a list "messages" of user and assistant messages and shows one mark of that interface: a
// text or list "system" next to the list, a tool with input_schema, a block of type tool_use, tool_result or thinking,
// or the answer's content with a stop_reason. A log is taken in the form {"request": {...}, "response": {...}} too, and so is
// a batch whose two files were joined, {"params": {...}, "result": {"message": {...}}}, and an invocation log of Bedrock.
// A record with a message of another role or a block of another interface is declined.
package anthropic

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "anthropic".
var Plugin = build.Adapter{
	Name:  "anthropic",
	Doc:   "reads rows of the Anthropic Messages interface and writes eliza_native_v1 rows",
	Codes: blocks.Codes,
	New:   func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"messages"}, []string{"system:", "type:", "input_schema:", "stop_reason:"}),
}.Plugin()

var claude = blocks.Interface{
	Name: "Anthropic",
	Fields: map[string]blocks.Field{
		"system": blocks.System, "messages": blocks.Messages, "tools": blocks.Tools, "tool_choice": blocks.Choice,
		"content": blocks.Answer, "stop_reason": blocks.Stop, "usage": blocks.Usage, "model": blocks.Model, "modelId": blocks.Model,
	},
	Plain: map[string]jsontext.JSON{"role": `"assistant"`, "type": `"message"`},
	Logs: map[string]string{
		"request": "", "response": "", "params": "", "result": "message", "input": "inputBodyJson", "output": "outputBodyJson",
	},
	Foreign: []string{"format", "schema", "conversations", "contents", "chosen", "expectedResponse"},
	List:    "messages",
	Content: "content",
	Unlike:  []string{"tool_calls", "tool_call_id", "function_call", "parts"},
	Role:    role,
	Texts:   true,
	Stops: map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter", "pause_turn": "other",
	},
	Usages: map[string]string{
		"input_tokens": "promptTokens", "output_tokens": "completionTokens",
		"cache_read_input_tokens": "cacheReadInputTokens", "cache_creation_input_tokens": "cacheCreationInputTokens",
	},
	Block: readBlock,
	Media: func(m *blocks.Message) jsontext.JSON {
		if m.Role != canonical.User || m.Results {
			return ""
		}
		return m.Whole
	},
}

func role(_ *blocks.Conversation, name jsontext.JSON) (canonical.Role, error) {
	switch name {
	case `"user"`:
		return canonical.User, nil
	case `"assistant"`:
		return canonical.Assistant, nil
	}
	return canonical.User, sdk.Decline("want messages of user and assistant only")
}

func read(record jsontext.JSON, row *build.Builder) error {
	c := claude.New(row)
	c.Defer = true
	if err := c.Fill(record); err != nil {
		return err
	}
	if c.Field[blocks.Messages].Kind() != '[' {
		return sdk.Decline("want a list of messages")
	}
	if err := convert(&c); err != nil {
		return err
	}
	if !c.Marked && (c.Field[blocks.System] == "" || c.Strange != nil) {
		return sdk.Decline("want a mark of the Anthropic interface")
	}
	switch noAnswer := c.Field[blocks.Answer] == ""; {
	case noAnswer && row.Path == "params.messages":
		return sdk.Reject("no_target", "result.message", "want the answer beside its request, have one file of a batch alone; join both by custom_id before")
	case noAnswer && row.Path == "input.inputBodyJson.messages":
		return sdk.Reject("no_target", "output.outputBodyJson", "want the answer beside its request, have a log of a request that no message answers")
	}
	return cmp.Or(c.Strange, c.Broken)
}

// convert fills the row. Tools come first, since calls in text are recognised by their names.
func convert(c *blocks.Conversation) error {
	if tools := c.Field[blocks.Tools]; tools != "" {
		c.Marked = strings.Contains(string(tools), `"input_schema"`)
		_ = c.Fail(c.Row.SetTools("tools", tools)) // noted in Broken
	}
	if system := c.Field[blocks.System]; system != "" {
		c.Row.Add(canonical.System, 0).Body = c.TextOf(system)
	}
	answer := c.Field[blocks.Answer]
	answered := answer.Kind() == '[' && c.Field[blocks.Stop] != ""
	if answered {
		answer = c.Prefilled(answer)
	}
	if err := c.AddMessages(); err != nil {
		return err
	}
	if answered {
		c.Marked = true
		if err := c.AddBlocks(canonical.Assistant, len(c.Row.Turns), answer, ""); err != nil {
			return err
		}
	}
	choice(c, c.Field[blocks.Choice])
	c.Settle("stop_reason", "")
	return nil
}

// choice sets which tool the model had to choose.
func choice(c *blocks.Conversation, choice jsontext.JSON) {
	switch kind := choice.Get("type").Body(); kind {
	case "auto", "none":
		c.Row.ToolChoice = kind.JSON()
	case "any":
		c.Row.ToolChoice = `"required"`
	case "tool":
		c.Row.ToolChoice = jsontext.JSON(`{"type":"tool","toolName":"` + choice.Get("name").Body() + `"}`)
	case "":
	default:
		c.Row.Keep("tool_choice", choice)
	}
	c.Row.Leave("loss.choice_member", choice, "type", "name")
}
