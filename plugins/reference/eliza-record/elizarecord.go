// Package elizarecord reads flat records as the Python renderer does.
package elizarecord

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/eliza-record/prompt"
	"github.com/sluicehq/sluice/plugins/internal/pyjson"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/plugins/reference/render"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// New returns a step whose rows carry the messages of the renderer, with a system text that names tools and actions.
func New(prompts prompt.Registry) sdk.Processor {
	return render.Adapter(func(row *render.Carried, record jsontext.JSON) error { return read(row, record, prompts) })
}

type flat struct{ agent, memory, current, expected, actions, metadata jsontext.JSON }

func read(row *render.Carried, record jsontext.JSON, prompts prompt.Registry) error {
	if record.Kind() != '{' {
		return sdk.Reject("reference_error", "", "want an object")
	}
	var f flat
	var split, quality jsontext.JSON
	record.Fill([]string{"agentId", "memoryEntries", "currentMessage", "expectedResponse", "availableActions", "metadata", "split", "quality"},
		[]*jsontext.JSON{&f.agent, &f.memory, &f.current, &f.expected, &f.actions, &f.metadata, &split, &quality}, nil)
	if render.Auxiliary(split, quality, f.metadata) {
		return sdk.Reject("auxiliary", "", "want a row for training, have one of the repair loop")
	}
	expected, ok := f.expected.Quoted()
	if !ok || expected.Blank() {
		return sdk.Decline("want text in expectedResponse")
	}
	current, ok := f.current.Get("content").Quoted()
	if !ok || current.Blank() {
		return sdk.Decline("want text in currentMessage.content")
	}
	system, err := f.system(prompts)
	if err != nil {
		return err
	}
	if !iterable(f.memory) {
		return sdk.Reject("reference_error", "memoryEntries", "want an array, have a number or boolean")
	}
	messages := append(row.Messages[:0], message("system", jsontext.BodyOf(system)))
	*row = render.Carried{Answer: message("assistant", expected), Messages: append(f.appendMemory(messages), message("user", current))}
	return nil
}

func message(role string, body jsontext.Body) jsontext.JSON {
	return jsontext.JSON(`{"role":"` + role + `","content":"` + string(body) + `"}`)
}

// appendMemory appends the entries of the memory with a text of a user or an assistant.
func (f *flat) appendMemory(messages []jsontext.JSON) []jsontext.JSON {
	for _, entry := range f.memory.Elements() {
		value, role := entry.Get("role"), "user"
		if value.Truthy() {
			if role = value.Word(); role == "model" {
				role = "assistant"
			}
		}
		content, ok := entry.Get("content").Quoted()
		if entry[0] == '{' && ok && !content.Blank() && (role == "user" || role == "assistant") {
			messages = append(messages, message(role, content))
		}
	}
	return messages
}

// system returns the system text, with the tools and actions it names.
func (f *flat) system(prompts prompt.Registry) (string, error) {
	system, err := f.prompt(prompts)
	if err != nil {
		return "", err
	}
	if tools := f.metadata.Get("toolSpecs"); tools.Truthy() {
		system = strings.TrimRightFunc(system, jsontext.IsSpace) + "\n\nAvailable tools (JSON):\n"
		system = string(pyjson.AppendDumps([]byte(system), tools, pyjson.Layout{Indent: 2}))
	}
	if f.actions.Truthy() {
		if !iterable(f.actions) {
			return "", sdk.Reject("reference_error", "availableActions", "want an array, have a number or boolean")
		}
		names, _ := items(f.actions)
		system = strings.TrimRightFunc(system, jsontext.IsSpace) + "\n\nAvailable actions: " + strings.Join(names, ", ")
	}
	return system, nil
}

// prompt returns the system text without them: the record's own, the one for its task, or the fallback.
func (f *flat) prompt(prompts prompt.Registry) (string, error) {
	agent := "assistant"
	if f.agent.Truthy() {
		agent = python.Str(f.agent)
	}
	task := f.metadata.Get("task_type")
	switch own := f.metadata.Get("system_prompt"); {
	case own.Truthy():
		return python.Str(own), nil
	case task.Text() == "reply":
		return prompt.Reply(agent), nil
	case task.Kind() == '[' || task.Kind() == '{':
		return "", sdk.Reject("reference_error", "metadata.task_type", "want a string, have a list or object")
	case task.Kind() != '"':
		return prompt.Fallback, nil
	}
	template, ok, err := prompts.Template(task.Text())
	if err != nil {
		return "", sdk.Reject("reference_error", "metadata.task_type", "%v", err)
	}
	if !ok {
		return prompt.Fallback, nil
	}
	names, texts := items(f.actions)
	if !texts || !iterable(f.actions) {
		return "", sdk.Reject("reference_error", "availableActions", "want an array of strings")
	}
	values := prompt.Values{Agent: agent, Actions: strings.Join(names, ", "), Current: f.current, Memory: f.memory}
	return prompt.Fill(template, &values, python.Str), nil
}

// iterable reports whether Python can iterate over a value, or takes it for false and does not try.
func iterable(v jsontext.JSON) bool {
	return !v.Truthy() || v[0] == '[' || v[0] == '{' || v[0] == '"'
}

// items returns what Python iterates over, by str, and reports whether all of it is text: the elements of a list, the keys of an
// object, the characters of a string.
func items(v jsontext.JSON) (items []string, texts bool) {
	texts = true
	switch v.Kind() {
	case '[':
		for _, e := range v.Elements() {
			texts = texts && e[0] == '"'
			items = append(items, python.Str(e))
		}
	case '{':
		for _, m := range v.Unique() {
			items = append(items, m.Key)
		}
	case '"':
		for _, r := range v.Text() {
			items = append(items, string(r))
		}
	}
	return items, texts
}
