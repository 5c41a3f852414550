package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A form is one layout of a record that holds a conversation.
type form struct {
	shape string // for the row's provenance; "" stands for the name of the list
	pairs bool   // only where the preset says so
	is    func(*adapter) bool
	read  func(*adapter) error
}

// forms are in the order in which they are tried.
var forms = []form{
	{"openai-preference", true, func(a *adapter) bool { return a.is(input, '{') && a.is(preferred, '[') }, (*adapter).openAIPreference},
	{"preference", true, (*adapter).isPreference, (*adapter).preference},
	{"input-output", true, (*adapter).isLogged, (*adapter).logged},
	{"genai", true, (*adapter).isTraced, (*adapter).traced},
	{"completions", true, (*adapter).isRated, (*adapter).rated},
	{"toolbench", true, (*adapter).isTree, (*adapter).tree},
	{"toolalpaca", true, (*adapter).isAPI, (*adapter).instances},
	{"prompt-answers", true, (*adapter).isCalled, (*adapter).called},
	{"request-response", false, func(a *adapter) bool {
		return a.is(request, '{') && a.record.members[response].Get("choices").Kind() == '['
	}, (*adapter).completed},
	{"responses", false, func(a *adapter) bool { return a.record.members[params].Get("input").Kind() == '[' }, (*adapter).responses},
	{"", false, (*adapter).findList, (*adapter).listed},
	{"prompt-completion", true, func(a *adapter) bool {
		return a.is(prompt, '[') && a.is(completion, '[') ||
			a.is(prompt, '"') && a.is(completion, '"') && a.record.members[functions]+a.record.members[tools] == ""
	}, (*adapter).promptCompletion},
}

// listed reads a row with one list of messages and the members around it.
func (a *adapter) listed() error {
	r := &a.record
	key, messages := a.keys[r.list], r.lists[r.list]
	r.lists[r.list] = ""
	if !messages.Truthy() {
		return sdk.Reject("no_messages", key, "want messages, have an empty list")
	}
	if err := a.undesired(); err != nil {
		return err
	}
	if err := a.history(key, messages); err != nil {
		return err
	}
	a.keepRejected(a.of(rejected)) // as in ms-swift
	if a.target(r.members[target]) {
		r.members[target] = ""
	}
	return a.expectedAction()
}

// begin sets the tools and the system text of members outside the list.
func (a *adapter) begin() error {
	value, path := a.of(tools), "tools"
	if others := a.of(functions); !value.Truthy() {
		value, path = others, "functions"
	} else if others.Truthy() {
		a.row.Keep("functions", others)
	}
	if err := a.row.SetTools(path, value); err != nil {
		return err
	}
	path = a.record.names[system]
	value = a.of(system)
	body, ok := a.instruction(value)
	switch {
	case !ok && value.Truthy():
		a.row.Keep(path, value)
	case !body.Blank():
		a.row.Path = path
		return a.system(0, body)
	}
	return nil
}

// instruction returns the text of a system prompt: a string, blocks of text as in Anthropic, Bedrock and Gemini, or a message.
// It is not ok for any other value.
func (a *adapter) instruction(value jsontext.JSON) (_ jsontext.Body, ok bool) {
	var text build.Joiner
	switch value.Kind() {
	case '"':
		return value.Body(), true
	case '[':
		for _, block := range value.Elements() {
			part, ok := a.instruction(block)
			if !ok {
				return "", false
			}
			text.Add(cmp.Or(a.row.Joiner(), `\n`), part)
		}
		return text.Body(), true
	case '{':
		for key, v := range value.Members() {
			switch key {
			case "text", "content", "parts":
				part, ok := a.instruction(v)
				if !ok {
					return "", false
				}
				text.Add(`\n`, part)
			default:
				if v.Truthy() && v != `"text"` && v != `"system"` {
					a.row.Count("loss.part_member", 1)
				}
			}
		}
		return text.Body(), true
	}
	return "", value == "null"
}

