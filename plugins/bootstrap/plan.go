package bootstrap

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// plan fills the turn with the text and the calls of a planner. It drops a text that a call of REPLY repeats.
func (a *adapter) plan(t *build.Message) error {
	read := []string{"text", "messageToUser", "thought", "finishReason", "toolCalls"}
	var text, alone, thought, reason, list jsontext.JSON
	planner := a.output.Get("planner")
	planner.Fill(read, []*jsontext.JSON{&text, &alone, &thought, &reason, &list}, nil)
	a.row.Leave("loss.answer_member", planner, read...)
	a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(reason.Body()), "-", "_"))
	for i, v := range list.Elements() {
		call, err := readCall(v, i)
		if err != nil {
			return err
		}
		t.Calls = append(t.Calls, call)
	}
	message := alone.Body()
	t.Body, t.Reasoning = text.Body(), thought.Body()
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
			for key := range call.Args.Members() {
				if key != "tool" && key != "arguments" {
					call.Left++
				}
			}
			call.Name, call.Args = tool, call.Args.Get("arguments")
		}
	}
	return call, nil
}
