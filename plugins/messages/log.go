package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// responses reads the input of an OpenAI Responses call with its response, as rollouts have it, or with the expected action.
func (a *adapter) responses() error {
	call, answer := a.of(params), a.of(response)
	if err := a.requested("responses_create_params", call); err != nil {
		return err
	}
	switch {
	case isAnswer(answer):
		return a.response("response", call, answer)
	case a.is(action, '{'):
		a.keepAnswer(answer)
		return a.expectedAction()
	}
	return sdk.Reject("no_target", "response.output", "want what the model said in response.output or expected_action")
}

// keepAnswer keeps a response that is not read.
func (a *adapter) keepAnswer(answer jsontext.JSON) { a.record.members[response] = answer }

// isAnswer reports whether a value is a chat completion or a Responses object.
func isAnswer(v jsontext.JSON) bool {
	return v.Get("choices").Kind() == '[' || v.Get("output").Kind() == '['
}

// hasInput reports whether a value is the request of a Responses call.
func hasInput(v jsontext.JSON) bool {
	kind := v.Get("input").Kind()
	return kind == '[' || kind == '"'
}

// requested reads a request: its messages or input, with the settings among its members.
func (a *adapter) requested(path string, call jsontext.JSON) error {
	if before := call.Get("previous_response_id"); before.Truthy() {
		return sdk.Reject("no_history", path+".previous_response_id", "want the whole conversation in the request, have the id of an earlier response")
	}
	a.settingsOf(call, "messages", "input")
	if call.Get("messages") != "" {
		return a.history(path+".messages", call.Get("messages"))
	}
	return a.asked(path+".input", call.Get("input"))
}

// response reads the answer to a request: a chat completion, or the items of a Responses object. What the object repeats of the
// request is left out.
func (a *adapter) response(path string, call, answer jsontext.JSON) error {
	if answer.Get("choices").Kind() == '[' {
		return a.choice(path, answer)
	}
	for key, v := range answer.Members() {
		switch key {
		case "output", "usage":
		case "incomplete_details":
			reason := v.Get("reason").Text()
			a.finish = v.Get("reason")
			if reason == "max_output_tokens" {
				a.finish = `"length"`
			}
			a.row.Leave("loss.answer_member", v, "reason")
		default:
			if v != call.Get(key) {
				a.row.Keep(key, v)
			}
		}
	}
	a.record.members[usage] = cmp.Or(a.record.members[usage], build.Renamed(answer.Get("usage"), usages))
	if answer.Get("output").Empty() {
		return sdk.Reject("no_target", path+".output", "want what the model said, have an empty list")
	}
	return a.answered(path+".output", answer.Get("output"))
}

// isLogged reports whether the record logs a call: an input with messages, and an output.
func (a *adapter) isLogged() bool {
	r := &a.record
	if r.members[output] == "" || r.members[output] == "null" {
		return false
	}
	in := opened(r.members[input])
	switch in.Kind() {
	case '[':
		return isFull(in)
	case '"':
		return isItems(opened(r.members[output]))
	}
	return in.Kind() == '{' && isMessages(messagesOf(in)) && messagesOf(in).Truthy()
}

// isItems reports whether an output is a list of messages or items, or a Responses object.
func isItems(out jsontext.JSON) bool {
	if out.Kind() == '{' {
		return out.Get("output").Kind() == '['
	}
	kind := out.First().Get("type").Text()
	return isFull(out) || kind == "reasoning" || kind == "function_call" || hosted[kind].input != ""
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
	if err := a.asked(path, messages); err != nil {
		return err
	}
	if out = opened(out); out.First().Get("message").Kind() == '{' { // choices without their completion
		return a.choice("output", `{"choices":`+out+`}`)
	}
	if out.Kind() != '{' {
		return a.answered("output", out)
	}
	switch {
	case out.Get("choices").Kind() == '[':
		return a.choice("output", out)
	case out.Get("output").Kind() == '[':
		return a.response("output", "", out)
	case isFull(out.Get("messages")):
		a.row.KeepOthers(out, "messages")
		return a.answered("output.messages", out.Get("messages"))
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

// completed reads the request and response of an OpenAI chat completion or Responses call.
func (a *adapter) completed() error {
	call, answer := opened(a.of(request)), opened(a.of(response))
	if err := a.requested("request", call); err != nil {
		return err
	}
	if isAnswer(answer) {
		return a.response("response", call, answer)
	}
	if inner := answer.Get("message"); inner.Kind() == '{' { // as Ollama has it
		a.row.KeepOthers(answer, "message")
		return a.answered("response.message", inner)
	}
	return a.answered("response", answer)
}

// isExchange reports whether the record has a request of messages and its response, each of which may be JSON in a string.
func (a *adapter) isExchange() bool {
	call, answer := opened(a.record.members[request]), opened(a.record.members[response])
	if call.Kind() != '{' || !isFull(call.Get("messages")) && !hasInput(call) && !isAnswer(answer) {
		return false
	}
	return isAnswer(answer) || isSaid(answer) || isSaid(answer.Get("message"))
}

// isSaid reports whether a value is an answer: a text that says something, a message, or messages.
func isSaid(v jsontext.JSON) bool {
	switch v.Kind() {
	case '"':
		return !v.Body().Blank()
	case '{':
		return isMessages("[" + v + "]")
	}
	return isFull(v)
}

// isBatch reports whether the record is of a batch file of OpenAI or Anthropic: a request with the id of its answer, the answer, or both.
func (a *adapter) isBatch() bool {
	if a.row.Kept("custom_id") == "" {
		return false
	}
	return a.row.Kept("body").Kind() == '{' || a.row.Kept("params").Kind() == '{' || a.row.Kept("result").Kind() == '{' ||
		a.is(request, '{') || a.is(response, '{')
}

// batch reads a request of a batch together with its answer. The two files of a batch have one of them each.
func (a *adapter) batch() error {
	call, path := a.row.Kept("body"), "body"
	if sent := a.record.members[request]; sent.Kind() == '{' {
		call, path = cmp.Or(sent.Get("body"), sent), "request.body"
		a.of(request)
		a.row.KeepOthers(sent, "body", "custom_id")
	}
	a.row.Forget("body")
	answer := a.of(response)
	if body := answer.Get("body"); body.Kind() == '{' {
		a.row.KeepOthers(answer, "body")
		answer = body
	}
	switch {
	case a.row.Kept("params").Kind() == '{':
		return sdk.Reject("no_target", "result.message", "want the answer beside its request, have one file of a batch alone; join both by custom_id before")
	case call.Kind() != '{':
		return sdk.Reject("no_user_turn", path, "want the request beside its answer, have one file of a batch alone; join both by custom_id before")
	case !isAnswer(answer):
		return sdk.Reject("no_target", "response.body", "want the answer beside its request, have one file of a batch alone; join both by custom_id before")
	}
	if err := a.requested(path, call); err != nil {
		return err
	}
	return a.response("response.body", call, answer)
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
	return a.answered(strings.TrimPrefix(path+".choices.0.message", "."), choice.Get("message"))
}

var usages = map[string]string{"prompt_tokens": "promptTokens", "completion_tokens": "completionTokens", "total_tokens": "totalTokens",
	"input_tokens": "promptTokens", "output_tokens": "completionTokens"}
