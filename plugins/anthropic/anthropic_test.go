package anthropic

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestAnthropic(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzAnthropic(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

// TestStopReasons protects each word of the interface for why an answer ended: a wrong one trains on a cut answer.
func TestStopReasons(t *testing.T) {
	want := map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter", "pause_turn": "other",
	}
	if len(want) != len(claude.Stops) {
		t.Errorf("want a case for each of %d reasons, have %d", len(claude.Stops), len(want))
	}
	for reason, want := range want {
		results, _ := sdktest.Run(t, Plugin, "", `{"messages": [{"role": "user", "content": "q"}], "content": [{"type": "text", "text": "a"}], "stop_reason": "`+reason+`"}`)
		if have := jsontext.JSON(results[0].Emitted[0]).Get("response").Get("finishReason").Text(); have != want {
			t.Errorf("%s: want %s, have %s", reason, want, have)
		}
	}
}

func BenchmarkAnthropic(b *testing.B) {
	var rows []string
	for i := range 100 {
		text := func(n int) []byte { return jsontext.AppendString(nil, canonicaltest.Words(i+n, 100)) }
		rows = append(rows, fmt.Sprintf(`{"system": %s, "messages": [{"role": "user", "content": %s}, {"role": "assistant", "content": [{"type": "text", "text": %s}, {"type": "tool_use", "id": "toolu_%d", "name": "w", "input": {"city": "Oslo", "days": 3}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_%[4]d", "content": %s}]}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "short"}, {"type": "text", "text": %s}]}], "tools": [{"name": "w", "input_schema": {"type": "object"}}]}`,
			text(0), text(1), text(2), i, text(3), text(4)))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}
