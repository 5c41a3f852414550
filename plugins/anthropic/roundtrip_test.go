package anthropic

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"system": "Be brief.", "messages": [
		{"role": "user", "content": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"role": "assistant", "content": [{"type": "text", "text": "I will check."}, {"type": "tool_use", "id": "a", "name": "w", "input": {"city": "Oslo"}}, {"type": "tool_use", "id": "b", "name": "w", "input": {"city": "Rome", "days": 2}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "rain"}, {"type": "tool_result", "tool_use_id": "b"}]},
		{"role": "assistant", "content": [{"type": "thinking", "thinking": "Both are in."}, {"type": "text", "text": "Rain in Oslo, nothing from Rome."}]}]}`,
		canonicaltest.Sample())
}
