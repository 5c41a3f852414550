package bootstrap

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"schema": "eliza.native_tool_calling.v1", "id": "x", "stage": "planner", "source": {"dataset": "d"}, "messages": [
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"role": "assistant", "content": "I will check.\n<tool_call>\n{\"name\": \"w\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"w\", \"arguments\": {\"city\": \"Rome\", \"days\": 2}}\n</tool_call>"},
		{"role": "tool", "content": "rain"},
		{"role": "tool", "content": ""}],
		"output": {"planner": {"thought": "Both are in.", "text": "Rain in Oslo, nothing from Rome.", "toolCalls": []}}}`,
		canonicaltest.Sample())
}
