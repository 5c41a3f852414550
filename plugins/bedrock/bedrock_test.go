package bedrock

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestBedrock(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzBedrock(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"system": [{"text": "Be brief."}], "messages": [
		{"role": "user", "content": [{"text": "Oslo & \"Rome\"? 🌦\nPlease."}]},
		{"role": "assistant", "content": [{"text": "I will check."}, {"toolUse": {"toolUseId": "a", "name": "w", "input": {"city": "Oslo"}}}, {"toolUse": {"toolUseId": "b", "name": "w", "input": {"city": "Rome", "days": 2}}}]},
		{"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "rain"}]}}, {"toolResult": {"toolUseId": "b", "content": []}}]},
		{"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "Both are in."}}}, {"text": "Rain in Oslo, nothing from Rome."}]}]}`,
		canonicaltest.Sample())
}

// TestStopReasons protects each word of the interface for why an answer ended: a wrong one trains on a cut answer.
func TestStopReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length",
		"content_filtered": "content_filter", "guardrail_intervened": "content_filter", "malformed": "other",
	} {
		results, _ := sdktest.Run(t, Plugin, "", `{"messages": [{"role": "user", "content": [{"text": "q"}]}], "output": {"message": {"role": "assistant", "content": [{"text": "a"}]}}, "stopReason": "`+reason+`"}`)
		if have := jsontext.JSON(results[0].Emitted[0]).Get("response").Get("finishReason").Text(); have != want {
			t.Errorf("%s: want %s, have %s", reason, want, have)
		}
	}
}
