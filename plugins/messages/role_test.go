package messages

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestRoleOf protects every name of a role that corpora have.
func TestRoleOf(t *testing.T) {
	for name, want := range map[string]struct {
		role canonical.Role
		kind kind
	}{
		"system": {canonical.System, plain}, "developer": {canonical.System, plain},

		"user": {canonical.User, plain}, "human": {canonical.User, plain}, "question": {canonical.User, plain},
		"prompter": {canonical.User, plain}, "customer": {canonical.User, plain}, " Human\u00a0": {canonical.User, plain},

		"assistant": {canonical.Assistant, plain}, "model": {canonical.Assistant, plain}, "gpt": {canonical.Assistant, plain},
		"ai": {canonical.Assistant, plain}, "answer": {canonical.Assistant, plain}, "response": {canonical.Assistant, plain},
		"agent": {canonical.Assistant, plain}, "bot": {canonical.Assistant, plain}, "chatgpt": {canonical.Assistant, plain},
		"bing": {canonical.Assistant, plain}, "bard": {canonical.Assistant, plain}, "claude": {canonical.Assistant, plain},
		"GPT": {canonical.Assistant, plain},

		"tool": {canonical.Tool, plain}, "function": {canonical.Tool, plain}, "ipython": {canonical.Tool, plain},
		"environment": {canonical.Tool, plain}, "tool_output": {canonical.Tool, plain}, "tool_result": {canonical.Tool, plain},

		"observation": {canonical.Tool, observation}, "tool_response": {canonical.Tool, observation},
		"tool response": {canonical.Tool, observation}, "function_response": {canonical.Tool, observation},
		"function response": {canonical.Tool, observation}, "Observation": {canonical.Tool, observation},

		"function_call": {canonical.Assistant, callTurn}, "tool_call": {canonical.Assistant, callTurn},
		"tool call": {canonical.Assistant, callTurn}, "function call": {canonical.Assistant, callTurn},

		"reasoning": {canonical.Assistant, thoughtTurn}, "thought": {canonical.Assistant, thoughtTurn},
		"analysis": {canonical.Assistant, thoughtTurn}, "thinking": {canonical.Assistant, thoughtTurn},

		"narrator": {canonical.NoRole, plain}, "": {canonical.NoRole, plain},
	} {
		role, kind := roleOf(jsontext.JSON(jsontext.AppendString(nil, name)))
		if role != want.role || kind != want.kind {
			t.Errorf("%q: want %v of kind %d, have %v of kind %d", name, want.role, want.kind, role, kind)
		}
	}
	if role, _ := roleOf("7"); role != canonical.NoRole {
		t.Errorf("a number: want no role, have %v", role)
	}
}
