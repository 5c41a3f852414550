package elizarecord

import (
	"context"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A reference is the reference profile: the row carries the messages that the Python renderer makes of a flat record,
// system text with tools and actions included.
type reference struct {
	prompts registry
	buf     []byte
}

// Process implements sdk.Processor.
func (p *reference) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	record := jsontext.Of(r.JSON())
	if record.Kind() != '{' {
		return sdk.Reject("reference_error", "", "want an object")
	}
	var f row
	f.read(record, func(string, jsontext.JSON) {})
	if eliza.ReferenceAuxiliary(f.split, f.quality, f.metadata) {
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
	system, err := p.system(&f)
	if err != nil {
		return err
	}
	if !iterable(f.memory) {
		return sdk.Reject("reference_error", "memoryEntries", "want an array, have a number or boolean")
	}
	b := append(p.buf[:0], `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"messages":[`...)
	b = append(jsontext.AppendString(append(b, `{"role":"system","content":`...), system), '}')
	b = appendMemory(b, f.memory)
	b = append(append(append(b, `,{"role":"user","content":"`...), current...), `"}]},"response":{"text":"`...)
	p.buf = append(append(b, expected...), `"},"metadata":{"reference":{}}}`...)
	emit(r.Derive(p.buf))
	return nil
}

// appendMemory appends the entries of users and assistants that say something.
func appendMemory(dst []byte, memory jsontext.JSON) []byte {
	c := jsontext.Cursor{JSON: memory}
	if c.Kind() != '[' {
		return dst
	}
	for range c.Elements() {
		entry := c.Value()
		if entry[0] != '{' {
			continue
		}
		value, role := entry.Get("role"), "user"
		if python.Truthy(value) {
			if role = value.Word(); role == "model" {
				role = "assistant"
			}
		}
		content, ok := entry.Get("content").Quoted()
		if !ok || content.Blank() || role != "user" && role != "assistant" {
			continue
		}
		dst = append(append(append(dst, `,{"role":"`...), role...), `","content":"`...)
		dst = append(append(dst, content...), `"}`...)
	}
	return dst
}

// system gives the system text, with the tools and actions it names.
func (p *reference) system(f *row) (string, error) {
	system, err := p.prompt(f)
	if err != nil {
		return "", err
	}
	if tools := f.metadata.Get("toolSpecs"); python.Truthy(tools) {
		system = strings.TrimRightFunc(system, jsontext.IsSpace) + "\n\nAvailable tools (JSON):\n"
		system = string(python.AppendDumps([]byte(system), tools, python.Layout{Indent: 2}))
	}
	if python.Truthy(f.actions) {
		if !iterable(f.actions) {
			return "", sdk.Reject("reference_error", "availableActions", "want an array, have a number or boolean")
		}
		names, _ := pythonItems(f.actions)
		system = strings.TrimRightFunc(system, jsontext.IsSpace) + "\n\nAvailable actions: " + strings.Join(names, ", ")
	}
	return system, nil
}

func (p *reference) prompt(f *row) (string, error) {
	if prompt := f.metadata.Get("system_prompt"); python.Truthy(prompt) {
		return python.Str(prompt), nil
	}
	task := f.metadata.Get("task_type")
	if task == `"reply"` {
		return replyPrompt(f.agentName()), nil
	}
	if task.Kind() == '[' || task.Kind() == '{' {
		return "", sdk.Reject("reference_error", "metadata.task_type", "want a string, have a list or object")
	}
	body, isText := task.Quoted()
	if !isText {
		return fallbackPrompt, nil
	}
	template, ok, err := p.prompts.template(body.Text())
	if err != nil {
		return "", sdk.Reject("reference_error", "metadata.task_type", "%v", err)
	}
	if !ok {
		return fallbackPrompt, nil
	}
	names, texts := pythonItems(f.actions)
	if !texts || python.Truthy(f.actions) && !iterable(f.actions) {
		return "", sdk.Reject("reference_error", "availableActions", "want strings, have another value")
	}
	return fill(template, f.context(f.agentName(), strings.Join(names, ", ")), python.Str), nil
}

// iterable tells whether Python can iterate over a value, or does not try because it is not true.
func iterable(v jsontext.JSON) bool {
	return !python.Truthy(v) || v[0] == '[' || v[0] == '{' || v[0] == '"'
}

// pythonItems gives what Python iterates over, as str prints it, and whether all of it is text: the elements of a list,
// the keys of an object, the characters of a string.
func pythonItems(v jsontext.JSON) (items []string, texts bool) {
	texts = true
	c := jsontext.Cursor{JSON: v}
	switch c.Kind() {
	case '[':
		for range c.Elements() {
			e := c.Value()
			texts = texts && e[0] == '"'
			items = append(items, python.Str(e))
		}
	case '{':
		for _, m := range python.Members(v) {
			items = append(items, m.Key)
		}
	case '"':
		for _, r := range python.Str(v) {
			items = append(items, string(r))
		}
	}
	return items, texts
}
