package messages

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/ask"
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
	{"stepwise", true, (*adapter).isStepwise, (*adapter).stepwise},
	{"input-output", true, (*adapter).isLogged, (*adapter).logged},
	{"genai", true, (*adapter).isTraced, (*adapter).traced},
	{"genai-events", true, (*adapter).isEvents, (*adapter).events},
	{"spans", true, (*adapter).isSpan, (*adapter).span},
	{"query-response", true, (*adapter).isEvaluated, (*adapter).evaluated},
	{"moss", false, (*adapter).isMOSS, (*adapter).moss},
	{"chatgpt-export", true, (*adapter).isChatGPT, (*adapter).chatGPT},
	{"claude-export", true, (*adapter).isClaude, (*adapter).claude},
	{"smolagents", true, (*adapter).isSmol, (*adapter).smol},
	{"compared", true, (*adapter).isComparison, (*adapter).compared},
	{"completions", true, (*adapter).isRated, (*adapter).rated},
	{"toolbench", true, (*adapter).isTree, (*adapter).tree},
	{"toolalpaca", true, (*adapter).isAPI, (*adapter).instances},
	{"prompt-answers", true, (*adapter).isCalled, (*adapter).called},
	{"batch", false, (*adapter).isBatch, (*adapter).batch},
	{"request-response", false, (*adapter).isExchange, (*adapter).completed},
	{"responses", false, func(a *adapter) bool { return hasInput(a.record.members[params]) }, (*adapter).responses},
	{"langsmith", true, (*adapter).isRun, (*adapter).run},
	{"prompt-response", true, func(a *adapter) bool {
		return isFull(a.record.members[prompt]) && isSaid(a.record.members[response]) && !a.isWhole()
	}, (*adapter).promptResponse},
	{"history", true, (*adapter).isContinued, (*adapter).continued},
	{"dialogue", false, (*adapter).isDialogue, (*adapter).dialogue},
	{"", false, (*adapter).findList, (*adapter).listed},
	{"rounds", true, (*adapter).isRounds, (*adapter).rounds},
	{"prompt-completion", true, func(a *adapter) bool {
		return isFull(a.record.members[prompt]) && isSaid(a.record.members[completion]) || a.is(prompt, '"') && isFull(a.record.members[completion]) ||
			a.is(prompt, '[') && a.is(completion, '[') ||
			a.is(prompt, '"') && a.is(completion, '"') && a.record.members[functions]+a.record.members[tools] == "" &&
				!a.is(input, '"') && !ask.Columns{Row: a.row}.Extends() // a pair with material
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
	if err := a.answerBeside(); err != nil {
		return err
	}
	if err := a.unanswered(key); err != nil {
		return err
	}
	a.keepRejected(a.of(rejected)) // as in ms-swift
	if a.target(r.members[target]) {
		r.members[target] = ""
	}
	return a.expectedAction()
}

// answerBeside adds an answer in a column of its own, unless the messages end with one.
func (a *adapter) answerBeside() error {
	if n := len(a.row.Turns); n == 0 || a.row.Turns[n-1].Role == canonical.Assistant || a.thought.Body() != "" {
		return nil
	}
	for _, m := range []member{response, completion, output} {
		switch v := a.record.members[m]; {
		case isAnswer(v):
			a.of(m)
			return a.response(a.record.names[m], "", v)
		case v.Kind() == '"' && !v.Body().Blank(), v.Kind() == '{' && isMessages("["+v+"]"), isFull(v):
			a.of(m)
			return a.answered(a.record.names[m], v)
		}
	}
	if choices := a.row.Kept("choices"); choices.First().Get("message") != "" { // the answer's members stand beside the request's
		a.row.Forget("choices")
		return a.choice("", `{"choices":`+choices+`,"usage":`+cmp.Or(a.record.members[usage], "null")+"}")
	}
	if said := a.row.Kept("generation"); said.Kind() == '"' && !said.Body().Blank() {
		a.row.Forget("generation")
		return a.answered("generation", said)
	}
	return nil
}

// templateSettings reads the system prompt and the tools among the arguments of SmolLM3's chat template.
func (a *adapter) templateSettings() {
	given := a.row.Kept("chat_template_kwargs")
	if given.Kind() != '{' {
		return
	}
	a.row.Forget("chat_template_kwargs")
	rest, list := []byte("{"), []byte("[")
	for key, v := range given.Members() {
		switch {
		case key == "custom_instructions" && a.record.members[system] == "":
			a.take("system", v)
		case (key == "xml_tools" || key == "python_tools") && v.Kind() == '[' && a.record.members[tools] == "":
			for _, tool := range v.Elements() {
				list = append(jsontext.AppendComma(list), tool...)
			}
		default:
			rest = append(jsontext.AppendKey(rest, key), v...)
		}
	}
	if len(list) > 1 {
		a.take("tools", jsontext.JSON(append(list, ']')))
	}
	a.row.Keep("chat_template_kwargs", jsontext.JSON(append(rest, '}')))
}

// begin sets the tools and the system text of members outside the list.
func (a *adapter) begin() error {
	a.templateSettings()
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
		return sdk.Reject("bad_tool_call", "expected_action", "want the name of a tool, have %s", unnamed(expected))
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
	cut, to := repeated(a.row.Turns[:from], a.row.Turns[from:])
	a.row.Turns = slices.Delete(a.row.Turns, cut, to)
	return nil
}

// repeated returns which of the turns that ask are repeated by those that answer: all but the system's, where these begin with the first
// question, or those from the last question on, where they begin with that.
func repeated(asked, answer []build.Message) (from, to int) {
	isUser := func(t build.Message) bool { return t.Role == canonical.User }
	said := func(t build.Message) bool { return t.Role != canonical.System }
	k := slices.IndexFunc(answer, said)
	first := slices.IndexFunc(asked, isUser)
	if k < 0 || first < 0 || !isUser(answer[k]) {
		return 0, 0
	}
	last := len(asked) - 1
	for !isUser(asked[last]) {
		last--
	}
	same := func(t build.Message) bool { return t.Body == answer[k].Body && t.Raw == answer[k].Raw }
	switch {
	case same(asked[first]):
		if to := len(asked); k > 0 || slices.IndexFunc(asked, said) == 0 { // the system's turns are repeated too, or there are none
			return 0, to
		}
		return slices.IndexFunc(asked, said), len(asked)
	case same(asked[last]):
		return last, len(asked)
	}
	return 0, 0
}
