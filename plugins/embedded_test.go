package plugins_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/modelspec"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/plugins/trajectory"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// canonicalRow is a canonical row of a plain question and answer with further members.
func canonicalRow(request, response string) string {
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"q"}]` +
		request + `},"response":{"text":"a"` + response + `}}`
}

// TestCallsInAStringAreJSON protects the rows that are written: what a string holds in place of tool calls goes into
// them as it is.
func TestCallsInAStringAreJSON(t *testing.T) {
	for _, c := range []struct{ reason, calls, verdict string }{
		{"a list", `"[{\"id\":\"c\",\"name\":\"F\",\"arguments\":{\"a\":1}}]"`, "emit"},
		{"a list with space around it", `" [{\"name\":\"F\",\"arguments\":{}}]\n"`, "emit"},
		{"nothing", `""`, "emit"},
		{"space", `" "`, "emit"},
		{"an empty list with space in it", `"[ ]"`, "emit"},
		{"arguments without quotes", `"[{\"id\":\"c\",\"name\":\"F\",\"arguments\":{bad json}}]"`, "reject"},
		{"a bracket that closes another", `"[{\"id\":\"c\",\"name\":\"F\",\"arguments\":{\"a\":1]}]"`, "reject"},
		{"a word", `"[{\"id\":\"c\",\"name\":\"F\",\"arguments\":{oops}}]"`, "reject"},
		{"words behind the list", `"[{\"name\":\"F\",\"arguments\":{}}] and so on"`, "reject"},
		{"a lone surrogate, which no text in UTF-8 can hold", `"[{\"name\":\"F\",\"arguments\":{\"a\":\"\ud800\"}}]"`, "reject"},
	} {
		history := `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"q"},` +
			`{"role":"assistant","content":"x","tool_calls":` + c.calls + `},{"role":"tool","tool_call_id":"c","name":"F","content":"r"},{"role":"user","content":"q"}]},"response":{"text":"a"}}`
		for _, p := range []struct {
			plugin sdk.Plugin
			args   string
		}{{native.Plugin, ""}, {chatml.Plugin, `{"target":"qwen3"}`}, {chatml.Plugin, `{"arguments":"object"}`}, {modelspec.Plugin, ""}} {
			results, _ := sdktest.Run(t, p.plugin, p.args, canonicalRow("", `,"toolCalls":`+c.calls), history)
			if have := results[0]; have.Verdict != c.verdict || have.Verdict == "reject" && have.Code != "bad_tool_call" {
				t.Errorf("%s, response, %s %s: want %s, have %+v", c.reason, p.plugin.Name, p.args, c.verdict, have)
			}
			if have := results[1]; c.verdict == "reject" && have.Code != "bad_tool_call" {
				t.Errorf("%s, history, %s %s: want a reject bad_tool_call, have %+v", c.reason, p.plugin.Name, p.args, have)
			}
		}
	}
}

// TestNestingInAStringIsBounded protects the process: the source bounds how deep a record nests, but not the JSON that
// its strings hold, and a reader that recurses dies of it.
func TestNestingInAStringIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 16<<20)
	for _, c := range []struct {
		reason       string
		plugin       sdk.Plugin
		row, verdict string
	}{
		{"arguments", chatml.Plugin, canonicalRow("", `,"toolCalls":[{"name":"F","input":"{\"a\":`+deep+`"}]`), "reject"},
		{"calls", chatml.Plugin, canonicalRow("", `,"toolCalls":"`+deep+`"`), "reject"},
		{"tools", chatml.Plugin, canonicalRow(`,"tools":"`+deep+`"`, ""), "reject"},
		{"an envelope", chatml.Plugin, canonicalRow("", `,"toolCalls":[{"name":"F"}],"text":"{\"toolCalls\":`+deep+`"`), "emit"},
		{"tools of messages", messages.Plugin, `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"tools":"` + deep + `"}`, "reject"},
		{"messages", messages.Plugin, `{"messages":"` + deep + `"}`, "decline"},
		{"an answer", elizarecord.Plugin, `{"currentMessage":{"content":"q"},"expectedResponse":"{\"a\":` + deep + `"}`, "emit"},
		{"a call in a text", pair.Plugin, `{"prompt":"q","response":"<tool_call>{\"name\":\"F\",\"arguments\":` + deep + `</tool_call>"}`, "reject"},
		{"steps", trajectory.Plugin, `{"steps":"` + deep + `"}`, "decline"},
	} {
		results, _ := sdktest.Direct(t, c.plugin, "", c.row)
		if have := results[0].Verdict; have != c.verdict {
			t.Errorf("%s, %s: want %s, have %s", c.reason, c.plugin.Name, c.verdict, have)
		}
	}
}
