package bootstrap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// plan fills the turn with the text and the calls of a planner. It drops a text that a call of REPLY repeats.
func (a *adapter) plan(t *build.Message) error {
	c := a.output.Get("planner").Cursor()
	var message jsontext.Body
	for key := range c.Members() {
		switch key {
		case "text":
			t.Body, _ = c.String()
		case "messageToUser":
			message, _ = c.String()
		case "thought":
			t.Reasoning, _ = c.String()
		case "finishReason":
			reason, _ := c.String()
			a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(reason), "-", "_"))
		case "toolCalls":
			for i := range c.Elements() {
				call, err := readCall(c.Value(), i)
				if err != nil {
					return err
				}
				t.Calls = append(t.Calls, call)
			}
		default:
			if c.Kind() != 'n' {
				a.row.Count("loss.answer_member", 1)
			}
		}
	}
	if message != t.Body { // both members may have one text
		t.Body = build.Join(t.Body, message)
	}
	for _, call := range t.Calls {
		if call.Name == "REPLY" && call.Args.Get("text").Body() == t.Body {
			t.Body = ""
		}
	}
	if t.Body.Blank() && len(t.Calls) == 0 {
		return sdk.Reject("no_answer", "output.planner", "want a text or a call")
	}
	return nil
}

// members counts the members of an object, without some.
func members(object jsontext.JSON, but ...string) (n int) {
	c := object.Cursor()
	for key := range c.Members() {
		if !slices.Contains(but, key) {
			n++
		}
	}
	return n
}

// readCall reads a call, without TASKS or TASK_CALL around the call of a tool.
func readCall(value jsontext.JSON, i int) (calls.Call, error) {
	path := "output.planner.toolCalls." + strconv.Itoa(i)
	call, ok := calls.Object(value)
	if !ok {
		return call, sdk.Reject("bad_call", path, "want a call with the name of a tool, have %s", jsontext.KindName(value.Kind()))
	}
	if kind := call.Args.Kind(); call.Args != "null" && kind != 0 && kind != '{' && kind != '"' {
		return call, sdk.Reject("bad_arguments", path, "want an object, have %s", jsontext.KindName(kind))
	}
	if call.Name == "TASKS" || call.Name == "TASK_CALL" {
		if tool := call.Args.Get("tool").Body(); tool != "" {
			call.Left += members(call.Args, "tool", "arguments")
			call.Name, call.Args = tool, call.Args.Get("arguments")
		}
	}
	return call, nil
}
