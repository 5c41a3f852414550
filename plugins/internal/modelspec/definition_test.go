package modelspec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadDefinitions holds that only what AppendDefinition wrote, at the end and allowed by the settings, is taken off.
func TestReadDefinitions(t *testing.T) {
	formats := Formats{{Name: "rm:json"}, {Name: "reasoning"}, {Name: "json"}}
	section := string(AppendDefinition(nil, Function{Name: "rm", Description: "Deletes."}, "rm:json", "typescript"))
	for _, c := range []struct {
		reason, text string
		formats      Formats
		want         string
	}{
		{"a section", "Be brief.\n\n" + section, formats, "Be brief."},
		{"a section alone, and thoughts", section + "\n\n" + ReasoningText, formats, ""},
		{"no settings allow it", "Be brief.\n\n" + section, Formats{{Name: "markdown"}}, "Be brief.\n\n" + section},
		{"no settings", ReasoningText, nil, ReasoningText},
		{"a quotation", "Doc sample: " + section + " End of sample.", formats, "Doc sample: " + section + " End of sample."},
		{"a sentence of the system's own", "Think. " + ReasoningText, formats, "Think. " + ReasoningText},
		{"twice the same", section + "\n\n" + section, formats, section},
	} {
		if have := ReadDefinitions(c.text, c.formats); have.Rest != c.want {
			t.Errorf("%s: want %q left, have %q", c.reason, c.want, have.Rest)
		}
	}
}

// FuzzDefinitions holds that definitions come back from developer text with the text around them.
func FuzzDefinitions(f *testing.F) {
	f.Add("Be brief.", "get_weather", "Says how warm it is.", true, false)
	f.Add("", "A", "```\ncode\n```\n\n", false, true)
	f.Add("ends\n\n", "x", "## x", true, false)
	f.Fuzz(func(t *testing.T, system, name, description string, typescript, several bool) {
		for _, text := range []string{system, description} {
			if strings.Contains(text, "You can use") || strings.Contains(text, "Respond") || strings.Contains(text, "## ") || strings.Contains(text, "`") || strings.Contains(text, "\xff") {
				t.Skip("holds words of a definition itself")
			}
		}
		if name == "" || strings.ContainsAny(name, ":`\n\r\t ") || name == "tools" {
			t.Skip("no name of a tool")
		}
		want := Definitions{
			Functions: []Function{{Name: name, Description: description, Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`, Several: several}, {Name: name + "_2"}},
			Answer:    `{"type":"string"}`, Only: true, SchemaIn: "json-schema", Rest: system,
		}
		if typescript {
			want.SchemaIn = "typescript"
		}
		formats := Formats{{Name: name + ":json"}, {Name: name + "_2:json"}, {Name: "json"}}
		text := want.Append(system, func(function string) string { return function + ":json" })
		if diff := cmp.Diff(want, ReadDefinitions(text, formats)); diff != "" {
			t.Errorf("from\n%s\n(-want +have):\n%s", text, diff)
		}
	})
}

func TestSchemas(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a mention and a block", "Call `weather:json`:\n```typescript\ntype W = { city: string }\n```", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`},
		{"no block", "Call `weather:json`.", ""},
		{"a block of something else", "Call `weather:json`:\n```python\nx\n```", ""},
	} {
		if have := string(Schemas(c.text)["weather"]); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}
