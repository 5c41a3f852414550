package pair

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
)

// A pair has earlier turns of text alone, and calls in its answer alone.
func TestRoundTrip(t *testing.T) {
	sample := adaptertest.Sample()
	adaptertest.RoundTrip(t, Plugin, chatml.Plugin, "", `{"system": "Be brief.", "history": [["hi", "hello"]], "instruction": "Oslo & \"Rome\"? 🌦", "input": "Please.",
		"output": "<think>Both are in.</think>Rain in Oslo, nothing from Rome."}`,
		[]string{sample[0], "user: hi", "assistant: hello", sample[1], sample[5]})
	adaptertest.RoundTrip(t, Plugin, chatml.Plugin, "", `{"query": "Oslo & \"Rome\"? 🌦\nPlease.", "response": "I will check.", "tool_calls": [{"name": "w", "arguments": {"city": "Oslo"}}, {"name": "w", "arguments": "{\"city\": \"Rome\", \"days\": 2}"}]}`,
		[]string{sample[1], sample[2]})
}
