package instruction

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// TestPlain holds which sentences demand a format of the settings that they name without a code span.
func TestPlain(t *testing.T) {
	settings := notation.Formats{{Name: "markdown"}, {Name: "json"}, {Name: "report"}, {Name: "text"}, {Name: "weather:json"}}
	for _, c := range []struct{ reason, text, want string }{
		{"only in", "Respond only in JSON.", "=json"},
		{"only in a format", "Respond only in JSON format.", "=json"},
		{"in lower case", "You must respond in json.", "=json"},
		{"only behind", "Answer in JSON only.", "=json"},
		{"what is valid", "You must respond in valid JSON.", "=json"},
		{"an object", "Output only JSON.", "=json"},
		{"the format of answers", "All your responses must be in the JSON format.", "=json"},
		{"no other", "Never respond in Markdown.", "-markdown"},
		{"a format that is no language", "Respond only in the report format.", "=report"},
		{"two of them", "You may only respond in JSON or in Markdown.", "=json,markdown"},
		{"one of them in a code span", "Respond only in JSON or `yaml`.", "=json,yaml"},
		{"should", "You should respond in JSON.", "?=json"},
		{"what is permitted then", "Respond only in JSON. You may also respond in Markdown.", "=json,markdown"},

		{"a format that the settings have not", "Respond only in YAML.", ""},
		{"a word of any sentence", "Respond only in text.", ""},
		{"a word that is a format of the settings", "Respond only in report style.", ""},
		{"a wish", "Respond in JSON.", ""},
		{"a condition", "Respond only in JSON if asked to.", ""},
		{"a topic", "You only answer questions about JSON.", ""},
		{"a topic in it", "You only answer questions about data in JSON.", ""},
		{"a part of a name", "Respond only in JSON-LD.", ""},
		{"a part of a word", "Respond only in JSONPath.", ""},
		{"what the user does", "The user must respond in JSON.", ""},
		{"code", "Always return JSON from your handlers.", ""},
		{"what no frame reads", "The response format is JSON, which must be kept to.", ""},
		{"a quotation", "The sign says \"respond only in JSON\".", ""},
		{"a fence", "```text\nRespond only in JSON.\n```", ""},
	} {
		if have := forceOf(c.text, settings); have != c.want {
			t.Errorf("%s: want %q, have %q in %s", c.reason, c.want, have, c.text)
		}
	}
}
