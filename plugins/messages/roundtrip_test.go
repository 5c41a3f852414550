package messages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// said is one conversation with everything a shape can hold: a system text, several rounds, parallel calls with their
// results, thoughts, other scripts, quotes, and a call and a result without text.
const said = `system "Be \"kind\"." | user "wetter? 東京 😀\n" | assistant "Let me see." get_weather{"city":"Zürich","days":[1,2]} get_time{} ("Two things.") | tool "12°" | tool "" | assistant "12° — \"mild\"." | user "thanks" => "bye" done{"ok":true} ("Short.")` + "\n"

// shapes are the same conversation in the shapes that can hold all of it.
var shapes = map[string]string{
	"openai": `{"messages":[{"role":"system","content":"Be \"kind\"."},{"role":"user","content":"wetter? 東京 \ud83d\ude00\n"},
		{"role":"assistant","content":"Let me see.","reasoning_content":"Two things.","tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Zürich\", \"days\": [1, 2]}"}},{"id":"b","type":"function","function":{"name":"get_time","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"12°"},{"role":"tool","tool_call_id":"b","content":""},{"role":"assistant","content":"12° — \"mild\"."},{"role":"user","content":"thanks"},
		{"role":"assistant","content":"bye","reasoning_content":"Short.","tool_calls":[{"id":"c","type":"function","function":{"name":"done","arguments":"{\"ok\":true}"}}]}]}`,
	"sdk": `{"messages":[{"role":"system","content":"Be \"kind\"."},{"role":"user","content":[{"type":"text","text":"wetter? 東京 😀\n"}]},
		{"role":"assistant","content":[{"type":"reasoning","text":"Two things."},{"type":"text","text":"Let me see."},{"type":"tool-call","toolCallId":"a","toolName":"get_weather","input":{"city":"Zürich","days":[1,2]}},{"type":"tool-call","toolCallId":"b","toolName":"get_time","input":{}}]},
		{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"get_weather","output":{"type":"text","value":"12°"}},{"type":"tool-result","toolCallId":"b","toolName":"get_time","output":{"type":"text","value":""}}]},
		{"role":"assistant","content":[{"type":"text","text":"12° — \"mild\"."}]},{"role":"user","content":"thanks"},
		{"role":"assistant","content":[{"type":"reasoning","text":"Short."},{"type":"text","text":"bye"},{"type":"tool-call","toolCallId":"c","toolName":"done","input":{"ok":true}}]}]}`,
	"ui": `{"messages":[{"role":"system","parts":[{"type":"text","text":"Be \"kind\"."}]},{"role":"user","parts":[{"type":"text","text":"wetter? 東京 😀\n"}]},
		{"role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"Two things."},{"type":"text","text":"Let me see."},{"type":"tool-get_weather","toolCallId":"a","state":"output-available","input":{"city":"Zürich","days":[1,2]},"output":"12°"},{"type":"tool-get_time","toolCallId":"b","state":"output-available","input":{},"output":""},{"type":"step-start"},{"type":"text","text":"12° — \"mild\"."}]},
		{"role":"user","parts":[{"type":"text","text":"thanks"}]},
		{"role":"assistant","parts":[{"type":"reasoning","text":"Short."},{"type":"text","text":"bye"},{"type":"tool-done","toolCallId":"c","state":"input-available","input":{"ok":true}}]}]}`,
	"hermes": `{"conversations":[{"from":"system","value":"Be \"kind\"."},{"from":"human","value":"wetter? 東京 😀\n"},
		{"from":"gpt","value":"<think>\nTwo things.\n</think>\nLet me see.\n<tool_call>\n{'arguments': {'city': 'Zürich', 'days': [1, 2]}, 'name': 'get_weather'}\n</tool_call>\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>"},
		{"from":"tool","value":"<tool_response>\n{\"name\": \"get_weather\", \"content\": \"12°\"}\n</tool_response>\n<tool_response>\n{\"name\": \"get_time\", \"content\": \"\"}\n</tool_response>"},
		{"from":"gpt","value":"12° — \"mild\"."},{"from":"human","value":"thanks"},
		{"from":"gpt","value":"<think>Short.</think>bye\n<tool_call>{\"name\": \"done\", \"arguments\": {\"ok\": true}}</tool_call><|im_end|>"}]}`,
	"sharegpt": `{"system":"Be \"kind\".","conversations":[{"from":"human","value":"wetter? 東京 😀\n"},{"from":"reasoning","value":"Two things."},{"from":"gpt","value":"Let me see."},
		{"from":"function_call","value":"[{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Zürich\",\"days\":[1,2]}},{\"name\":\"get_time\",\"arguments\":{}}]"},{"from":"observation","value":"[\"12°\",\"\"]"},
		{"from":"gpt","value":"12° — \"mild\"."},{"from":"human","value":"thanks"},{"from":"reasoning","value":"Short."},{"from":"gpt","value":"bye"},{"from":"function_call","value":"{\"name\":\"done\",\"arguments\":{\"ok\":true}}"}]}`,
	"ms-swift": `{"messages":[{"role":"system","content":"Be \"kind\"."},{"role":"user","content":"wetter? 東京 😀\n"},{"role":"assistant","content":"<think>Two things.</think>Let me see."},
		{"role":"tool_call","content":"{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Zürich\",\"days\":[1,2]}}"},{"role":"tool_call","content":"{\"name\":\"get_time\",\"arguments\":{}}"},{"role":"tool_response","content":"12°"},{"role":"tool_response","content":""},
		{"role":"assistant","content":"12° — \"mild\"."},{"role":"user","content":"thanks"},{"role":"assistant","content":"<think>Short.</think>bye"},{"role":"tool_call","content":"{\"name\":\"done\",\"arguments\":{\"ok\":true}}"}]}`,
	"llama-factory": `{"messages":[{"role":"system","content":[{"type":"text","value":"Be \"kind\"."}]},{"role":"user","content":[{"type":"text","value":"wetter? 東京 😀\n"}]},
		{"role":"assistant","content":[{"type":"reasoning","value":"Two things."},{"type":"text","value":"Let me see."},{"type":"tool_call","value":"{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Zürich\",\"days\":[1,2]}}"},{"type":"tool_call","value":"{\"name\":\"get_time\",\"arguments\":{}}"}]},
		{"role":"tool","content":[{"type":"text","value":"12°"}]},{"role":"tool","content":[{"type":"text","value":""}]},{"role":"assistant","content":[{"type":"text","value":"12° — \"mild\"."}]},{"role":"user","content":[{"type":"text","value":"thanks"}]},
		{"role":"assistant","content":[{"type":"reasoning","value":"Short."},{"type":"text","value":"bye"},{"type":"tool_call","value":"{\"name\":\"done\",\"arguments\":{\"ok\":true}}"}]}]}`,
}

