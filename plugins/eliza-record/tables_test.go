package elizarecord

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestDecisions protects the action that each decision of scambench means.
func TestDecisions(t *testing.T) {
	for name, want := range map[string]string{
		"ignore": "IGNORE", "block": "IGNORE", "decline": "IGNORE", "decline-to-answer": "IGNORE", "decline_to_answer": "IGNORE", "Refuse": "IGNORE",
		"reply": "REPLY", "respond": "REPLY", "engage": "REPLY", "accept": "REPLY", "audit": "REPLY", "request-verification": "REPLY",
		"verify": "REPLY", "escalate": "REPLY", "ask": "REPLY", "clarify": "REPLY",
		"RESPOND": "RESPOND", "REPLY": "REPLY", "IGNORE": "IGNORE", "TASKS": "TASKS", "TASK_CALL": "TASK_CALL", "NONE": "NONE", "STOP": "STOP",
		"create_workflow": "CREATE_WORKFLOW",
	} {
		if have := decided(name); have != want {
			t.Errorf("%s: want %s, have %s", name, want, have)
		}
	}
}

// TestLeakedThoughts protects training from thoughts that the tooling put in, in quotes or without.
func TestLeakedThoughts(t *testing.T) {
	for _, thought := range leaked {
		for _, said := range []string{thought, " '" + thought + "' "} {
			envelope := jsontext.AppendString(nil, `{"thought":`+string(jsontext.AppendString(nil, said))+`,"text":"x"}`)
			results, counts := sdktest.Run(t, Plugin, "", `{"currentMessage":{"content":"hi"},"expectedResponse":`+string(envelope)+`}`)
			if results[0].Verdict != "emit" || strings.Contains(results[0].Emitted[0], `"reasoning"`) || counts["loss.leaked_thought"] != 1 {
				t.Errorf("%q: want a row without the thought, have %s %v", said, results[0].Verdict, results[0].Emitted)
			}
		}
	}
}

// TestSpeakers protects the role of every speaker in a memory.
func TestSpeakers(t *testing.T) {
	for role, want := range map[string]string{
		"user": "user", "human": "user", "question": "user", "prompter": "user", "customer": "user", "critic": "user", "": "user",
		"assistant": "assistant", "model": "assistant", "ai": "assistant", "bot": "assistant", "agent": "assistant", "answer": "assistant", "response": "assistant",
		"tool": "tool", "function": "tool", "tool_output": "tool", "tool_result": "tool", "tool_response": "tool", "function_response": "tool",
		"observation": "tool", "ipython": "tool", "environment": "tool",
		"system": "system", "developer": "system",
	} {
		record := `{"memoryEntries":[{"role":"user","content":"a"},{"role":"` + role + `","content":"b"},{"role":"user","content":"c"}],"currentMessage":{"content":"hi"},"expectedResponse":"x"}`
		results, _ := sdktest.Run(t, Plugin, `{"orphan_results":"tool"}`, record)
		if r := results[0]; r.Verdict != "emit" || !strings.Contains(r.Emitted[0], `{"role":"`+want+`","content":"b"}`) {
			t.Errorf("%q: want %s, have %s %v", role, want, r.Verdict, r.Emitted)
		}
	}
}
