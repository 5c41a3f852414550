package adaptertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// Cases are recorded inputs and outputs of the Python adapters, beside the repository.
const Cases = "../../../shared/cases/adapter-cases.jsonl"

// Reference runs the recorded cases of the named Python functions and compares what becomes of each as a
// conversation: system, turns, calls, tools and the answer. What differs must be in deviations, which name the defect
// that is avoided, and what is there must differ. functions gives the step's attributes by function, or by function/case.
func Reference(t *testing.T, p sdk.Plugin, functions map[string]string, deviations map[string]string) {
	t.Helper()
	file, err := os.Open(filepath.FromSlash(Cases))
	if err != nil {
		t.Skipf("the recorded cases of the Python adapters are absent: %v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		name := c.Fn + "/" + c.Name
		args, ok := functions[name]
		if !ok {
			args, ok = functions[c.Fn]
		}
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			diff := cmp.Diff(c.outlines(t), run(t, p, args, c.inputs()))
			switch defect := deviations[name]; {
			case diff != "" && defect == "":
				t.Errorf("want the reference's outcome or a deviation (-reference +have):\n%s", diff)
			case diff == "" && defect != "":
				t.Errorf("want no deviation, have %q and the same outcome", defect)
			}
		})
	}
}

type recorded struct {
	Fn, Name        string
	Input, Expected json.RawMessage
}

func (c recorded) inputs() []string {
	var many []json.RawMessage
	if json.Unmarshal(c.Input, &many) != nil {
		return []string{string(c.Input)}
	}
	var out []string
	for _, m := range many {
		out = append(out, string(m))
	}
	return out
}

// An outline is a conversation without its spelling.
type outline struct {
	System  string
	Turns   []string // "user: hi"
	Thought string
	Text    string
	Calls   []string // "name {args}"
	Tools   []string
}

func run(t *testing.T, p sdk.Plugin, args string, inputs []string) []outline {
	results, _ := sdktest.Run(t, p, args, inputs...)
	var out []outline
	for _, r := range results {
		for _, row := range r.Emitted {
			CheckRow(t, row)
			out = append(out, outlineOf(t, row))
		}
	}
	return out
}

func (c recorded) outlines(t *testing.T) []outline {
	var many []json.RawMessage
	if json.Unmarshal(c.Expected, &many) != nil {
		many = []json.RawMessage{c.Expected}
	}
	var out []outline
	for _, m := range many {
		switch text := string(m); {
		case text == "null":
		case strings.Contains(text, `"eliza_native_v1"`):
			out = append(out, outlineOf(t, text))
		default:
			out = append(out, outlineOfFlat(t, text))
		}
	}
	return out
}

type message struct {
	Role, Content string
	ToolCalls     []struct {
		Function struct {
			Name      string
			Arguments any
		}
	} `json:"tool_calls"`
}

func (m message) String() string {
	text := m.Role + ": " + m.Content
	for _, c := range m.ToolCalls {
		text += " " + call(c.Function.Name, c.Function.Arguments)
	}
	return text
}

func call(name string, args any) string {
	if text, ok := args.(string); ok {
		json.Unmarshal([]byte(text), &args)
	}
	text, _ := json.Marshal(args)
	return fmt.Sprintf("%s %s", name, text)
}

func outlineOf(t *testing.T, row string) outline {
	var r struct {
		Request struct {
			System   string
			Messages []message
			Tools    []any
		}
		Response struct {
			Text, Reasoning string
			ToolCalls       []struct {
				ToolName string
				Input    any
			}
		}
	}
	decode(t, row, &r)
	o := outline{System: r.Request.System, Text: r.Response.Text, Thought: r.Response.Reasoning, Tools: toolNames(r.Request.Tools)}
	for _, m := range r.Request.Messages {
		o.Turns = append(o.Turns, m.String())
	}
	for _, c := range r.Response.ToolCalls {
		o.Calls = append(o.Calls, call(c.ToolName, c.Input))
	}
	if len(o.Calls) > 0 { // the builders of the reference repeat the calls in the text
		o.envelope(r.Response.Text)
	}
	return o
}

func outlineOfFlat(t *testing.T, row string) outline {
	var r struct {
		MemoryEntries    []message
		CurrentMessage   message
		ExpectedResponse string
		Metadata         struct {
			SystemPrompt string `json:"system_prompt"`
			ToolSpecs    []any  `json:"toolSpecs"`
		}
	}
	decode(t, row, &r)
	o := outline{System: r.Metadata.SystemPrompt, Text: r.ExpectedResponse, Tools: toolNames(r.Metadata.ToolSpecs)}
	for _, m := range append(r.MemoryEntries, r.CurrentMessage) {
		o.Turns = append(o.Turns, m.String())
	}
	o.envelope(r.ExpectedResponse)
	return o
}

// envelope reads the JSON that the reference writes as an answer.
func (o *outline) envelope(text string) {
	var e struct {
		Thought, Text, MessageToUser *string
		Actions, ToolCalls           []any
	}
	if json.Unmarshal([]byte(text), &e) != nil || e.Thought == nil && e.Text == nil && e.ToolCalls == nil {
		return
	}
	o.Text = ""
	for _, s := range []*string{e.Text, e.MessageToUser} {
		if s != nil {
			o.Text += *s
		}
	}
	if e.Thought != nil {
		o.Thought = *e.Thought
	}
	for _, a := range e.Actions {
		action, ok := a.(map[string]any)
		if !ok {
			continue
		}
		name, _ := action["name"].(string)
		params, _ := action["params"].(map[string]any)
		if tool, ok := params["tool"].(string); ok && name == "TASKS" {
			o.Calls = append(o.Calls, call(tool, params["arguments"]))
		} else {
			o.Calls = append(o.Calls, call(name, params))
		}
	}
}

func toolNames(tools []any) (names []string) {
	for _, tool := range tools {
		m, _ := tool.(map[string]any)
		if f, ok := m["function"].(map[string]any); ok {
			m = f
		}
		name, _ := m["name"].(string)
		names = append(names, name)
	}
	return names
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
