package trajectory

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"trajectoryId": "t", "agentId": "a", "stages": [{"model": {"messages": [
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"role": "assistant", "content": [{"type": "text", "text": "I will check."}, {"type": "tool-call", "toolCallId": "a", "toolName": "w", "input": {"city": "Oslo"}}, {"type": "tool-call", "toolCallId": "b", "toolName": "w", "input": {"city": "Rome", "days": 2}}]},
		{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "w", "output": {"type": "text", "value": "rain"}}]},
		{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "b", "toolName": "w", "output": {"type": "text", "value": ""}}]}],
		"reasoning": "Both are in.", "response": "Rain in Oslo, nothing from Rome."}}]}`,
		canonicaltest.Sample())
}
