package canonical

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestEnding protects from training on an answer that stops early: every step asks this table.
func TestEnding(t *testing.T) {
	for reason, want := range map[string]string{
		"stop": "good", "Tool-Calls": "good", "end turn": "good", "other": "good",
		"length": "cut", "MAX_TOKENS": "cut", "max_output_tokens": "cut", "incomplete": "cut",
		"content-filter": "filtered", "SAFETY": "filtered", "refusal": "filtered",
		"error": "bad", "cancelled": "bad",
		"": "", "a word of tomorrow": "",
	} {
		var r Row
		r.Read(`{"format":"eliza_native_v1","request":{"prompt":"q"},"response":{"text":"a","finishReason":"` + jsontext.JSON(reason) + `"}}`)
		if have := r.Ending(); have != want {
			t.Errorf("%q: want %q, have %q", reason, want, have)
		}
	}
}
