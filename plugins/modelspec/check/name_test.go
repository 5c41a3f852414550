package check

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// viewOf returns a view of one message of a developer, under settings that allow the format "report".
func viewOf(text string) *view {
	t := &notation.Thread{Formats: notation.Formats{{Name: "report"}}}
	return NewRules(nil, 48).view(t, []notation.Message{{Role: notation.Developer, Body: jsontext.BodyOf(text)}})
}

// TestFormatsIn holds which formats a text names, whatever its sentences say of them.
func TestFormatsIn(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"You can use the `browser:json` response format using the following schema:", "browser:json", "a tool is offered"},
		{"You can use the `calc` tool to perform inline calculations in your responses.", "calc", "a tool without a language"},
		{"Respond only in `json`, or in `md` and `YAML`.", "YAML json markdown", "several in a line, spelled in full"},
		{"Never use the `yaml` format.", "yaml", "a mention enables, since a sentence may forbid in many ways"},
		{"Write `a b` and `json", "", "neither a name nor a span that ends"},
		{"Answer as:\n```typescript:json\ntype A = `html`\n```\nor `csv`", "csv json", "the answer language of a fence, and nothing in it"},
		{"````md\n```\n`html`\n```\n````\n`csv`", "csv", "a fence in a fence"},
		{"> Use the `html` format.", "", "a quotation"},
		{`The user may say "respond only in ` + "`html`" + `"; use ` + "`csv`.", "csv", "in quotation marks"},
	} {
		formats := map[string]bool{}
		viewOf(c.text).formatsIn(0, func(format string) { formats[format] = true })
		if have := strings.Join(slices.Sorted(maps.Keys(formats)), " "); have != c.want {
			t.Errorf("%s (%s): want %q, have %q", c.text, c.reason, c.want, have)
		}
	}
}

// TestSpeaks holds which sentences name JSON as a format without a code span.
func TestSpeaks(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   bool
		reason string
	}{
		{"Respond in JSON format, and extract the following data:", true, "the later document's own example"},
		{"Answer as valid JSON.", true, "a way to speak"},
		{"The JSON response format is what the service reads.", true, "called a format"},
		{"The user sends JSON.", false, "not how to answer"},
		{"Respond in JSONL.", false, "another language"},
		{"The user may say \"answer in JSON\".", false, "in quotation marks"},
		{"> Answer in JSON.", false, "a quotation"},
		{"```\nAnswer in JSON.\n```", false, "in a fenced block"},
	} {
		if have := viewOf(c.text).speaks(0, "json"); have != c.want {
			t.Errorf("%s (%s): want %v, have %v", c.text, c.reason, c.want, have)
		}
	}
}
