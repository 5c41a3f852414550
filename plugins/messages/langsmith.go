package messages

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// asks and replies are the names under which a run has its question and its answer, where they are texts.
var (
	asks    = []string{"input", "question", "query", "prompt", "text", "user_input", "user_message"}
	replies = []string{"output", "answer", "response", "result", "text", "content", "completion", "generation"}
)

// isRun reports whether the record is a run or an example of LangSmith: inputs with messages or one question, and outputs.
func (a *adapter) isRun() bool {
	in, out := a.row.Kept("inputs"), cmp.Or(a.row.Kept("outputs"), a.record.members[output])
	if in.Kind() != '{' || out.Kind() != '{' && out.Kind() != '"' {
		return false
	}
	switch a.row.Kept("run_type").Text() {
	case "", "llm", "chain":
	default:
		return false // of a tool, a retriever or a parser: no model answers
	}
	messages, _ := runMessages(in)
	return messages != "" || onlyText(in, asks) != ""
}

// runMessages returns the messages of a run's inputs or outputs, of which a batch of one holds a list of lists, and their key.
func runMessages(run jsontext.JSON) (messages jsontext.JSON, key string) {
	for _, key := range []string{"messages", "input", "chat_history", "output"} {
		list := run.Get(key)
		if list.Kind() == '{' {
			list = list.Get("messages")
		}
		if first := list.First(); first.Kind() == '[' && len(list.List()) == 1 {
			list = first
		}
		if isFull(list) {
			return list, key
		}
	}
	return "", ""
}

// onlyText returns the name of the only text among the members of an object, "" if that is none of some names or not the only one.
func onlyText(object jsontext.JSON, names []string) (name string) {
	for key, v := range object.Members() {
		switch {
		case v.Kind() != '"':
		case name != "" || !slices.Contains(names, key):
			return ""
		default:
			name = key
		}
	}
	return name
}

// run reads the inputs and outputs of a run.
func (a *adapter) run() error {
	in, out := a.row.Kept("inputs"), a.row.Kept("outputs")
	if out == "" { // as Weave has it
		out = a.of(output)
	}
	a.row.Forget("inputs")
	a.row.Forget("outputs")
	if tools := a.row.Kept("extra").Get("invocation_params").Get("tools"); tools.Truthy() {
		a.take("tools", tools)
	}
	messages, key := runMessages(in)
	if messages == "" {
		key = onlyText(in, asks)
		messages = in.Get(key)
	}
	a.settingsOf(in, key)
	if err := a.asked("inputs."+key, messages); err != nil {
		return err
	}
	return a.runOutput(out)
}

// runOutput reads what came of a run: a text, a message, messages, a chat completion, or generations.
func (a *adapter) runOutput(out jsontext.JSON) error {
	if out.Kind() == '"' {
		return a.answered("outputs", out)
	}
	if isAnswer(out) {
		return a.response("outputs", "", out)
	}
	if list := out.Get("generations"); list.Kind() == '[' {
		a.row.KeepOthers(out, "generations")
		return a.generation(list)
	}
	if list, key := runMessages(out); list != "" {
		a.row.KeepOthers(out, key)
		return a.answered("outputs."+key, list)
	}
	for _, key := range []string{"message", "output"} {
		if v := out.Get(key); v.Kind() == '{' {
			a.row.KeepOthers(out, key)
			return a.answered("outputs."+key, v)
		}
	}
	if isMessages("[" + out + "]") {
		return a.answered("outputs", out)
	}
	if key := onlyText(out, replies); key != "" {
		a.row.KeepOthers(out, key)
		return a.answered("outputs."+key, out.Get(key))
	}
	return sdk.Reject("no_target", "outputs", "want one answer: generations, messages, a message or one text, have %s", jsontext.KindName(out.Kind()))
}

// generation reads the first of the generations of a run, of which a batch of one has a list of lists.
func (a *adapter) generation(list jsontext.JSON) error {
	path := "outputs.generations.0"
	for list.First().Kind() == '[' {
		a.row.Count("loss.choice", len(list.List())-1)
		list, path = list.First(), path+".0"
	}
	if list.Empty() {
		return sdk.Reject("no_target", path, "want a generation, have an empty list")
	}
	a.row.Count("loss.choice", len(list.List())-1)
	first := list.First()
	if info := first.Get("generation_info"); info.Kind() == '{' {
		a.finish = info.Get("finish_reason")
		a.row.Leave("loss.choice_member", info, "finish_reason")
	}
	if message := first.Get("message"); message.Kind() == '{' {
		said := first.Get("text")
		if said.Truthy() && said != cmp.Or(message.Get("kwargs"), message.Get("data"), message).Get("content") {
			a.row.Count("loss.choice_member", 1)
		}
		a.row.Leave("loss.choice_member", first, "message", "generation_info", "text")
		return a.answered(path+".message", message)
	}
	a.row.Leave("loss.choice_member", first, "text", "generation_info")
	t := a.row.Add(canonical.Assistant, len(a.row.Turns))
	t.Body = build.AsText(first.Get("text"))
	return a.readText(t)
}
