package bootstrap

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// plan makes the answer of a planner: its text and calls. A text that a call of REPLY says again is said once, by the
// call.
func (a *adapter) plan(t *canonical.Turn) error {
	planner := a.parts.output.Get("planner")
	c := jsontext.Cursor{JSON: planner}
	var said jsontext.Body
	for key := range c.Members() {
		switch key {
		case "text":
			said, _ = c.String()
		case "thought":
			t.Reasoning, _ = c.String()
		case "finishReason":
			reason, _ := c.String()
			a.row.FinishReason = jsontext.Body(strings.ReplaceAll(string(reason), "-", "_"))
		case "toolCalls":
			for i := range c.Elements() {
				call, err := readCall(&c, i)
				if err != nil {
					return err
				}
				t.Calls = append(t.Calls, call)
			}
		}
	}
	for _, call := range t.Calls {
		if call.Name == "REPLY" && call.Args.Get("text").Body() == said {
			said = ""
		}
	}
	if t.Body = said; said.Blank() && len(t.Calls) == 0 {
		return sdk.Reject("no_answer", "output.planner", "want a text or a call, have neither")
	}
	return nil
}

// readCall reads the call ahead. TASKS and TASK_CALL around the call of a tool are taken off.
func readCall(c *jsontext.Cursor, i int) (call canonical.Call, err error) {
	path := "output.planner.toolCalls." + strconv.Itoa(i)
	var name, toolName, id, toolID jsontext.Body
	var input, args jsontext.JSON
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "name":
			name = v.Body()
		case "toolName":
			toolName = v.Body()
		case "id":
			id = v.Body()
		case "toolCallId":
			toolID = v.Body()
		case "input":
			input = v
		case "args", "arguments":
			args = v
		}
	}
	call = canonical.Call{ID: cmp.Or(toolID, id), Name: cmp.Or(name, toolName), Args: cmp.Or(input, args)}
	if call.Name == "" {
		return call, sdk.Reject("bad_call", path, "want the name of a tool, have none")
	}
	if call.Args != "" && call.Args[0] != '{' && call.Args[0] != '"' && call.Args != "null" {
		return call, sdk.Reject("bad_arguments", path, "want an object, have another value")
	}
	if call.Name == "TASKS" || call.Name == "TASK_CALL" {
		if tool := call.Args.Get("tool").Body(); tool != "" {
			call.Name, call.Args = tool, call.Args.Get("arguments")
		}
	}
	return call, nil
}
