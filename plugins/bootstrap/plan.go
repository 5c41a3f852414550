package bootstrap

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk"
)

// plan makes the answer of a planner: its text and calls. A text that a call of REPLY says again is said once, by the
// call.
func (a *adapter) plan(t *canonical.Turn) error {
	planner := jsontext.Lookup(a.parts.output, "planner")
	c := jsontext.Cursor{Text: planner}
	said := ""
	for key := range c.Members() {
		switch key {
		case "text":
			said, _ = c.String()
		case "thought":
			t.Reasoning, _ = c.String()
		case "finishReason":
			reason, _ := c.String()
			a.row.FinishReason = strings.ReplaceAll(reason, "-", "_")
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
		if call.Name == "REPLY" && jsontext.LookupBody(call.Args, "text") == said {
			said = ""
		}
	}
	if t.Body = said; jsontext.Blank(said) && len(t.Calls) == 0 {
		return sdk.Reject("no_answer", "output.planner", "want a text or a call, have neither")
	}
	return nil
}

// readCall reads the call ahead. TASKS and TASK_CALL around the call of a tool are taken off.
func readCall(c *jsontext.Cursor, i int) (call canonical.Call, err error) {
	path := "output.planner.toolCalls." + strconv.Itoa(i)
	var name, toolName, id, toolID, input, args string
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "name":
			name = jsontext.Body(v)
		case "toolName":
			toolName = jsontext.Body(v)
		case "id":
			id = jsontext.Body(v)
		case "toolCallId":
			toolID = jsontext.Body(v)
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
		if tool := jsontext.LookupBody(call.Args, "tool"); tool != "" {
			call.Name, call.Args = tool, jsontext.Lookup(call.Args, "arguments")
		}
	}
	return call, nil
}