// expectedAction adds the answer that Nemotron's rows hold in a member of its own.
func (a *adapter) expectedAction() error {
	if !a.is(action, '{') {
		return nil
	}
	expected := a.of(action)
	at := len(a.row.Turns)
	if expected.Get("name") == "" {
		return a.textMessage(&message{at: at, role: canonical.Assistant, content: expected.Get("content")})
	}
	found, ok := calls.Object(expected)
	if !ok {
		return sdk.Reject("bad_tool_call", "expected_action", "want the name of a tool")
	}
	t := a.row.Add(canonical.Assistant, at)
	t.Calls = append(t.Calls, found)
	return nil
}

// target adds the answer that OpenClaw's rows hold in an object of its own, unless a message answers already, and reports
// whether it did.
func (a *adapter) target(target jsontext.JSON) bool {
	final, toolCalls := target.Get("final_response"), target.Get("tool_calls")
	if final == "" && toolCalls == "" ||
		slices.ContainsFunc(a.row.Turns, func(t build.Message) bool { return t.Role == canonical.Assistant }) {
		return false
	}
	t := a.row.Add(canonical.Assistant, len(a.row.Turns))
	t.Body, t.Reasoning = final.Body(), target.Get("assistant").Body()
	for _, v := range toolCalls.Elements() {
		found, ok := calls.Object(v)
		if ok && found.Args.Get("command") != `"echo placeholder"` {
			t.Calls = append(t.Calls, found)
		} else {
			a.row.Count("loss.placeholder_call", 1)
		}
	}
	a.row.KeepOthers(target, "final_response", "tool_calls", "assistant")
	return true
}

// responses reads the input of an OpenAI Responses call with the expected action.
func (a *adapter) responses() error {
	call := a.of(params)
	if list := call.Get("tools"); list.Truthy() {
		a.take("tools", list)
	}
	a.row.KeepOthers(call, "tools", "input")
	if err := a.history("responses_create_params.input", call.Get("input")); err != nil {
		return err
	}
	return a.expectedAction()
}

// isLogged reports whether the record logs a call: an input with messages, and an output.
func (a *adapter) isLogged() bool {
	r := &a.record
	if r.members[output] == "" || r.members[output] == "null" {
		return false
	}
	in := opened(r.members[input])
	if in.Kind() == '[' {
		return isMessages(in)
	}
	return in.Kind() == '{' && isMessages(messagesOf(in)) && messagesOf(in).Truthy()
}

// messagesOf returns the messages of a logged input.
func messagesOf(in jsontext.JSON) jsontext.JSON { return cmp.Or(in.Get("messages"), in.Get("input")) }

// opened returns a value, or the object or list that a string holds.
func opened(value jsontext.JSON) jsontext.JSON {
	body, ok := value.Quoted()
	if text := strings.TrimSpace(string(body)); !ok || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return value
	}
	if inner, ok := body.Embedded(); ok {
		return inner
	}
	return value
}

// logged reads the input and output of a call: messages, with or without tools, and a text, a message, a chat completion or
// the items of an OpenAI Responses call.
func (a *adapter) logged() error {
	messages, path, out := opened(a.of(input)), "input", a.of(output)
	if messages.Kind() == '{' {
		in := messages
		if path = "input.messages"; in.Get("messages") == "" {
			path = "input.input"
		}
		messages = messagesOf(in)
		a.settingsOf(in, "messages", "input")
	}
	if err := a.history(path, messages); err != nil {
		return err
	}
	if out = opened(out); out.Kind() != '{' {
		return a.answered("output", out)
	}
	switch {
	case out.Get("choices").Kind() == '[':
		return a.choice("output", out)
	case out.Get("output").Kind() == '[':
		a.row.KeepOthers(out, "output", "usage")
		a.record.members[usage] = cmp.Or(a.record.members[usage], build.Renamed(out.Get("usage"), usages))
		return a.answered("output.output", out.Get("output"))
	case out.Get("role").Kind() == '"' || out.Get("content") != "" || out.Get("tool_calls") != "":
		if out.Get("role") == "" {
			out = `{"role":"assistant",` + out[1:]
		}
		return a.answered("output", out)
	}
	a.row.Add(canonical.Assistant, len(a.row.Turns)).Body = build.AsText(out)
	return nil
}

