package messages

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/calls"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

const trajectorySchema = `"eliza.eliza1_trajectory_record.v1"`

// listKeys are the members that may hold a list of messages, in order.
var listKeys = []string{"messages", "conversations", "conversation", "trajectory", "dialogue", "dialog", "chat"}

// A row is a record's members that mean something here, as JSON. Everything else is an extra.
type row struct {
	lists                               []jsontext.JSON // by index in the processor's keys
	list                                int             // which of them is read
	system, tools, functions            jsontext.JSON
	prompt, completion                  jsontext.JSON
	chosen, rejected, label             jsontext.JSON
	input, output                       jsontext.JSON
	request, response                   jsontext.JSON
	preferred, nonPreferred             jsontext.JSON
	params, action, target              jsontext.JSON
	schema                              jsontext.JSON
	media                               string // the name of a member that holds images or the like
	toolChoice, finish, usage, declared jsontext.JSON
}

// recognise reads the record's members in one pass and says how to read the row, or declines.
func (p *processor) recognise(record jsontext.JSON) (form, error) {
	p.row = row{lists: slices.Grow(p.row.lists[:0], len(p.keys))[:len(p.keys)]}
	clear(p.row.lists)
	p.rest.Reset()
	c := jsontext.Cursor{JSON: record}
	if c.Kind() != '{' {
		return nil, sdk.Decline("want an object")
	}
	for key := range c.Members() {
		p.member(key, c.Value())
	}
	f := &p.row
	if f.declared != "" {
		return nil, sdk.Decline("declares another format")
	}
	isList := func(v jsontext.JSON) bool { return v.Kind() == '[' }
	isText := func(v jsontext.JSON) bool { return v.Kind() == '"' }
	switch {
	case p.pairs && f.input.Kind() == '{' && isList(f.preferred):
		return (*processor).openAIPreference, nil
	case p.pairs && f.chosen != "" && f.rejected != "" && (f.prompt != "" || !isText(f.chosen) || slices.ContainsFunc(f.lists, func(v jsontext.JSON) bool { return v != "" })):
		return (*processor).preference, nil
	case p.pairs && isMessages(f.input) && (isList(f.output) || isText(f.output)):
		return (*processor).logged, nil
	case f.request.Kind() == '{' && f.response.Get("choices").Kind() == '[':
		return (*processor).completed, nil
	case f.params.Kind() == '{' && isList(f.params.Get("input")):
		return (*processor).responses, nil
	}
	for i := range p.keys {
		if list := unwrapped(f.lists[i]); isMessages(list) {
			f.lists[i], f.list = list, i
			return (*processor).rowOfList, nil
		}
	}
	switch {
	case p.pairs && isList(f.prompt) && isList(f.completion),
		p.pairs && isText(f.prompt) && isText(f.completion) && f.functions == "" && f.tools == "":
		return (*processor).promptCompletion, nil
	}
	return nil, sdk.Decline("want a list of messages")
}

// member files one member of the record.
func (p *processor) member(key string, value jsontext.JSON) {
	f := &p.row
	if i := slices.Index(p.keys, key); i >= 0 {
		f.lists[i] = value
		return
	}
	switch key {
	case "format":
		if value == `"eliza_native_v1"` {
			f.declared = value
		}
	case "schema":
		if f.schema = value; value == `"eliza.native_tool_calling.v1"` {
			f.declared = value
		}
		p.rest.Take(key, value)
	case "system", "system_prompt":
		f.system = value
	case "tools", "available_tools":
		if f.tools == "" || key == "tools" {
			f.tools = value
		}
	case "functions":
		f.functions = value
	case "prompt":
		f.prompt = value
	case "completion":
		f.completion = value
	case "chosen":
		f.chosen = value
	case "rejected", "rejected_response":
		f.rejected = value
	case "label", "kto_tag":
		f.label = value
	case "input":
		f.input = value
	case "output":
		f.output = value
	case "request":
		f.request = value
	case "response":
		f.response = value
	case "preferred_output", "preferred_completion":
		f.preferred = value
	case "non_preferred_output", "non_preferred_completion":
		f.nonPreferred = value
	case "responses_create_params":
		f.params = value
	case "expected_action":
		f.action = value
	case "target":
		f.target = value
	case "tool_choice", "toolChoice":
		f.toolChoice = value
	case "finish_reason", "finishReason":
		f.finish = value
	case "usage":
		f.usage = value
	case "images", "videos", "audios", "image", "video", "audio":
		if python.Truthy(value) {
			f.media = key
		}
	case "timestamp":
		p.conv.Identify(key, value)
	default:
		p.rest.Take(key, value)
	}
}

// settings sets what belongs to the call and not to the conversation.
func (p *processor) settings() {
	p.conv.ToolChoice, p.conv.Usage = p.row.toolChoice, p.row.usage
	p.conv.FinishReason = jsontext.Body(strings.ReplaceAll(string(p.row.finish.Body()), "-", "_"))
}

// unwrapped gives a value, or what is in it when it is a string that holds a JSON or Python list.
func unwrapped(value jsontext.JSON) jsontext.JSON {
	body, ok := value.Quoted()
	if !ok {
		return value
	}
	text := strings.TrimSpace(body.Text())
	if !strings.HasPrefix(text, "[") {
		return ""
	}
	if list, ok := jsontext.Embedded(text); ok {
		return list
	}
	list, rest, err := calls.Literal(nil, text)
	if err != nil || strings.TrimSpace(rest) != "" {
		return ""
	}
	return jsontext.JSON(list)
}

// isMessages tells whether a value is an empty list, or one that begins like a list of messages.
func isMessages(list jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: list}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		m := &c
		if c.Kind() == '"' {
			body, _ := c.String()
			inner, _ := body.Embedded()
			m = &jsontext.Cursor{JSON: inner}
		}
		if m.Kind() != '{' {
			return false
		}
		for key := range m.Members() {
			switch key {
			case "role", "from", "human", "assistant":
				return true
			}
		}
		return false
	}
	return true
}