// TestRoundTrip holds that a conversation comes out of every shape whole, as a row that native accepts and chatml renders.
func TestRoundTrip(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			results, _ := sdktest.Run(t, messages.Plugin, `{}`, shape)
			if results[0].Verdict != "emit" {
				t.Fatalf("want a row, have %s %s at %s: %s", results[0].Verdict, results[0].Code, results[0].Path, results[0].Message)
			}
			row := results[0].Emitted[0]
			if have := conversation(t, row); have != said {
				t.Errorf("want %s\nhave %s", said, have)
			}
			if checked, _ := sdktest.Run(t, native.Plugin, `{}`, row); checked[0].Verdict != "emit" {
				t.Errorf("want native to accept the row, have %s at %s: %s", checked[0].Code, checked[0].Path, checked[0].Message)
			}
			rendered, _ := sdktest.Run(t, chatml.Plugin, `{"arguments":"object"}`, row)
			if rendered[0].Verdict != "emit" {
				t.Fatalf("want a rendered row, have %s at %s: %s", rendered[0].Code, rendered[0].Path, rendered[0].Message)
			}
			rest := words(rendered[0].Emitted[0])
			for _, piece := range []string{"Be \"kind\".", "wetter? 東京 😀\n", "Let me see.", "get_weather", "Zürich", "get_time", "12°", "12° — \"mild\".", "thanks", "bye", "done"} {
				_, behind, ok := strings.Cut(rest, piece)
				if !ok {
					t.Fatalf("want %q next in the rendered row, have %q", piece, rest)
				}
				rest = behind
			}
		})
	}
}

// words gives every string of a rendered row in order.
func words(row string) string {
	var b strings.Builder
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		if v.IsObject() || v.IsArray() {
			v.ForEach(func(_, e gjson.Result) bool { walk(e); return true })
		} else {
			b.WriteString(v.String() + "\x00")
		}
	}
	walk(gjson.Get(row, "messages"))
	return b.String()
}

type call struct {
	ToolName, Name string
	Input, Args    any
	Function       struct {
		Name      string
		Arguments any
	}
}

// conversation writes what is said in a canonical row, one line for the system text and each turn, and one for the
// answer: text, calls with their arguments, and thought. A planner's envelope beside the calls that mirror it counts as
// its thought and its word to the user.
func conversation(t *testing.T, row string) string {
	var r struct {
		Request struct {
			System   string
			Messages []struct {
				Role, Content, Reasoning string
				Tool_calls               []call
			}
		}
		Response struct {
			Text, Reasoning string
			ToolCalls       []call
		}
	}
	if err := json.Unmarshal([]byte(row), &r); err != nil {
		t.Fatalf("%v: %s", err, row)
	}
	if strings.HasPrefix(r.Response.Text, "{") && len(r.Response.ToolCalls) > 0 {
		var e struct{ Thought, MessageToUser string }
		if json.Unmarshal([]byte(r.Response.Text), &e) == nil {
			r.Response.Text, r.Response.Reasoning = e.MessageToUser, e.Thought
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "system %q", r.Request.System)
	for _, m := range r.Request.Messages {
		fmt.Fprintf(&b, " | %s %q%s", m.Role, m.Content, spell(m.Tool_calls, m.Reasoning))
	}
	fmt.Fprintf(&b, " => %q%s\n", r.Response.Text, spell(r.Response.ToolCalls, r.Response.Reasoning))
	return b.String()
}

func spell(calls []call, reasoning string) string {
	var b strings.Builder
	for _, c := range calls {
		name, args := c.ToolName+c.Name+c.Function.Name, c.Input
		if args == nil {
			args = c.Args
		}
		if args == nil {
			args = c.Function.Arguments
		}
		if text, ok := args.(string); ok {
			json.Unmarshal([]byte(text), &args)
		}
		spelled, _ := json.Marshal(args)
		fmt.Fprintf(&b, " %s%s", name, spelled)
	}
	if reasoning != "" {
		fmt.Fprintf(&b, " (%q)", reasoning)
	}
	return b.String()
}
