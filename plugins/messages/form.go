package messages

import (
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/columns"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A form reads one shape of row into the conversation.
type form func(*processor) error

// rowOfList reads a row that is one list of messages, with what stands beside it.
func (p *processor) rowOfList() error {
	f := &p.row
	key, messages := p.keys[f.list], f.lists[f.list]
	if !python.Truthy(messages) {
		return sdk.Reject("no_messages", key, "want messages, have an empty list")
	}
	if err := p.undesired(); err != nil {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.list.read(key, messages); err != nil {
		return err
	}
	f.lists[f.list] = ""
	if f.rejected != "" { // ms-swift
		p.conv.Meta("preference", `{"rejected":`+f.rejected+`}`)
		f.rejected = ""
	}
	if f.target != "" && p.openClawTarget(f.target) == nil {
		f.target = ""
	}
	return p.expectedAction()
}

// leave keeps the members that a form did not read. Forms empty those they read.
func (p *processor) leave() {
	f := &p.row
	for i, key := range p.keys {
		if f.lists[i] != "" {
			p.conv.Meta(jsontext.BodyOf(key), f.lists[i])
		}
	}
	for _, m := range [...]canonical.Member{
		{Key: "prompt", Value: f.prompt}, {Key: "completion", Value: f.completion}, {Key: "chosen", Value: f.chosen}, {Key: "rejected", Value: f.rejected},
		{Key: "label", Value: f.label}, {Key: "input", Value: f.input}, {Key: "output", Value: f.output}, {Key: "request", Value: f.request},
		{Key: "response", Value: f.response}, {Key: "expected_action", Value: f.action}, {Key: "target", Value: f.target},
	} {
		if m.Value != "" {
			p.conv.Meta(m.Key, m.Value)
		}
	}
}

// begin sets the tools and the system text that stand beside a list.
func (p *processor) begin() error {
	f := &p.row
	tools, path := f.tools, "tools"
	if !python.Truthy(tools) {
		tools, path = f.functions, "functions"
	}
	if err := p.conv.SetTools(path, tools); err != nil {
		return err
	}
	if body, ok := f.system.Quoted(); ok && !body.Blank() {
		p.list.path = "system"
		return p.list.system(0, body)
	}
	return nil
}

// undesired rejects the half of a KTO row that shows what not to say.
func (p *processor) undesired() error {
	if p.row.label == "false" {
		return sdk.Reject("undesired", "label", "want an answer that is wanted, have one that is not")
	}
	return nil
}

// expectedAction adds the answer that Nemotron's rows hold beside their messages.
func (p *processor) expectedAction() error {
	action := p.row.action
	if action.Kind() != '{' {
		return nil
	}
	p.row.action = ""
	i := len(p.conv.Turns)
	if action.Get("name") == "" {
		return p.list.said(i, assistant, &message{content: action.Get("content")})
	}
	found, ok := readCall(action)
	if !ok {
		return sdk.Reject("bad_tool_call", "expected_action", "want the name of a tool, have none")
	}
	t := p.conv.Add(eliza.Assistant, i)
	t.Calls = append(t.Calls, found)
	return nil
}

// openClawTarget adds the answer of rows whose target object holds it; an error says that it holds none.
func (p *processor) openClawTarget(target jsontext.JSON) error {
	if target.Kind() != '{' {
		return sdk.Reject("bad_target", "target", "want an object")
	}
	final, toolCalls := target.Get("final_response"), target.Get("tool_calls")
	if final == "" && toolCalls == "" {
		return sdk.Reject("bad_target", "target", "want an answer")
	}
	if slices.ContainsFunc(p.conv.Turns, func(t canonical.Turn) bool { return t.Role == eliza.Assistant }) {
		return sdk.Reject("bad_target", "target", "want a row without an answer")
	}
	t := p.conv.Add(eliza.Assistant, len(p.conv.Turns))
	t.Body, t.Reasoning = final.Body(), target.Get("assistant").Body()
	c := jsontext.Cursor{JSON: toolCalls}
	for range c.Elements() {
		found, ok := readCall(c.Value())
		if ok && found.Args.Get("command") != `"echo placeholder"` {
			t.Calls = append(t.Calls, found)
		}
	}
	return nil
}

// responses reads the input of an OpenAI Responses call with the action that was expected of it.
func (p *processor) responses() error {
	params := p.row.params
	if p.row.tools == "" {
		p.row.tools = params.Get("tools")
	}
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.list.read("responses_create_params.input", params.Get("input")); err != nil {
		return err
	}
	return p.expectedAction()
}

// logged reads what was put in and came out: messages and a text, or the items of an OpenAI Responses call.
func (p *processor) logged() error {
	if err := p.begin(); err != nil {
		return err
	}
	input, output := p.row.input, p.row.output
	p.row.input, p.row.output = "", ""
	if err := p.list.read("input", input); err != nil {
		return err
	}
	return p.answered("output", output)
}

// completed reads the request and response of an OpenAI chat completion, of whose choices the first counts.
func (p *processor) completed() error {
	f := &p.row
	c := jsontext.Cursor{JSON: f.request}
	var messages jsontext.JSON
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "messages":
			messages = v
		case "tools", "functions", "tool_choice":
			p.member(key, v)
		case "model":
			p.conv.Identify(key, v)
		default:
			p.conv.Meta(jsontext.BodyOf(key), v)
		}
	}
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.list.read("request.messages", messages); err != nil {
		return err
	}
	response := f.response
	f.request, f.response = "", ""
	choices := jsontext.Cursor{JSON: response.Get("choices")}
	for range choices.Elements() {
		choice := choices.Value()
		f.finish, f.usage = choice.Get("finish_reason"), columns.Renamed(response.Get("usage"), usages)
		return p.answered("response.choices.0.message", choice.Get("message"))
	}
	return sdk.Reject("no_target", "response.choices", "want a choice, have none")
}

