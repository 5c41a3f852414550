package thread

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzThread(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, `{"target":"each","no_user":"developer"}`, canonicaltest.Records(f, "testdata/*.txtar")...)
}

func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, Plugin, "", `{"messages": [
		{"role": "platform", "content": "Be brief."},
		{"role": "user", "content": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"role": "assistant", "format": "markdown", "content": "I will check.", "end_turn": false},
		{"role": "assistant", "format": "w:jsonl", "content": "{\"city\": \"Oslo\"}\n{\"city\": \"Rome\", \"days\": 2}", "end_turn": false},
		{"role": "tool", "content": "rain"},
		{"role": "tool", "content": ""},
		{"role": "assistant", "format": "reasoning", "content": "Both are in.", "end_turn": false},
		{"role": "assistant", "format": "markdown", "content": "Rain in Oslo, nothing from Rome.", "end_turn": true}]}`,
		canonicaltest.Sample())
}
