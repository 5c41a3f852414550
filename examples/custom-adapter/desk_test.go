package main

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestDesk(t *testing.T) { sdktest.Files(t, desk, "testdata/*.txtar") }

// FuzzDesk holds that any record ends as a row that is whole, a decline or a reject with a code.
func FuzzDesk(f *testing.F) {
	canonicaltest.Fuzz(f, desk, "",
		`{"ticket": 1, "log": [{"who": "customer", "said": "a"}, {"who": "bot", "did": "x", "with": [], "got": null}, {"who": "bot", "said": "b"}]}`,
		`{"ticket": "", "log": {"who": "bot"}}`)
}

// TestRoundTrip holds that a conversation comes out of a log whole. A log cannot say what the agent thought but in its words.
func TestRoundTrip(t *testing.T) {
	canonicaltest.RoundTrip(t, desk, "", `{"ticket": "T-7", "desk": "Be brief.", "log": [
		{"who": "customer", "said": "Oslo & \"Rome\"? 🌦\nPlease."},
		{"who": "bot", "said": "I will check. <tool_call>{\"name\": \"w\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>", "got": "rain"},
		{"who": "bot", "did": "w", "with": {"city": "Rome", "days": 2}, "got": ""},
		{"who": "bot", "said": "<think>Both are in.</think>Rain in Oslo, nothing from Rome."}]}`,
		[]string{
			"system: Be brief.",
			"user: Oslo & \"Rome\"? 🌦\nPlease.",
			`assistant: I will check. #0 w {"city":"Oslo"}`,
			"tool #0: rain",
			`assistant:  #1 w {"city":"Rome","days":2}`,
			"tool #1: ",
			"assistant (Both are in.): Rain in Oslo, nothing from Rome.",
		})
}

// TestGrows protects a run from one long ticket.
func TestGrows(t *testing.T) {
	sdktest.Grows(t, desk, "", func(n int) []byte {
		return []byte(`{"ticket": 1, "log": [{"who": "customer", "said": "a"}` + strings.Repeat(`, {"who": "bot", "did": "x", "got": 1}`, n) + `, {"who": "bot", "said": "b"}]}`)
	})
}
