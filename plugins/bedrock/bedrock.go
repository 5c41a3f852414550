// Package bedrock reads rows of the Converse interface of Amazon Bedrock, as tuning files, requests with their answers and
// invocation logs have them, and gives eliza_native_v1 rows.
//
// A row is taken when it has a list "messages" whose first content is a list that begins with a block of this interface: an
// object without a type, with text, toolUse, image and so on. The list stands at the top, in "request" beside a "response",
// or in "input.inputBodyJson" beside an "output.outputBodyJson".
package bedrock

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "bedrock".
var Plugin = build.Adapter{
	Name: "bedrock",
	Doc:  "reads rows of the Converse interface of Amazon Bedrock and gives eliza_native_v1 rows",
	Args: build.Options{Joiner: "\n"},
	Codes: map[string]string{
		"bad_block":   "a block of a content is no object, or of no kind that is known; mend it where it was made, or leave it out",
		"bad_content": "the content of a message is no list of blocks; mend it where it was made, or leave it out",
		"bad_message": "a message is no object; mend it where it was made, or leave it out",
		"bad_role":    "a message has a role that the interface does not have; mend it where it was made, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"messages"}, kinds),
}.Plugin()

// An adapter is about one record.
type adapter struct {
	row   *build.Builder
	parts fields
}

// fields are the members of a row that make the conversation, as JSON.
type fields struct{ system, messages, config, output, stop, usage jsontext.JSON }

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row}
	if err := a.members(record); err != nil {
		return err
	}
	if !begins(a.parts.messages) {
		return sdk.Decline("want messages with blocks of the Converse interface")
	}
	row.Path = cmp.Or(row.Path, "messages")
	return a.convert()
}

// members goes over the members of the record, and over those of the request and the answer.
func (a *adapter) members(record jsontext.JSON) error {
	c := record.Cursor()
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		switch v := c.Value(); {
		case key == "format" || key == "schema" || key == "conversations" || key == "contents":
			return sdk.Decline("want no other shape beside the messages")
		case key == "messages" && !begins(v):
			return sdk.Decline("want messages with blocks of the Converse interface")
		case key == "request" && v[0] == '{':
			a.row.Path = "request.messages"
			a.row.KeepUntaken(v, a.member)
		case key == "response" && v[0] == '{':
			a.row.KeepUntaken(v, a.member)
		case key == "input" && v.Get("inputBodyJson") != "":
			a.row.Path = "input.inputBodyJson.messages"
			a.row.KeepUntaken(v.Get("inputBodyJson"), a.member)
			a.row.KeepOthers(v, "inputBodyJson")
		case key == "output" && v.Get("outputBodyJson") != "":
			a.row.KeepUntaken(v.Get("outputBodyJson"), a.member)
			a.row.KeepOthers(v, "outputBodyJson")
		case !a.member(key, v):
			a.row.Keep(key, v)
		}
	}
	return nil
}

func (a *adapter) member(key string, value jsontext.JSON) bool {
	switch key {
	case "system":
		a.parts.system = value
	case "messages":
		a.parts.messages = value
	case "toolConfig":
		a.parts.config = value
	case "output":
		if value.Get("message") == "" {
			return false
		}
		a.parts.output = value
	case "stopReason":
		a.parts.stop = value
	case "usage":
		a.parts.usage = value
	case "modelId":
		a.row.Identify("model", value)
	default:
		return false
	}
	return true
}

// kinds are the members of blocks that say what a block is.
var kinds = []string{"text", "toolUse", "toolResult", "image", "document", "video", "audio", "reasoningContent", "cachePoint", "guardContent", "citationsContent"}

// begins tells whether a list of messages begins with one of this interface.
func begins(messages jsontext.JSON) bool {
	c := messages.Cursor()
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		blocks := c.Value().Get("content").Cursor()
		if blocks.Kind() != '[' {
			return false
		}
		for range blocks.Elements() {
			known := false
			for key := range blocks.Members() {
				if key == "type" {
					return false
				}
				known = known || slices.Contains(kinds, key)
			}
			return known
		}
	}
	return false
}

// convert fills the conversation.
func (a *adapter) convert() error {
	p := &a.parts
	if err := a.tools(p.config); err != nil {
		return err
	}
	if text := a.row.TextOf(p.system); text != "" {
		a.row.Add(canonical.System, 0).Body = text
	}
	c := p.messages.Cursor()
	for i := range c.Elements() {
		if err := a.message(i, c.Value()); err != nil {
			return err
		}
	}
	if p.output != "" {
		if err := a.message(len(a.row.Turns), p.output.Get("message")); err != nil {
			return err
		}
		a.row.Leave("loss.response_member", p.output, "message")
	}
	if p.stop != "" {
		if a.row.FinishReason = jsontext.Body(stops[string(p.stop.Body())]); a.row.FinishReason == "" {
			a.row.FinishReason = "other"
			a.row.Keep("stopReason", p.stop)
		}
	}
	a.row.Usage = build.Renamed(p.usage, usages)
	return nil
}

var stops = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length",
	"content_filtered": "content_filter", "guardrail_intervened": "content_filter",
}

var usages = map[string]string{
	"inputTokens": "promptTokens", "outputTokens": "completionTokens",
	"cacheWriteInputTokens": "cacheCreationInputTokens",
}

// tools reads the tools and the choice among them.
func (a *adapter) tools(config jsontext.JSON) error {
	list := []byte("[")
	a.row.Leave("loss.choice_member", config, "tools", "toolChoice")
	c := config.Get("tools").Cursor()
	for range c.Elements() {
		tool := c.Value()
		spec := tool.Get("toolSpec")
		a.row.Leave("loss.tool_member", tool, "toolSpec")
		if spec.Kind() != '{' {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = appendSpec(list, spec)
	}
	choice := config.Get("toolChoice")
	switch {
	case choice == "":
	case choice.Get("auto") != "":
		a.row.ToolChoice = `"auto"`
	case choice.Get("any") != "":
		a.row.ToolChoice = `"required"`
	case choice.Get("tool").Get("name").Body() != "":
		a.row.ToolChoice = `{"type":"tool","toolName":` + choice.Get("tool").Get("name") + "}"
		a.row.Leave("loss.choice_member", choice.Get("tool"), "name")
	default:
		a.row.Keep("toolChoice", choice)
	}
	for _, kind := range []string{"auto", "any"} {
		a.row.Leave("loss.choice_member", choice.Get(kind))
	}
	a.row.Leave("loss.choice_member", choice, "auto", "any", "tool")
	return a.row.SetTools("toolConfig.tools", jsontext.JSON(append(list, ']')))
}

// appendSpec appends a tool with its schema under "parameters", which this interface wraps in "json".
func appendSpec(dst []byte, spec jsontext.JSON) []byte {
	dst = append(dst, '{')
	c := spec.Cursor()
	n := 0
	for key := range c.Members() {
		value := c.Value()
		if key == "inputSchema" {
			if inner := value.Get("json"); inner != "" {
				value = inner
			}
			key = "parameters"
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(jsontext.AppendString(dst, key), ':'), value...)
	}
	return append(dst, '}')
}
