package openhands

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestOpenHands(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzOpenHands(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func TestRoundTrip(t *testing.T) {
	sample := canonicaltest.Sample()
	sample[5] = strings.Replace(sample[5], " (Both are in.)", "", 1) // the shape has no thought beside an answer
	canonicaltest.RoundTrip(t, Plugin, "", `{"history": [
		{"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief."}},
		{"id": 1, "source": "user", "action": "message", "args": {"content": "Oslo & \"Rome\"? 🌦\nPlease."}},
		{"id": 2, "source": "agent", "action": "w", "args": {"thought": "I will check.", "city": "Oslo"}, "tool_call_metadata": {"function_name": "w", "tool_call_id": "a", "model_response": {"id": "r"}}},
		{"id": 3, "source": "agent", "action": "w", "args": {"thought": "", "city": "Rome", "days": 2}, "tool_call_metadata": {"function_name": "w", "tool_call_id": "b", "model_response": {"id": "r"}}},
		{"id": 4, "source": "agent", "observation": "w", "content": "rain", "cause": 2},
		{"id": 5, "source": "agent", "observation": "w", "content": "", "cause": 3},
		{"id": 6, "source": "agent", "action": "message", "args": {"content": "Rain in Oslo, nothing from Rome."}}]}`, sample)
}

// TestGrows protects a run from a session that takes hours.
func TestGrows(t *testing.T) {
	sdktest.Grows(t, Plugin, "", func(n int) []byte {
		return []byte(`{"instruction":"q","history":[` + strings.Repeat(`{"id":1,"source":"agent","action":"run","args":{"command":"ls"}},{"id":2,"source":"agent","observation":"run","content":"x","cause":1},`, n) +
			`{"id":3,"source":"agent","action":"message","args":{"content":"a"}}]}`)
	})
}
