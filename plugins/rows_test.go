package plugins_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/anthropic"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/gemini"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/trajectory"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestRows protects single facts that a plugin reads out of a row, one a line: that it emits a row with the text, or
// that the answer begins with a verdict and code.
func TestRows(t *testing.T) {
	const question, answer = `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
	claude := func(reason string) string {
		return `{"model":"claude","messages":[` + question + `],"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"` + reason + `"}}`
	}
	for _, c := range []struct {
		reason string
		plugin sdk.Plugin
		args   string
		row    string
		want   string
	}{
		{"space in an empty list of parts does not take the place of the content", chatml.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"hello","parts":[ ]}]},"response":{"text":"a"}}`, `"content":"hello"`},
		{"space in an empty list of calls does not take the place of the calls", native.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + question +
				`,{"role":"assistant","tool_calls":[{"id":"c","name":"F","arguments":"{}"}],"toolCalls":[ ]},{"role":"tool","tool_call_id":"c","content":"r"}]},"response":{"text":"a"}}`, "emit"},
		{"an id is the same however it is escaped", native.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + question +
				`,{"role":"assistant","tool_calls":[{"id":"a\/b","name":"F","arguments":"{}"}]},{"role":"tool","tool_call_id":"a/b","content":"r"}]},"response":{"text":"a"}}`, "emit"},
		{"two ids that are escaped differently are not two ids", chatml.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + question +
				`]},"response":{"toolCalls":[{"id":"a\/b","name":"F"},{"id":"a/b","name":"F"}]}}`, `"id":"a/b_2"`},
		{"an adapter pairs ids as text, and writes them as JSON has it", messages.Plugin, "",
			`{"messages":[` + question + `,{"role":"assistant","tool_calls":[{"id":"x","name":"F","arguments":"{}"},{"id":"a\/b","name":"G","arguments":"{}"}]},{"role":"tool","tool_call_id":"a/b","content":"r"},` + answer + `]}`,
			`"tool_call_id":"a/b","name":"G"`},
		{"the ninth key is a key", messages.Plugin, `{"keys":["a","b","c","d","e","f","g","h","i"]}`, `{"i":[` + question + `,` + answer + `]}`, `"text":"a"`},
		{"no key is there", messages.Plugin, `{"keys":["a","b","c","d","e","f","g","h","i"]}`, `{"x":1}`, "decline"},
		{"weight 0 is no target, though the last", messages.Plugin, "",
			`{"messages":[` + question + `,{"role":"assistant","content":"first"},` + question + `,{"role":"assistant","content":"last","weight":0}]}`, `"response":{"text":"first"`},
		{"a row does not end with what a tool answered", chatml.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + question +
				`]},"response":{"content":[{"type":"text","text":"a"},{"type":"tool-call","toolCallId":"c","toolName":"F","input":{}},{"type":"tool-result","toolCallId":"c","toolName":"F","output":{"type":"text","value":"r"}},{"type":"text","text":" "}]}}`, `"}}]}]}`},
		{"a tool that failed has an error", chatml.Plugin, "",
			`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + question +
				`,{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"F","input":{}}]},{"role":"tool","content":[{"type":"tool-error","toolCallId":"c","toolName":"F","error":"no"}]}]},"response":{"text":"a"}}`, "count loss.error_flag"},
		{"a status in metrics is the row's", trajectory.Plugin, "", `{"metrics":{"finalStatus":"completed"},"steps":[{"llmCalls":[{"userPrompt":"q","response":"a"}]}]}`, `"status":"completed"`},
		{"a response of Gemini keeps its id", gemini.Plugin, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"y","name":"F","args":{}}},{"functionCall":{"id":"x","name":"F","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"x","name":"F","response":{"a":1}}}]},{"role":"model","parts":[{"text":"a"}]}]}`,
			`{"role":"tool","tool_call_id":"x"`},
		{"claude ended", anthropic.Plugin, "", claude("end_turn"), `"finishReason":"stop"`},
		{"claude met a stop sequence", anthropic.Plugin, "", claude("stop_sequence"), `"finishReason":"stop"`},
		{"claude was cut off", anthropic.Plugin, "", claude("max_tokens"), `"finishReason":"length"`},
		{"claude refused", anthropic.Plugin, "", claude("refusal"), `"finishReason":"content_filter"`},
		{"claude paused", anthropic.Plugin, "", claude("pause_turn"), `"finishReason":"other"`},
	} {
		results, counts := sdktest.Run(t, c.plugin, c.args, c.row)
		have := results[0]
		text := have.Verdict + " " + have.Code + " " + have.Message + strings.Join(have.Emitted, "\n")
		for name := range counts {
			text += "\ncount " + name
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, text)
		}
	}
}