var usages = map[string]string{"prompt_tokens": "promptTokens", "completion_tokens": "completionTokens", "total_tokens": "totalTokens"}

// promptCompletion reads TRL's prompt and completion, as texts or as messages.
func (p *processor) promptCompletion() error {
	if err := p.undesired(); err != nil {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	prompt, completion := p.row.prompt, p.row.completion
	p.row.prompt, p.row.completion = "", ""
	if err := p.asked("prompt", prompt); err != nil {
		return err
	}
	return p.answered("completion", completion)
}

// preference reads a pair of answers: the chosen one becomes the row's, the other goes to metadata.preference.rejected.
func (p *processor) preference() error {
	f := &p.row
	if err := p.begin(); err != nil {
		return err
	}
	path, asked := "prompt", f.prompt
	f.prompt = ""
	for i, key := range p.keys {
		if asked == "" && f.lists[i] != "" {
			path, asked = key, unwrapped(f.lists[i])
			f.lists[i] = ""
		}
	}
	if err := p.asked(path, asked); err != nil {
		return err
	}
	p.conv.Meta("preference", `{"rejected":`+f.rejected+`}`)
	chosen := f.chosen
	f.chosen, f.rejected = "", ""
	return p.answered("chosen", chosen)
}

// openAIPreference reads OpenAI's row for preference training.
func (p *processor) openAIPreference() error {
	f := &p.row
	if f.tools == "" {
		f.tools = f.input.Get("tools")
	}
	if err := p.begin(); err != nil {
		return err
	}
	messages := f.input.Get("messages")
	f.input = ""
	if err := p.asked("input.messages", messages); err != nil {
		return err
	}
	if f.nonPreferred != "" {
		p.conv.Meta("preference", `{"rejected":`+f.nonPreferred+`}`)
	}
	return p.answered("preferred_output", f.preferred)
}

// asked adds what the user asked: a text, or messages. Nothing at all is fine where the answer has the whole.
func (p *processor) asked(path string, value jsontext.JSON) error {
	if body, ok := value.Quoted(); ok {
		p.conv.Path = path
		p.conv.Add(eliza.User, 0).Body = body
		return nil
	}
	return p.list.read(path, value)
}

// answered adds an answer: a text, a message, or messages. Where it repeats what was asked, as TRL's implicit prompts do,
// it stands alone.
func (p *processor) answered(path string, value jsontext.JSON) error {
	switch {
	case value.Kind() == '"':
		return p.list.said(len(p.conv.Turns), assistant, &message{content: value})
	case value.Kind() == '{':
		value = "[" + value + "]"
	case value.Kind() != '[':
		return sdk.Reject("bad_message", path, "want a text or messages, have another value")
	}
	from := len(p.conv.Turns)
	if err := p.list.read(path, value); err != nil {
		return err
	}
	answer := p.conv.Turns[from:]
	if n := len(answer); n > from && from > 0 && slices.EqualFunc(p.conv.Turns[:from], answer[:from], func(a, b canonical.Turn) bool {
		return a.Role == b.Role && a.Body == b.Body
	}) {
		p.conv.Turns = slices.Delete(p.conv.Turns, 0, from)
	}
	return nil
}
