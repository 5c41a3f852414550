package messages

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

var words = canonicaltest.Vocabulary{
	Keys: []string{
		"role", "from", "content", "value", "tool_calls", "toolCalls", "function", "name", "arguments", "args", "id", "type", "text",
		"parts", "toolInvocations", "tool_call_id", "toolCallId", "toolName", "input", "output", "result", "state", "reasoning_content", "weight", "human", "assistant", "parameters", "function_call",
		"call_id", "source", "kwargs", "data", "lc", "blocks", "block_type", "action", "results", "outputs", "code", "queries", "tool_result", "tool_use_id", "status", "summary",
	},
	Strings: []string{
		"user", "human", "gpt", "assistant", "tool", "system", "function_call", "observation", "reasoning", "text", "tool-call", "tool-result",
		"image", "function", "f", "g", "c1", "call_0", "é\n\"", "\u2028", " ", "[f(a=1)]", `{"name":"f","arguments":{}}`, "{'a': 1}", "[1]",
		"<tool_call>{\"name\":\"f\"}</tool_call>", "<tool_response>x</tool_response>", "<think>t</think>a", "<tools>[{'name':'f'}]</tools>",
		"web_search_call", "mcp_call", "custom_tool_call", "custom_tool_call_output", "code_interpreter_call", "function_call_output", "TextMessage", "ToolCallRequestEvent",
		"ToolCallExecutionEvent", "constructor", "ai", "tool_use", "tool_result", "tool_call", "thinking", "<search>q</search><information>d</information>a",
		"<tool_call>{\"name\":\"f\"}</tool_call><tool_response>x</tool_response>a",
	},
}

// oddMessage makes a message that is mostly in form.
func oddMessage(r *rand.Rand, words canonicaltest.Vocabulary) string {
	roles := []string{`"user"`, `"user"`, `"user"`, `"assistant"`, `"assistant"`, `"assistant"`, `"tool"`, `"system"`, `"gpt"`, `"human"`, `"function_call"`, `"observation"`, words.Value(r, 0)}
	return words.Row(r, map[string][]string{"role": roles, "content": {words.Value(r, 0), `"a"`, `"b"`, `"c"`, words.Value(r, 3)}})
}

// early returns the id of a result that comes before its call in a canonical row, "" when there is none.
func early(row string) string {
	var id string
	answered := map[string]bool{}
	call := func(c gjson.Result) {
		if given := c.String(); answered[given] {
			id = given
		}
	}
	for _, m := range gjson.Get(row, "request.messages").Array() {
		for _, c := range m.Get("tool_calls.#.id").Array() {
			call(c)
		}
		if result := m.Get("tool_call_id"); m.Get("role").String() == "tool" && result.Exists() && m.Get("tool_calls").String() == "" {
			answered[result.String()] = true
		}
	}
	for _, c := range gjson.Get(row, "response.toolCalls.#.toolCallId").Array() {
		call(c)
	}
	return id
}

// TestGenerated holds over odd rows that each ends in one way and that what is emitted has the shape of a canonical row.
func TestGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]string, 20000)
	for i := range rows {
		var list []string
		for range 2 + r.IntN(3) {
			list = append(list, oddMessage(r, words))
		}
		messages := "[" + strings.Join(list, ",") + "]"
		if r.IntN(8) == 0 {
			rows[i] = `{"request":{"input":"q"},"response":{"output":` + messages + `}}`
			continue
		}
		rows[i] = words.Row(r, map[string][]string{
			[]string{"messages", "conversations", "messages", "chosen"}[r.IntN(4)]: {messages},
			[]string{"tools", "functions", "system"}[r.IntN(3)]:                    {words.Value(r, 3), `"s"`, `[]`, `[{"name":"f","parameters":{"a":{"type":"str"}}}]`},
			[]string{"prompt", "rejected", "target", "expected_action"}[r.IntN(4)]: {`"x"`, messages, words.Value(r, 2)},
		})
	}
	emitted := 0
	for _, args := range []string{`{}`, `{"target":"each","media":"drop","orphan_results":"user"}`} {
		results, _ := sdktest.Direct(t, Plugin, args, rows...)
		for i, result := range results {
			emitted += len(result.Emitted)
			if (result.Verdict == "emit") != (len(result.Emitted) > 0) || result.Verdict == "drop" {
				t.Errorf("want one end, have %s with %d rows from %s", result.Verdict, len(result.Emitted), rows[i])
			}
			for _, row := range result.Emitted {
				if problem := canonicaltest.Problem(row); problem != "" {
					t.Errorf("%s: %s\nfrom %s", problem, row, rows[i])
				}
				if id := early(row); id != "" {
					t.Errorf("want the result of %q behind its call: %s\nfrom %s", id, row, rows[i])
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	if emitted < len(rows)/20 {
		t.Errorf("want one row in twenty emitted, so that the test says something, have %d of %d", emitted, 2*len(rows))
	}
}