// settingsOf reads the settings among the members of a request, such as tools, and keeps all others but those named.
func (a *adapter) settingsOf(request jsontext.JSON, but ...string) {
	for key, v := range request.Members() {
		switch {
		case slices.Contains(but, key):
		case slices.Contains([]string{"tools", "functions", "tool_choice", "system", "instructions"}, key):
			a.take(key, v)
		default:
			a.row.Keep(key, v)
		}
	}
}

// completed reads the request and response of an OpenAI chat completion.
func (a *adapter) completed() error {
	asked := a.of(request)
	a.settingsOf(asked, "messages")
	if err := a.history("request.messages", asked.Get("messages")); err != nil {
		return err
	}
	return a.choice("response", a.of(response))
}

// choice reads the answer of a chat completion: its first choice.
func (a *adapter) choice(path string, answer jsontext.JSON) error {
	a.row.KeepOthers(answer, "choices", "usage")
	choices := answer.Get("choices").List()
	if len(choices) == 0 {
		return sdk.Reject("no_target", path+".choices", "want a choice, have an empty list")
	}
	choice := choices[0]
	a.row.Count("loss.choice", len(choices)-1)
	a.row.KeepOthers(choice, "message", "finish_reason", "index")
	a.record.members[finish], a.record.members[usage] = choice.Get("finish_reason"), build.Renamed(answer.Get("usage"), usages)
	return a.answered(path+".choices.0.message", choice.Get("message"))
}

var usages = map[string]string{"prompt_tokens": "promptTokens", "completion_tokens": "completionTokens", "total_tokens": "totalTokens",
	"input_tokens": "promptTokens", "output_tokens": "completionTokens"}

// promptCompletion reads TRL's prompt and completion, as texts or as messages.
func (a *adapter) promptCompletion() error {
	if err := a.undesired(); err != nil {
		return err
	}
	if err := a.asked("prompt", a.of(prompt)); err != nil {
		return err
	}
	return a.answered("completion", a.of(completion))
}

// history adds a list of messages, after the tools and the system text of members outside the list.
func (a *adapter) history(path string, messages jsontext.JSON) error {
	if err := a.begin(); err != nil {
		return err
	}
	return a.list(path, messages)
}

// asked adds the question: a text, or messages. There may be none where the answer holds the whole conversation.
func (a *adapter) asked(path string, value jsontext.JSON) error {
	body, ok := value.Quoted()
	if !ok {
		return a.history(path, value)
	}
	if err := a.begin(); err != nil {
		return err
	}
	a.row.Path = path
	a.row.Add(canonical.User, 0).Body = body
	return nil
}

// answered adds an answer: a text, a message, or messages. An answer that repeats the question, as with TRL's implicit
// prompts, replaces it.
func (a *adapter) answered(path string, value jsontext.JSON) error {
	switch value.Kind() {
	case '"':
		return a.textMessage(&message{at: len(a.row.Turns), role: canonical.Assistant, content: value})
	case '{':
		value = "[" + value + "]"
	case '[':
	default:
		return sdk.Reject("bad_message", path, "want a text or messages, have %s", jsontext.KindName(value.Kind()))
	}
	from := len(a.row.Turns)
	if err := a.list(path, value); err != nil {
		return err
	}
	answer := a.row.Turns[from:]
	if n := len(answer); n > from && from > 0 && slices.EqualFunc(a.row.Turns[:from], answer[:from], func(a, b build.Message) bool {
		return a.Role == b.Role && a.Body == b.Body
	}) {
		a.row.Turns = slices.Delete(a.row.Turns, 0, from)
	}
	return nil
}
