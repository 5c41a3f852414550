package alias

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestEveryPlace protects rows from a retired name that one step reads and this one overlooks: each row has OLD in one
// place that readers of a canonical row know.
func TestEveryPlace(t *testing.T) {
	for _, c := range []struct{ reason, request, response string }{
		{"messages under prompt", `"prompt":[{"role":"assistant","content":[{"type":"tool-call","toolName":"OLD","input":{}}]}]`, `"text":"a"`},
		{"actions in instructions", `"instructions":"Do.\nAvailable actions: OLD"`, `"text":"a"`},
		{"actions in a system message", `"system":{"role":"system","content":"Available actions: OLD"}`, `"text":"a"`},
		{"actions in a list of system parts", `"system":[{"type":"text","text":"Available actions: OLD"}]`, `"text":"a"`},
		{"calls of a message in a string", `"messages":[{"role":"assistant","tool_calls":"[{\"name\":\"OLD\",\"arguments\":{}}]"}]`, `"text":"a"`},
		{"calls of the response in a string", `"messages":[]`, `"toolCalls":" [{\"function\":{\"name\":\"OLD\"}}]"`},
		{"an action behind words in brackets", `"messages":[]`, `"text":"[planning]\nACTION: OLD"`},
		{"an action behind words in braces", `"messages":[]`, `"text":"{planning}\nACTION: OLD"`},
		{"calls of a step", `"messages":[]`, `"steps":[{"toolCalls":[{"toolName":"OLD"}]}]`},
		{"the text of a step", `"messages":[]`, `"steps":[{"text":"ACTION: OLD"}]`},
	} {
		row := `{"format":"eliza_native_v1","request":{` + c.request + `},"response":{` + c.response + `}}`
		results, _ := sdktest.Run(t, Plugin, `{"aliases":{"OLD":"NEW"}}`, row)
		if want := strings.ReplaceAll(row, "OLD", "NEW"); results[0].Emitted[0] != want {
			t.Errorf("%s: want %s, have %s", c.reason, want, results[0].Emitted[0])
		}
	}
}

// TestOtherPlaces protects what only looks like a name.
func TestOtherPlaces(t *testing.T) {
	for _, c := range []struct{ reason, response string }{
		{"a backslash and an n are no line break", `"text":"a\\nACTION: OLD"`},
		{"a string that is no JSON holds no calls", `"toolCalls":"[{\"name\":\"OLD\""`},
		{"a prompt that is a text", `"text":"say OLD"`},
	} {
		row := `{"format":"eliza_native_v1","request":{},"response":{` + c.response + `}}`
		results, _ := sdktest.Run(t, Plugin, `{"aliases":{"OLD":"NEW"}}`, row)
		if have := results[0].Emitted[0]; have != row {
			t.Errorf("%s: want %s, have %s", c.reason, row, have)
		}
	}
}
