// Package anthropic reads rows of the Anthropic Messages interface, as fine-tuning files and logs have them, and gives
// eliza_native_v1 rows.
//
// A row is taken when it has a list "messages" of user and assistant messages and shows one mark of that interface: a
// text or list "system" beside the list, a tool with input_schema, a block of type tool_use, tool_result or thinking,
// or the answer's content with a stop_reason. A log is taken in the form {"request": {...}, "response": {...}} too.
// A message of another role or a block of another interface makes it somebody else's.
package anthropic

import (
	"cmp"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "anthropic".
var Plugin = build.Adapter{
	Name: "anthropic",
	Doc:  "reads rows of the Anthropic Messages interface and gives eliza_native_v1 rows",
	Args: build.Options{Joiner: "\n"},
	Codes: map[string]string{
		"bad_block":   "a block of a content is no object, or has no place there; mend it where it was made, or leave it out",
		"bad_content": "the content of a message is neither text nor blocks; mend it where it was made, or leave it out",
		"bad_message": "a message is no object; mend it where it was made, or leave it out",
		"bad_role":    "a message has a role that the interface does not have; mend it where it was made, or leave it out",
	},
	New: func(sdk.Args) (build.ReadFunc, error) { return read, nil },

	Marks: build.Marked([]string{"messages"}, []string{"system", "type", "input_schema", "stop_reason"}),
}.Plugin()

// An adapter is about one record.
type adapter struct {
	row   *build.Builder
	parts fields
	marks bool // something only this interface has was seen

	// The first thing that is not of this interface, and the first that cannot be converted. They count once the
	// whole row has shown whose it is.
	strange, broken error
}

// fields are the members of a row that make the conversation, as JSON.
type fields struct{ system, messages, tools, choice, content, stop, usage jsontext.JSON }

func read(record jsontext.JSON, row *build.Builder) error {
	a := adapter{row: row}
	if err := a.members(record); err != nil {
		return err
	}
	if a.parts.messages.Kind() != '[' {
		return sdk.Decline("want a list of messages")
	}
	row.Path = cmp.Or(row.Path, "messages")
	if err := a.convert(); err != nil {
		return err
	}
	if !a.marks && (a.parts.system == "" || a.strange != nil) {
		return sdk.Decline("want a mark of the Anthropic interface")
	}
	return cmp.Or(a.strange, a.broken)
}

// members goes over the members of the record, and over those of the request and response of a log.
func (a *adapter) members(record jsontext.JSON) error {
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return sdk.Decline("want an object")
	}
	for key := range c.Members() {
		switch v := c.Value(); {
		case v == "null":
		case key == "format" || key == "schema" || key == "conversations" || key == "contents" || key == "chosen" || key == "expectedResponse":
			return sdk.Decline("want no other shape beside the messages")
		case key == "request" && v[0] == '{':
			a.row.Path = "request.messages"
			a.row.KeepUntaken(v, a.requested)
		case key == "response" && v[0] == '{':
			a.response(v)
		case !a.member(key, v):
			a.row.Keep(key, v)
		}
	}
	return nil
}

// requested takes a member of the request of a log.
func (a *adapter) requested(key string, value jsontext.JSON) bool {
	return value == "null" || a.member(key, value)
}

// response reads the answer of a log, a message of its own.
func (a *adapter) response(object jsontext.JSON) {
	c := jsontext.Cursor{JSON: object}
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "content", "stop_reason", "usage", "model":
			a.member(key, v)
		case "role", "type": // those of any answer
			if v != `"assistant"` && v != `"message"` {
				a.row.Keep(key, v)
			}
		default:
			a.row.Keep(key, v)
		}
	}
}

func (a *adapter) member(key string, value jsontext.JSON) bool {
	switch key {
	case "system":
		a.parts.system = value
	case "messages":
		a.parts.messages = value
	case "tools":
		a.parts.tools = value
	case "tool_choice":
		a.parts.choice = value
	case "content":
		a.parts.content = value
	case "stop_reason":
		a.parts.stop = value
	case "usage":
		a.parts.usage = value
	case "model":
		a.row.Identify("model", value)
	case "role":
		return value == `"assistant"`
	case "type":
		return value == `"message"`
	default:
		return false
	}
	return true
}

// convert fills the conversation. Tools come first, since calls in text are told by their names.
func (a *adapter) convert() error {
	p := &a.parts
	if p.tools != "" {
		a.marks = strings.Contains(string(p.tools), `"input_schema"`)
		a.fail(a.row.SetTools("tools", p.tools))
	}
	if p.system != "" {
		a.row.Add(canonical.System, 0).Body = a.row.TextOf(p.system)
	}
	c := jsontext.Cursor{JSON: p.messages}
	for i := range c.Elements() {
		if err := a.message(i, &c); err != nil {
			return err
		}
	}
	if p.content.Kind() == '[' && p.stop != "" {
		a.marks = true
		a.blocks(canonical.Assistant, len(a.row.Turns), p.content, "")
	}
	a.settings()
	return nil
}

// fail notes that something cannot be converted.
func (a *adapter) fail(err error) {
	if a.broken == nil {
		a.broken = err
	}
}

// foreign notes something that the interface does not have.
func (a *adapter) foreign(code, path, message string) {
	if a.strange == nil {
		a.strange = sdk.Reject(code, path, "%s", message)
	}
}

var stops = map[string]string{
	`"end_turn"`: "stop", `"stop_sequence"`: "stop", `"tool_use"`: "tool_calls", `"max_tokens"`: "length", `"refusal"`: "content_filter", `"pause_turn"`: "other",
}

// settings sets what belongs to the call and not to the conversation.
func (a *adapter) settings() {
	p := &a.parts
	a.row.FinishReason = jsontext.Body(stops[string(p.stop)])
	switch kind := p.choice.Get("type").Body(); kind {
	case "auto", "none":
		a.row.ToolChoice = jsontext.JSON(`"` + kind + `"`)
	case "any":
		a.row.ToolChoice = `"required"`
	case "tool":
		a.row.ToolChoice = jsontext.JSON(`{"type":"tool","toolName":"` + p.choice.Get("name").Body() + `"}`)
	case "":
	default:
		a.row.Keep("tool_choice", p.choice)
	}
	a.row.Leave("loss.choice_member", p.choice, "type", "name")
	if p.stop != "" && a.row.FinishReason == "" {
		a.row.Keep("stop_reason", p.stop)
	}
	a.row.Usage = build.Renamed(p.usage, usages)
}

var usages = map[string]string{
	"input_tokens": "promptTokens", "output_tokens": "completionTokens",
	"cache_read_input_tokens": "cacheReadInputTokens", "cache_creation_input_tokens": "cacheCreationInputTokens",
}
