package messages

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// item adds an item of the OpenAI Responses interface that is no message: reasoning, a call, or its result.
func (a *adapter) item(m *message) error {
	kind := m.item.Text()
	switch kind {
	case "reasoning":
		a.reasoned(m)
		return nil
	case "function_call":
		found, ok := calls.Object(m.text)
		if !ok {
			return a.reject("bad_tool_call", m.at, "name", "want the name of a tool, have %s", unnamed(m.text))
		}
		a.calls(m, found)
		return nil
	case "mcp_list_tools":
		for _, tool := range m.text.Get("tools").Elements() {
			if err := a.row.AddFunction(a.pathOf(m.at, "tools"), tool); err != nil {
				return err
			}
		}
		a.row.Leave("loss.message_member", m.text, "type", "tools")
		return nil
	}
	if tool, ok := hosted[kind]; ok {
		return a.hosted(m, kind, tool)
	}
	if value := m.text.Get("call_id"); strings.HasSuffix(kind, "_output") && value != "" && value != "null" {
		id, err := a.idOf(m, "call_id", value)
		if err != nil {
			return err
		}
		return a.output(m, id)
	}
	if strings.HasPrefix(kind, "mcp_approval_") || kind == "image_generation_call" {
		a.row.Count("loss."+kind, 1)
		return nil
	}
	return a.reject("bad_message", m.at, "type", "want a message, a call, its output or reasoning, have %s", jsontext.Seen(m.item))
}

// calls adds a call of the assistant, with the reasoning before it.
func (a *adapter) calls(m *message, call build.Call) {
	a.row.Merge = true
	t := a.row.Add(canonical.Assistant, m.at)
	t.Reasoning = a.thought.Take()
	t.Calls = append(t.Calls, call)
}

// reasoned adds the texts of an item of reasoning to the next turn of the assistant.
func (a *adapter) reasoned(m *message) {
	for _, list := range []jsontext.JSON{m.text.Get("summary"), m.content} {
		for _, part := range list.Elements() {
			if kind := part.Get("type").Body(); kind != "" && kind != "summary_text" && kind != "reasoning_text" && kind != "text" {
				a.row.Count("loss.part_member", 1)
			}
			a.row.Leave("loss.part_member", part, "type", "text")
			a.thought.Add(build.BlankLine, part.Get("text").Body())
		}
	}
	a.row.Leave("loss.message_member", m.text, "type", "summary", "content")
}

// A hostedTool says how the item of a tool that is no function of the caller spells a call.
type hostedTool struct {
	name  string   // of the tool; "" for the item's own
	input string   // the member that is the input: an object, or a value that becomes the member of one
	shown []string // members that may hold the result; nil for a tool whose result is an item of its own
}

// hosted are the items of tools that the vendor runs or defines. A call that the vendor ran and whose result the item does not show is
// counted: the answer that follows cannot be learned from it.
var hosted = map[string]hostedTool{
	"custom_tool_call":      {input: "input"},
	"mcp_call":              {input: "arguments", shown: []string{"output", "error"}},
	"web_search_call":       {name: "web_search", input: "action", shown: []string{"results"}},
	"file_search_call":      {name: "file_search", input: "queries", shown: []string{"results"}},
	"code_interpreter_call": {name: "code_interpreter", input: "code", shown: []string{"outputs"}},
	"local_shell_call":      {name: "local_shell", input: "action"},
	"shell_call":            {name: "shell", input: "action"},
	"apply_patch_call":      {name: "apply_patch", input: "operation"},
	"computer_call":         {name: "computer", input: "action"},
}

// hosted adds the call of such a tool, and its result where the item shows it.
func (a *adapter) hosted(m *message, kind string, tool hostedTool) error {
	var result jsontext.JSON
	key := ""
	for _, key = range tool.shown {
		if result = m.text.Get(key); result != "" && result != "null" {
			break
		}
	}
	if tool.shown != nil && (result == "" || result == "null") {
		a.row.Count("loss."+kind, 1)
		return nil
	}
	idKey := "call_id"
	if m.text.Get(idKey) == "" {
		idKey = "id"
	}
	id, err := a.idOf(m, idKey, m.text.Get(idKey))
	if err != nil {
		return err
	}
	call := build.Call{Name: jsontext.Body(tool.name), ID: id, Args: inputOf(m.text, tool.input)}
	if tool.name == "" {
		call.Name = m.text.Get("name").Body()
	}
	if call.Name.Blank() {
		return a.reject("bad_tool_call", m.at, "name", "want the name of a tool, have %s", unnamed(m.text))
	}
	a.row.Leave("loss.message_member", m.text, "type", idKey, "name", tool.input, key)
	a.calls(m, call)
	if tool.shown != nil {
		t := a.row.Add(canonical.Tool, m.at)
		t.ID, t.Name, t.Body, t.Failed = call.ID, call.Name, build.AsText(result), key == "error"
	}
	return nil
}

// inputOf returns the input of a call as an object, or as a string that holds one: a text or a list under its own name.
func inputOf(item jsontext.JSON, key string) jsontext.JSON {
	input := item.Get(key)
	if input == "" || input.Kind() == '{' || key == "arguments" {
		return input
	}
	return jsontext.JSON(`{"` + key + `":` + string(input) + `}`)
}

// output adds the result of a call that the caller ran. A screenshot is a medium.
func (a *adapter) output(m *message, id jsontext.Body) error {
	output := m.text.Get("output")
	t := build.Message{Role: canonical.Tool, At: m.at, ID: id}
	switch output.Get("type").Text() {
	case "computer_screenshot", "input_image":
		if !a.dropMedia {
			return sdk.Reject("media", a.pathOf(m.at, "output"), "want a result of text, have a screenshot")
		}
		a.row.Count("loss.media", 1)
	default:
		t.Body = a.outputText(output)
	}
	if status := m.text.Get("status"); status == `"failed"` || status == `"incomplete"` {
		t.Failed = true
	}
	a.row.Leave("loss.message_member", m.text, "type", "call_id", "output")
	a.row.Turns = append(a.row.Turns, t)
	return nil
}

// outputText returns the text of an output: a text, texts in parts, or the JSON of any other value.
func (a *adapter) outputText(output jsontext.JSON) jsontext.Body {
	parts := output.List()
	for _, part := range parts {
		if kind := part.Get("type"); part.Get("text").Kind() != '"' || kind != `"input_text"` && kind != `"output_text"` && kind != `"text"` {
			return build.AsText(output)
		}
	}
	if len(parts) == 0 {
		return build.AsText(output)
	}
	var text build.Joiner
	for _, part := range parts {
		a.row.Leave("loss.part_member", part, "type", "text")
		text.Add(a.row.Joiner(), part.Get("text").Body())
	}
	return text.Body()
}
