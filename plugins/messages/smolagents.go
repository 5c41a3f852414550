package messages

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isSmol reports whether the record holds the memory of an agent of smolagents: steps with the task, and what the model put out.
func (a *adapter) isSmol() bool { return a.smolSteps() != "" }

// smolSteps returns the steps of such a memory, "" for any other record.
func (a *adapter) smolSteps() jsontext.JSON {
	for _, key := range []string{"steps", "memory"} {
		if list := a.row.Kept(key); a.isMemory(list) {
			return list
		}
	}
	for _, list := range a.record.lists {
		if a.isMemory(list) {
			return list
		}
	}
	return ""
}

func (a *adapter) isMemory(list jsontext.JSON) bool {
	if list == "" || !a.opening(list).memory {
		return false
	}
	for i, step := range list.List() {
		if step.Get("model_output") != "" {
			return true
		}
		if i > 4 {
			break
		}
	}
	return false
}

// smol reads the steps of such a memory: the system prompt, the task, and for each step what the model put out with its calls, and what
// was observed. Code that the model runs is in its text, and stays there.
func (a *adapter) smol() error {
	steps := a.smolSteps()
	for i, key := range a.keys {
		if a.record.lists[i] == steps {
			a.record.lists[i], a.row.Path = "", key
		}
	}
	for _, key := range []string{"steps", "memory"} {
		if a.row.Kept(key) == steps {
			a.row.Forget(key)
			a.row.Path = key
		}
	}
	if err := a.begin(); err != nil {
		return err
	}
	for i, step := range steps.Elements() {
		var err error
		switch {
		case step.Get("system_prompt").Kind() == '"':
			a.row.Leave("loss.message_member", step, "system_prompt")
			err = a.system(i, step.Get("system_prompt").Body())
		case step.Get("task").Kind() == '"':
			a.row.Leave("loss.message_member", step, "task")
			if step.Get("task_images").Truthy() {
				return sdk.Reject("media", a.pathOf(i, "task_images"), "want a task of text, have one with images too")
			}
			a.row.Add(canonical.User, i).Body = step.Get("task").Body()
		case step.Get("model_output") != "" || step.Get("tool_calls") != "":
			err = a.smolStep(i, step)
		default:
			a.row.Count("loss.step", 1) // a plan, or the final answer again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seenCalls describes the first call without a name.
func seenCalls(list jsontext.JSON) string {
	for _, call := range list.Elements() {
		if _, ok := calls.Object(call); !ok {
			return jsontext.Describe(call)
		}
	}
	return jsontext.Describe(list)
}

// smolStep adds what the model put out in a step and what came of it.
func (a *adapter) smolStep(i int, step jsontext.JSON) error {
	list := step.Get("tool_calls")
	found, ok := calls.Objects(list)
	if !ok {
		return a.reject("bad_tool_call", i, "tool_calls", "want calls with the names of tools, have %s", seenCalls(list))
	}
	code := len(found) == 1 && found[0].Name == "python_interpreter" && found[0].Args.Kind() == '"'
	t := a.row.Add(canonical.Assistant, i)
	t.Body = build.AsText(nonNull(step.Get("model_output")))
	if code && strings.Contains(t.Body.Text(), strings.TrimSpace(found[0].Args.Text())) {
		found = nil
		a.row.Count("loss.call_member", 1) // its id and name
	} else if code {
		found[0].Args = `{"code":` + found[0].Args + `}`
	}
	t.Calls = append(t.Calls, found...)
	a.row.Leave("loss.message_member", step, "tool_calls", "model_output", "observations", "error")
	seen, failed := nonNull(step.Get("observations")), nonNull(step.Get("error"))
	if seen == "" && failed == "" {
		return nil
	}
	if n := len(found); n > 1 {
		return sdk.Reject("bad_result", a.pathOf(i, "observations"), "want a result for each of %d calls, have one text for all", n)
	}
	var said build.Joiner
	said.Add("", build.AsText(seen))
	if message := failed.Get("message"); message.Kind() == '"' {
		a.row.Leave("loss.part_member", failed, "message")
		failed = message
	}
	said.Add(`\n`, build.AsText(failed))
	result := a.row.Add(canonical.Tool, i)
	result.Body, result.Failed = said.Body(), failed != ""
	return nil
}

// nonNull returns a value, "" for null.
func nonNull(v jsontext.JSON) jsontext.JSON {
	if v == "null" {
		return ""
	}
	return v
}
