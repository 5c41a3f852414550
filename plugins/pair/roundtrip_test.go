package pair

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

// A pair has earlier turns of text alone, and calls in its answer alone.
func TestRoundTrip(t *testing.T) {
	sample := canonicaltest.Sample()
	canonicaltest.RoundTrip(t, Plugin, "", `{"system": "Be brief.", "history": [["hi", "hello"]], "instruction": "Oslo & \"Rome\"? 🌦", "input": "Please.",
		"output": "<think>Both are in.</think>Rain in Oslo, nothing from Rome."}`,
		[]string{sample[0], "user: hi", "assistant: hello", sample[1], sample[5]})
	canonicaltest.RoundTrip(t, Plugin, "", `{"query": "Oslo & \"Rome\"? 🌦\nPlease.", "response": "I will check.", "tool_calls": [{"name": "w", "arguments": {"city": "Oslo"}}, {"name": "w", "arguments": "{\"city\": \"Rome\", \"days\": 2}"}]}`,
		[]string{sample[1], sample[2]})
}
