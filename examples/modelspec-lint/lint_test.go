package main

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestLint(t *testing.T) { sdktest.Files(t, lint, "testdata/*.txtar") }

// TestDemands holds which sentences demand a format, and behind a bar those that forbid one.
func TestDemands(t *testing.T) {
	for text, want := range map[string]string{
		"You may only respond in the `plaintext` format.":           "plaintext|",
		"Respond with only the form code using `html` format.":      "html|",
		"Be brief. You must answer in the `json` or `yaml` format.": "json yaml|",
		"You may only respond in the `yaml` format if asked to.":    "|",
		"You must not use the `yaml` format.":                       "|yaml",
		"Don't forget to respond in the `json` format.":             "|",
		"Respond in the `json` format.":                             "|",
		"You must always be polite. The `json` format is read.":     "|",
	} {
		demanded, forbidden := demands(text)
		if have := strings.Join(demanded, " ") + "|" + strings.Join(forbidden, " "); have != want {
			t.Errorf("%s: want %q, have %q", text, want, have)
		}
	}
}
