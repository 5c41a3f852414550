package elizarecord

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

var words = canonicaltest.Vocabulary{
	Keys: []string{"role", "speaker", "content", "channel", "name", "params", "tool", "arguments", "text", "thought", "actions", "simple", "providers", "command", "cwd", "task_type", "decision_class"},
	Strings: []string{
		"user", "assistant", "tool", "environment", "critic", "REPLY", "IGNORE", "TASKS", "TASK_CALL", "SHELL", "f", "hello", " ", "é\n\"", "REPLY, STOP",
		"<tool_call>{\"name\":\"f\"}</tool_call>", "<tool_response>x</tool_response>", "<think>t</think>a", `{"text":"a"}`, "{'a': 1}",
	},
}

// TestGenerated holds over odd rows that each ends in one way and that what is emitted has the shape of a canonical row.
func TestGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]string, 5000)
	for i := range rows {
		var memory []string
		for range r.IntN(5) {
			memory = append(memory, words.Row(r, map[string][]string{"role": {`"user"`, `"assistant"`, `"tool"`, words.Value(r, 0)}, "content": {`"a"`, `"b"`, words.Value(r, 1)}}))
		}
		action := words.Row(r, map[string][]string{"name": {`"TASKS"`, `"REPLY"`, words.Value(r, 0)}, "params": {`{"tool":"f","arguments":{"a":1}}`, words.Value(r, 2)}})
		envelope := words.Row(r, map[string][]string{"actions": {`["REPLY"]`, `["IGNORE"]`, "[" + action + "]", action, words.Value(r, 1)}, "text": {`"x"`, words.Value(r, 1)}, "thought": {`"t"`}})
		rows[i] = words.Row(r, map[string][]string{
			"memoryEntries":    {"[" + strings.Join(memory, ",") + "]", words.Value(r, 1)},
			"currentMessage":   {`{"content":"q"}`, `{"role":"tool","content":"q"}`, words.Value(r, 1)},
			"expectedResponse": {string(jsontext.AppendString(nil, envelope)), envelope, words.Value(r, 0)},
			"availableActions": {`["TASKS","REPLY"]`, words.Value(r, 2)},
			"metadata":         {`{"toolSpecs":[{"name":"f"}]}`, `{"system_prompt":"s"}`, words.Value(r, 2)},
		})
	}
	emitted := 0
	for _, args := range []string{`{}`, `{"reply":"text","orphan_results":"user","leading_assistant":"drop"}`, `{"envelope":"text"}`} {
		results, _ := sdktest.Direct(t, Plugin, args, rows...)
		for i, result := range results {
			emitted += len(result.Emitted)
			if (result.Verdict == "emit") != (len(result.Emitted) == 1) || result.Verdict == "drop" {
				t.Fatalf("want one end, have %s with %d rows from %s", result.Verdict, len(result.Emitted), rows[i])
			}
			for _, row := range result.Emitted {
				if problem := canonicaltest.Problem(row); problem != "" {
					t.Fatalf("%s: %s\nfrom %s", problem, row, rows[i])
				}
			}
		}
	}
	if emitted < 3*len(rows)/20 {
		t.Errorf("want a row in twenty emitted, so that the test says something, have %d of %d", emitted, 3*len(rows))
	}
}
