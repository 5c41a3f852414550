package notation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// section gives the text of a section in TypeScript.
func section(s Section) string {
	s.SetLanguage(TypeScriptLanguage)
	return string(s.Text())
}

// TestReadDefinitions holds that only what a section would be written as, at an end and allowed by the settings, is taken off.
func TestReadDefinitions(t *testing.T) {
	formats := Formats{{Name: "rm:json"}, {Name: "reasoning"}, {Name: "json"}}
	rm := section(Section{Kind: ToolSection, Function: Function{Name: "rm", Description: "Deletes."}, Format: "rm:json"})
	think := section(Section{Kind: ThinkSection})
	for _, c := range []struct {
		reason, text string
		formats      Formats
		want         string
	}{
		{"a section", "Be brief.\n\n" + rm, formats, "Be brief."},
		{"a section ahead", rm + "\n\nBe brief.", formats, "Be brief."},
		{"a section alone, and thoughts", rm + "\n\n" + think, formats, ""},
		{"a mark in a description", "Be brief.\n\n" + section(Section{Kind: ToolSection, Function: Function{Name: "rm", Schema: `{"description":"Respond in the ` + "`json`" + ` format"}`}, Format: "rm:json"}), formats, "Be brief."},
		{"no settings allow it", "Be brief.\n\n" + rm, Formats{{Name: "markdown"}}, "Be brief.\n\n" + rm},
		{"no settings", think, nil, think},
		{"a quotation", "Doc sample: " + rm + " End of sample.", formats, "Doc sample: " + rm + " End of sample."},
		{"in the middle of a text", "Doc sample:\n\n" + rm + "\n\nEnd of sample.", formats, "Doc sample:\n\n" + rm + "\n\nEnd of sample."},
		{"a sentence of the system's own", "Think. " + think, formats, "Think. " + think},
		{"twice the same", rm + "\n\n" + rm, formats, rm},
	} {
		d := ReadDefinitions(c.text, c.formats, nil)
		if d.Rest != c.want {
			t.Errorf("%s: want %q left, have %q", c.reason, c.want, d.Rest)
		}
		if d.Text() != c.text {
			t.Errorf("%s: want the text again, have %q", c.reason, d.Text())
		}
	}
}

// TestWordings holds that every section comes back in every wording and language, ahead of a text and behind it.
func TestWordings(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string","description":"what"}},"required":["a"]}`
	for _, kind := range []SectionKind{ToolSection, AnswerSection, ThinkSection, TextSection} {
		for worded := range Wordings(kind) {
			for _, language := range SchemaLanguages {
				for _, flag := range []bool{false, true} {
					s := Section{Kind: kind, Format: formatOf[kind], Wording: worded}
					switch kind {
					case ToolSection:
						s.Function, s.Format, s.Several = Function{Name: "rm", Description: "Deletes.\n\nAt once.", Schema: schema}, "rm:json", flag
					case AnswerSection:
						s.Function, s.Only = Function{Schema: schema}, flag
					}
					said := s.SetLanguage(language)
					if want := kind != AnswerSection || language != PythonLanguage; said != want {
						t.Errorf("%s in %s: want said %v, have %v", kind, language, want, said)
					}
					for _, ahead := range []bool{false, true} {
						want := Definitions{Sections: []Section{s}, Ahead: ahead, Rest: "Be brief."}
						have := ReadDefinitions(want.Text(), Formats{{Name: s.Format}}, nil)
						for i := range have.Sections { // which may have its members in another order
							if have.Sections[i].Schema != "" {
								have.Sections[i].Schema = schema
							}
						}
						if diff := cmp.Diff(want, have); diff != "" {
							t.Errorf("from\n%s\n(-want +have):\n%s", want.Text(), diff)
						}
					}
				}
			}
		}
	}
}

