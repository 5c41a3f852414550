package canonical

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestRoles protects every name of a role: a wrong one trains the model on somebody else's words.
func TestRoles(t *testing.T) {
	names := map[Role][]string{
		System:    {"system", "developer", "system_prompt"},
		User:      {"user", "human", "question", "prompter", "customer", "usr"},
		Assistant: {"assistant", "gpt", "model", "ai", "answer", "response", "agent", "bot", "chatgpt", "bing", "bard", "claude", "chatbot", "ai_assistant", "ai assistant", "llm", "moss"},
		Tool: {"tool", "function", "ipython", "environment", "tool_output", "tool_result", "tool_response", "function_response", "observation",
			"tool-result", "tool-response", "function-response", "tool_results", "function_result", "function_call_output", "tool_call_output"},
		NoRole: {"", "nobody"},
	}
	known := 0
	for role, spellings := range names {
		for _, name := range spellings {
			for _, value := range []jsontext.JSON{jsontext.JSON(`"` + name + `"`), jsontext.JSON(`" ` + name + `\n"`)} {
				if have := RoleOf(RoleName(value)); have != role {
					t.Errorf("%s: want %s, have %s", value, role, have)
				}
			}
			if role != NoRole {
				known++
			}
		}
	}
	if known != len(roles) {
		t.Errorf("want a case for each of %d names, have %d", len(roles), known)
	}
}
