package gemini

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

// A response of Gemini is an object, so a plain text comes as one.
func TestRoundTrip(t *testing.T) {
	want := canonicaltest.Sample()
	want[3], want[4] = `tool #0: {"output":"rain"}`, "tool #1: {}"
	canonicaltest.RoundTrip(t, Plugin, "", `{"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": [
		{"role": "user", "parts": [{"text": "Oslo & \"Rome\"? 🌦\nPlease."}]},
		{"role": "model", "parts": [{"text": "I will check."}, {"functionCall": {"name": "w", "args": {"city": "Oslo"}}}, {"functionCall": {"name": "w", "args": {"city": "Rome", "days": 2}}}]},
		{"role": "user", "parts": [{"functionResponse": {"name": "w", "response": {"output": "rain"}}}, {"functionResponse": {"name": "w", "response": {}}}]},
		{"role": "model", "parts": [{"text": "Both are in.", "thought": true}, {"text": "Rain in Oslo, nothing from Rome."}]}]}`,
		want)
}