// FuzzDefinitions holds that definitions come back from developer text with the text around them.
func FuzzDefinitions(f *testing.F) {
	f.Add("Be brief.", "get_weather", "Says how warm it is.", uint(1), true)
	f.Add("", "A", "```\ncode\n```\n\n", uint(6), false)
	f.Add("ends\n\n", "x", "## x", uint(11), false)
	f.Add("a", "x", "It \"is\"\n\n\\n", uint(2), false)
	f.Fuzz(func(t *testing.T, system, name, description string, way uint, ahead bool) {
		for _, text := range []string{system, description} {
			if strings.Contains(text, "#") || strings.Contains(text, "`") || strings.Contains(text, "\xff") || strings.Contains(text, "**") {
				t.Skip("holds words of a definition itself")
			}
		}
		if name == "" || strings.ContainsAny(name, ":`*\n\r\t ") || name == "tools" {
			t.Skip("no name of a tool")
		}
		worded, language := int(way%5), SchemaLanguages[way/5%4]
		want := Definitions{Ahead: ahead && system != "", Rest: system, Sections: []Section{
			{Kind: ToolSection, Function: Function{Name: name, Description: description, Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`}, Format: name + ":json", Wording: worded},
			{Kind: ToolSection, Function: Function{Name: name + "_2"}, Format: name + "_2:json", Wording: worded},
			{Kind: AnswerSection, Function: Function{Schema: `{"type":"string"}`}, Format: "json", Only: true},
		}}
		for i := range want.Sections {
			want.Sections[i].SetLanguage(language)
		}
		formats := Formats{{Name: name + ":json"}, {Name: name + "_2:json"}, {Name: "json"}}
		if diff := cmp.Diff(want, ReadDefinitions(want.Text(), formats, nil)); diff != "" {
			t.Errorf("from\n%s\n(-want +have):\n%s", want.Text(), diff)
		}
	})
}

func TestSchemas(t *testing.T) {
	const city = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	for _, c := range []struct {
		reason, text, want string
		demanded           bool
	}{
		{"a mention and a block", "Call `weather:json`:\n```typescript\ntype W = { city: string }\n```", city, false},
		{"a section in prose", "## weather\nYou can use the `weather:json` response format to call this tool. It takes an object with these members:\n- city (text, required)", city, false},
		{"a function in Python", "Call `weather:json`:\n```python\ndef weather(city: str): ...\n```", city, false},
		{"a struct in Rust", "Call `weather:yaml`:\n```rust\nstruct W { city: String }\n```", city, false},
		{"the document's wording", "You can use the `weather:json` response format to look, using the following schema:\n```ts\ntype W = { city: string }\n```", city, true},
		{"another wording", "Use `weather:json`. It has this schema:\n\n```rs\nstruct W { city: String }\n```", city, true},
		{"a sentence about something else between", "Use `weather:json`.\n\nDates have this schema:\n```rs\nstruct W { city: String }\n```", city, false},
		{"another tool between", "Use `weather:json` or `clock:json` with this schema:\n```rs\nstruct W { city: String }\n```", city, false},
		{"no block", "Call `weather:json`.", "", false},
		{"a block of something else", "Call `weather:json`:\n```python\nx\n```", "", false},
	} {
		have, demanded := Schemas(c.text, nil)
		if string(have["weather"]) != c.want || demanded["weather"] != c.demanded {
			t.Errorf("%s: want %s %v, have %s %v", c.reason, c.want, c.demanded, have["weather"], demanded["weather"])
		}
	}
}

// TestTakes holds which schemas take an object and which take a list.
func TestTakes(t *testing.T) {
	for _, c := range []struct{ reason, schema, want string }{
		{"an object", `{"type":"object"}`, "object"},
		{"a list", `{"type":"array","items":{}}`, "array"},
		{"both", `{"type":["object","array"]}`, "object array"},
		{"neither", `{"type":"string"}`, ""},
		{"members without a type", `{"properties":{"a":{}},"required":["a"]}`, "object"},
		{"elements without a type", `{"items":{}}`, "array"},
		{"one of two objects", `{"anyOf":[{"type":"object"},{"properties":{}}]}`, "object"},
		{"an object or a list", `{"oneOf":[{"type":"object"},{"type":"array"}]}`, "object array"},
		{"an object, described in parts", `{"allOf":[{"type":"object"},{"description":"a"}]}`, "object"},
		{"anything", `{}`, "object array"},
		{"what is not read", `{"$ref":"#/$defs/a"}`, "object array"},
		{"nothing", `false`, ""},
	} {
		have := ""
		for _, kind := range []string{"object", "array"} {
			if Takes(jsontext.JSON(c.schema), kind) {
				have += " " + kind
			}
		}
		if have = strings.TrimSpace(have); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
