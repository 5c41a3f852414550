package check_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, check.Plugin, "testdata/*.txtar") }

// Rows without a fault. A broken row is one of these with a piece put in the place of another.
const (
	nativeRow = `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{` +
		`"system":"Be short.","messages":[{"role":"user","content":"ls"},` +
		`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"SHELL","input":{"command":"ls"}}]},` +
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"SHELL","output":{"type":"text","value":"a b"}}]}],` +
		`"tools":[{"type":"function","name":"SHELL","inputSchema":{"type":"object"}}],"settings":{"temperature":0.5}},` +
		`"response":{"text":"","toolCalls":[{"toolCallId":"c2","toolName":"SHELL","input":{"command":"cat a"}}],"finishReason":"tool_calls",` +
		`"usage":{"promptTokens":1,"completionTokens":2,"totalTokens":3}},"trajectoryId":"t","stepIndex":0,"metadata":{"split":"train"}}`
	chatRow = `{"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"ls"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"SHELL","arguments":"{\"command\":\"ls\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","name":"SHELL","content":"a b"},{"role":"assistant","content":"done"}],` +
		`"tools":[{"type":"function","function":{"name":"SHELL","description":"runs","parameters":{"type":"object"}}}]}`
	trajectoryRow = `{"schema":"eliza.eliza1_trajectory_record.v1","id":"record-000001","split":"train","task":"turn",` +
		`"target":{"modelFamily":"qwen","baseModel":"Qwen3.5","sftFormat":"messages","chatTemplate":"chatml"},` +
		`"messages":[{"role":"user","content":"ls"},{"role":"assistant","content":"","tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"SHELL","arguments":{"command":"ls"}}}]}],"tools":[],` +
		`"actions":[{"name":"SHELL","originalName":"SHELL_COMMAND","arguments":{"command":"ls"}}],` +
		`"quality":{"success":true,"score":1,"weight":1,"rating":"gold","requiresRepair":false,"reasons":[]},` +
		`"source":{"kind":"eliza_native_v1","dataset":"d","path":"p","rowIndex":0,"sourceId":null,"trajectoryId":"t","scenarioId":null,"format":null,"turnIndex":0},` +
		`"metadata":{}}`
	stepwiseRow   = `{"prompt":"Which?","completions":["First.","So two."],"labels":[true,false]}`
	preferenceRow = `{"prompt":[{"role":"user","content":"hi"}],"chosen":[{"role":"assistant","content":"hello"}],"rejected":[{"role":"assistant","content":"no"}]}`
	fullRow       = `{"format":"eliza_native_v1","schemaVersion":1,"boundary":"vercel_ai_sdk.generateText","request":{"system":"s",` +
		`"messages":[{"role":"user","content":"u"}],"prompt":null,"tools":[],"toolChoice":"auto","responseSchema":{},` +
		`"settings":{"temperature":0.0,"maxOutputTokens":0,"topP":1.0}},"response":{"text":"t","toolCalls":[],"finishReason":"stop",` +
		`"usage":{"promptTokens":0,"completionTokens":0,"totalTokens":0},"providerMetadata":{}},"trajectoryId":"a","agentId":"b",` +
		`"scenarioId":null,"batchId":null,"stepId":"c","callId":"d","stepIndex":0,"callIndex":0,"timestamp":0,"metadata":{"task_type":"reply"}}`
	textRow = `{"prompt":"hi","chosen":"hello","rejected":"no"}`
)

// TestGoodRows holds that what is right passes unchanged, in each of the spellings that rows have.
func TestGoodRows(t *testing.T) {
	for _, row := range []string{
		nativeRow, chatRow, trajectoryRow, preferenceRow, stepwiseRow, textRow, fullRow,
		`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"assistant","content":"a","tool_calls":[` +
			`{"id":"call_0","type":"function","function":{"name":"SHELL","arguments":"{\"command\":\"ls\"}"}}]}]}`,
		`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.streamText","request":{"prompt":"hi"},"response":{"text":"hello"}}`,
		strings.Replace(nativeRow, `[{"type":"function","name":"SHELL","inputSchema":{"type":"object"}}]`, `{"SHELL":{"inputSchema":{"type":"object"}}}`, 1),
		strings.Replace(nativeRow, `"input":{"command":"ls"}`, `"input":"{\"command\":\"ls\"}"`, 1),
		strings.Replace(nativeRow, `"input":{"command":"ls"}`, `"input":" null "`, 1),
		strings.Replace(nativeRow, `"toolName":"SHELL","input":{"command":"cat a"}`, `"toolName":null,"name":"SHELL","input":{"command":"cat a"}`, 1),
		strings.Replace(nativeRow, `"toolCallId":"c2"`, `"toolCallId":2`, 1),
		strings.Replace(nativeRow, `"schemaVersion":1`, `"schemaVersion":null`, 1),
		strings.Replace(nativeRow, `,"metadata":{"split":"train"}`, `,"metadata":{"split":"repair_eval"}`, 1),
		strings.Replace(chatRow, `"{\"command\":\"ls\"}"`, `{"command":"ls"}`, 1),
		strings.Replace(chatRow, `"content":"","tool_calls"`, `"content":null,"tool_calls"`, 1),
		strings.Replace(chatRow, `"tools":[{"type":"function","function":{"name":"SHELL","description":"runs","parameters":{"type":"object"}}}]`,
			`"tools":"[{\"type\":\"function\",\"function\":{\"name\":\"SHELL\"}}]"`, 1),
		`{"chosen":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}],"rejected":[{"role":"user","content":"hi"},{"role":"assistant","content":"no"}]}`,
	} {
		results, _ := sdktest.Run(t, check.Plugin, "", row)
		if have := results[0]; have.Verdict != "emit" || have.Emitted[0] != row {
			t.Errorf("want the row as it is, have %s %s at %s: %s\n%s", have.Verdict, have.Code, have.Path, have.Message, row)
		}
	}
}

// A broken row is a good one with one piece replaced, and where and under which code that is found.
type broken struct{ reason, row, old, new, code, path string }

var brokenRows = []broken{
	{"a version of the future", nativeRow, `"schemaVersion":1`, `"schemaVersion":2`, "bad_value", "schemaVersion"},
	{"a version that is no number", nativeRow, `"schemaVersion":1`, `"schemaVersion":"banana"`, "bad_value", "schemaVersion"},
	{"another boundary", nativeRow, `vercel_ai_sdk.generateText`, `openai.chat`, "bad_value", "boundary"},
	{"no boundary", nativeRow, `"boundary":"vercel_ai_sdk.generateText",`, ``, "missing", ""},
	{"a request without messages", nativeRow, `"messages":[{"role":"user"`, `"turns":[{"role":"user"`, "no_form", "request"},
	{"a response in text", nativeRow, `"response":{"text":""`, `"response":"","was":{"text":""`, "wrong_type", "response"},
	{"a text that is a number", nativeRow, `"text":"",`, `"text":7,`, "wrong_type", "response.text"},
	{"calls that are a number", nativeRow, `"toolCalls":[{"toolCallId":"c2","toolName":"SHELL","input":{"command":"cat a"}}]`, `"toolCalls":1`, "wrong_type", "response.toolCalls"},
	{"a call without a name", nativeRow, `"toolCallId":"c2","toolName":"SHELL"`, `"toolCallId":"c2"`, "no_form", "response.toolCalls.0"},
	{"a call with a blank name", nativeRow, `"toolCallId":"c2","toolName":"SHELL"`, `"toolCallId":"c2","toolName":" "`, "bad_tool_call", "response.toolCalls.0"},
	{"usage below zero", nativeRow, `"promptTokens":1`, `"promptTokens":-1`, "out_of_range", "response.usage.promptTokens"},
	{"a step of half", nativeRow, `"stepIndex":0`, `"stepIndex":0.5`, "wrong_type", "stepIndex"},
	{"a role that nobody has", nativeRow, `"role":"user"`, `"role":"narrator"`, "bad_role", "request.messages.0.role"},
	{"nobody asks", nativeRow, `{"role":"user","content":"ls"},`, ``, "no_user_turn", "request"},
	{"an answer that says nothing", nativeRow, `"toolCalls":[{"toolCallId":"c2","toolName":"SHELL","input":{"command":"cat a"}}]`, `"toolCalls":[]`, "empty_response", "response"},
	{"a call that nothing answers", nativeRow, `"type":"tool-result","toolCallId":"c1"`, `"type":"tool-result","toolCallId":"c9"`, "dangling_call", "request.messages.1"},
	{"a call of a tool that is not offered", nativeRow, `"toolCallId":"c2","toolName":"SHELL"`, `"toolCallId":"c2","toolName":"RM"`, "undeclared_call", "response"},
	{"two calls with one id", nativeRow, `"toolCallId":"c2"`, `"toolCallId":"c1"`, "duplicate_call_id", "response"},
	{"arguments that are a word", nativeRow, `"input":{"command":"cat a"}`, `"input":"cat a"`, "bad_arguments", "response"},
	{"arguments of OpenAI that are a list", nativeRow, `"toolName":"SHELL","input":{"command":"cat a"}`, `"function":{"name":"SHELL","arguments":[1]}`, "bad_arguments", "response"},
	{"arguments of a part that are a number", nativeRow, `"input":{"command":"ls"}`, `"input":5`, "bad_arguments", "request.messages.1"},
	{"a tool twice", nativeRow, `"tools":[`, `"tools":[{"name":"SHELL"},`, "duplicate_tool", "request.tools.1"},
	{"a tool without a name", nativeRow, `"tools":[`, `"tools":[{"description":"x"},`, "bad_tools", "request.tools.0"},
	{"parts that are a number", nativeRow, `"content":"ls"`, `"content":5`, "wrong_type", "request.messages.0.content"},

	{"no messages", chatRow, `"messages":[{"role":"system"`, `"messages":[],"was":[{"role":"system"`, "too_short", "messages"},
	{"a role of another time", chatRow, `"role":"tool"`, `"role":"function"`, "bad_value", "messages.3.role"},
	{"a part of no kind that templates know", chatRow, `"content":"ls"`, `"content":[{"type":"image_url","image_url":"x"}]`, "bad_value", "messages.1.content.0.type"},
	{"a part without its text", chatRow, `"content":"ls"`, `"content":[{"type":"text"}]`, "missing", "messages.1.content.0"},
	{"parts that say nothing", chatRow, `"content":"ls"`, `"content":[{"type":"text","text":" "}]`, "no_user_turn", "messages"},
	{"a user without content", chatRow, `"role":"user","content":"ls"`, `"role":"user"`, "missing", "messages.1"},
	{"a user that calls", chatRow, `"role":"user","content":"ls"`, `"role":"user","content":"ls","tool_calls":[{"id":"x","function":{"name":"F","arguments":{}}}]`, "too_long", "messages.1.tool_calls"},
	{"an assistant with neither member", chatRow, `{"role":"assistant","content":"done"}`, `{"role":"assistant"}`, "no_form", "messages.4"},
	{"a call without arguments", chatRow, `,"arguments":"{\"command\":\"ls\"}"`, ``, "missing", "messages.2.tool_calls.0.function"},
	{"arguments that say null", chatRow, `"{\"command\":\"ls\"}"`, `"null"`, "bad_arguments", "messages.2.tool_calls.0"},
	{"arguments encoded twice", chatRow, `"{\"command\":\"ls\"}"`, `"\"{}\""`, "bad_arguments", "messages.2.tool_calls.0"},
	{"tools of another spelling", chatRow, `"tools":[{"type":"function","function":`, `"tools":[{"type":"function","inputSchema":`, "missing", "tools.0"},
	{"tools in a string that holds none", chatRow, `"tools":[`, `"tools":"none","was":[`, "bad_tools", "tools"},
	{"a tool twice", chatRow, `"tools":[`, `"tools":[{"type":"function","function":{"name":"SHELL"}},`, "duplicate_tool", "tools.1"},
	{"a call of a tool that is not offered", chatRow, `"function":{"name":"SHELL","arguments"`, `"function":{"name":"RM","arguments"`, "undeclared_call", "messages.2.tool_calls.0"},
	{"a system message behind the head", chatRow, `{"role":"assistant","content":"done"}`, `{"role":"system","content":"x"},{"role":"assistant","content":"done"}`, "late_system", "messages.4"},
	{"nobody asks", chatRow, `{"role":"user","content":"ls"}`, `{"role":"user","content":" "}`, "no_user_turn", "messages"},
	{"the user has the last word", chatRow, `{"role":"assistant","content":"done"}`, `{"role":"user","content":"done"}`, "last_not_assistant", "messages"},
	{"an answer that says nothing", chatRow, `"content":"done"`, `"content":""`, "empty_response", "messages"},
	{"a result of another call", chatRow, `"tool_call_id":"c1"`, `"tool_call_id":"c2"`, "orphan_result", "messages.3"},
	{"a result of no call", chatRow, `"tool_call_id":"c1",`, ``, "result_without_id", "messages.3"},
	{"a result of another tool", chatRow, `"name":"SHELL","content"`, `"name":"RM","content"`, "wrong_result_name", "messages.3"},
	{"a call that nothing answers", chatRow, `{"role":"tool","tool_call_id":"c1","name":"SHELL","content":"a b"},`, ``, "dangling_call", "messages.2"},
	{"a call without an id", chatRow, `"id":"c1",`, ``, "call_without_id", "messages.2.tool_calls.0"},
	{"two calls with one id", chatRow, `"tool_calls":[`, `"tool_calls":[{"id":"c1","function":{"name":"SHELL","arguments":{}}},`, "duplicate_call_id", "messages.2.tool_calls.1"},

	{"a member that the schema does not know", trajectoryRow, `"metadata":{}`, `"metadata":{},"extra":1`, "unknown_member", ""},
	{"arguments in a string", trajectoryRow, `"name":"SHELL","arguments":{"command":"ls"}}}]`, `"name":"SHELL","arguments":"{}"}}]`, "wrong_type", "messages.1.tool_calls.0.function.arguments"},
	{"a short id", trajectoryRow, `record-000001`, `r1`, "too_short", "id"},
	{"a score above one", trajectoryRow, `"score":1`, `"score":1.5`, "out_of_range", "quality.score"},
	{"a split that nobody has", trajectoryRow, `"split":"train"`, `"split":"zebra"`, "bad_value", "split"},
	{"a good row among those to repair", trajectoryRow, `"split":"train"`, `"split":"repair_eval"`, "quality_conflict", "quality"},
	{"a row that is good and needs repair", trajectoryRow, `"requiresRepair":false`, `"requiresRepair":true`, "quality_conflict", "quality"},

	{"text beside messages", preferenceRow, `"rejected":[{"role":"assistant","content":"no"}]`, `"rejected":"no"`, "mixed_sides", ""},
	{"no difference", textRow, `"rejected":"no"`, `"rejected":"hello"`, "same_answers", "rejected"},
	{"an answer of the user", preferenceRow, `"rejected":[{"role":"assistant"`, `"rejected":[{"role":"user"`, "last_not_assistant", "rejected"},
	{"a step without a label", stepwiseRow, `[true,false]`, `[true]`, "bad_labels", "labels"},
	{"a label that is a number", stepwiseRow, `[true,false]`, `[1,false]`, "wrong_type", "labels.0"},
	{"a blank step", stepwiseRow, `"First."`, `""`, "too_short", "completions.0"},
	{"an empty answer", textRow, `"chosen":"hello"`, `"chosen":""`, "too_short", "chosen"},
}

// TestBrokenRows holds that every kind of mistake is found under its own code and at its place, and that its message has no
// value of the row but a role.
func TestBrokenRows(t *testing.T) {
	for _, c := range brokenRows {
		if strings.Count(c.row, c.old) == 0 {
			t.Errorf("%s: want %q in the row", c.reason, c.old)
			continue
		}
		row := strings.Replace(c.row, c.old, c.new, 1)
		results, _ := sdktest.Run(t, check.Plugin, `{"strict":true}`, row)
		have := results[0]
		if have.Verdict != "reject" || have.Code != c.code || have.Path != c.path {
			t.Errorf("%s: want %s at %q, have %s %s at %q: %s", c.reason, c.code, c.path, have.Verdict, have.Code, have.Path, have.Message)
		}
		for _, value := range []string{"banana", "openai.chat", "command", "zebra"} {
			if strings.Contains(have.Message, value) {
				t.Errorf("%s: want no value of the row, have %s", c.reason, have.Message)
			}
		}
	}
}

// TestShapes holds that a row is told by its own marks, and that what has none is left to others.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ row, shape string }{
		{nativeRow, "canonical"},
		{`{"request":{},"response":{}}`, "canonical"},
		{chatRow, "chatml"},
		{trajectoryRow, "trajectory"},
		{`{"schema":"other","messages":[]}`, "chatml"},
		{preferenceRow, "preference"},
		{stepwiseRow, "stepwise"},
		{`{"instruction":"a","output":"b"}`, ""},
		{`[1]`, ""},
		{`"text"`, ""},
	} {
		if have := check.ShapeOf(jsontext.JSON(c.row)); have != c.shape {
			t.Errorf("%s: want %q, have %q", c.row, c.shape, have)
		}
	}
}

// TestGrows holds that the work of a row is linear in its length, whatever is long in it.
func TestGrows(t *testing.T) {
	repeat := func(head, piece, tail string) func(int) []byte {
		return func(n int) []byte { return []byte(head + strings.Repeat(piece, n) + tail) }
	}
	for name, row := range map[string]func(int) []byte{
		"calls":    repeat(`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"F","arguments":{}}}`, `,{"id":"a","function":{"name":"F","arguments":{}}}`, `]}]}`),
		"results":  repeat(`{"messages":[{"role":"user","content":"q"}`, `,{"role":"tool","tool_call_id":"a","content":"r"}`, `]}`),
		"nesting":  repeat(`{"messages":[{"role":"user","content":"q","x":"`, `[`, `"}]}`),
		"elements": repeat(`{"format":"eliza_native_v1","request":{"messages":[1`, `,1`, `]},"response":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			sdktest.Grows(t, check.Plugin, "", row)
		})
	}
}
