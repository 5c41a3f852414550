package toolschema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadRust(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"the document's example", "// eg: get_page(\"https://example.com\")\nstruct GetPage {\n    url: String\n}",
			`{"type":"object","properties":{"url":{"type":"string"}},"required":["url"],"description":"eg: get_page(\"https://example.com\")"}`},
		{"types of the library", "pub struct A<'a> { pub a: &'a str, b: Option<u8>, c: Vec<f64>, d: HashMap<String, bool>, e: std::collections::BTreeSet<i64>, f: (), g: serde_json::Value, h: [u8; 4], i: Box<char>, j: (i32, String), }",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]},"c":{"type":"array","items":{"type":"number"}},"d":{"type":"object","additionalProperties":{"type":"boolean"}},"e":{"type":"array","items":{"type":"integer"}},"f":{"type":"null"},"g":{},"h":{"type":"array","items":{"type":"integer","minimum":0}},"i":{"type":"string"},"j":{"type":"array"}},"required":["a","c","d","e","f","g","h","i","j"]}`},
		{"serde's attributes", "#[derive(Debug, Deserialize)]\n#[serde(rename_all = \"camelCase\", deny_unknown_fields)]\nstruct A {\n  user_id: String,\n  #[serde(rename = \"type\")]\n  kind: String,\n  #[serde(default)] max_count: i32, // how many\n  #[serde(skip)] cache: String,\n  #[serde(rename(serialize = \"out\", deserialize = \"in\"))] r#in: bool,\n}",
			`{"type":"object","properties":{"userId":{"type":"string"},"type":{"type":"string"},"maxCount":{"type":"integer","description":"how many"},"in":{"type":"boolean"}},"required":["userId","type","in"],"additionalProperties":false}`},
		{"a type in a type, and one flattened", "struct A { b: B, #[serde(flatten)] c: C }\nstruct B { n: f32 }\nstruct C { m: Vec<B> }",
			`{"type":"object","properties":{"b":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]},"m":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}},"required":["b","m"]}`},
		{"names as texts", "#[serde(rename_all = \"snake_case\")]\nenum Unit { Celsius, #[serde(rename = \"F\")] Fahrenheit, DegreeKelvin = 3 }", `{"type":"string","enum":["celsius","F","degree_kelvin"]}`},
		{"variants with fields", "enum A { Stop, Move { x: i32 }, Say(String) }",
			`{"anyOf":[{"type":"string","enum":["Stop"]},{"type":"object","properties":{"Move":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}},"required":["Move"]},{"type":"object","properties":{"Say":{"type":"string"}},"required":["Say"]}]}`},
		{"variants with a tag", "#[serde(tag = \"type\", rename_all = \"lowercase\")]\nenum A { Stop, Move { x: i32 }, Go(B) }\nstruct B { y: bool }",
			`{"anyOf":[{"type":"object","properties":{"type":{"const":"stop"}},"required":["type"]},{"type":"object","properties":{"type":{"const":"move"},"x":{"type":"integer"}},"required":["type","x"]},{"type":"object","properties":{"type":{"const":"go"},"y":{"type":"boolean"}},"required":["type","y"]}]}`},
		{"variants with a tag and a content", "#[serde(tag = \"t\", content = \"c\")]\nenum A { Say(String) }", `{"type":"object","properties":{"t":{"const":"Say"},"c":{"type":"string"}},"required":["t","c"]}`},
		{"variants without a tag", "#[serde(untagged)]\nenum A { N(f64), S { s: String } }", `{"anyOf":[{"type":"number"},{"type":"object","properties":{"s":{"type":"string"}},"required":["s"]}]}`},
		{"types that stand alone", "struct A { a: String }\n\n/// Loads.\nstruct B { b: Id }\ntype Id = u32;", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer","minimum":0}},"required":["b"],"description":"Loads."}]}`},
		{"a function", "use serde::Deserialize;\n/// Gets a page.\npub async fn get_page(url: &str, depth: Option<u8>) -> Result<String, Error>;", `{"type":"object","properties":{"url":{"type":"string"},"depth":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}},"required":["url"],"description":"Gets a page."}`},
		{"a newtype", "struct Id(pub String);", `{"type":"string"}`},
		{"no fields, and an implementation", "struct Pause;\nimpl Pause { fn f(&self) -> bool { true } }", `{"type":"object","properties":{}}`},
		{"a type of itself", "struct A { next: Option<Box<B>> }\nstruct B { n: bool, b: Vec<C> }\nstruct C;", `{"type":"object","properties":{"next":{"anyOf":[{"type":"object","properties":{"n":{"type":"boolean"},"b":{"type":"array","items":{"type":"object","properties":{}}}},"required":["n","b"]},{"type":"null"}]}}}`},
		{"an unknown type", "struct A { at: DateTime<Utc> }", `{"type":"object","properties":{"at":{}},"required":["at"]}`},
		{"names that are keywords elsewhere", "struct A { from: String, class: u8, r#type: bool }", `{"type":"object","properties":{"from":{"type":"string"},"class":{"type":"integer","minimum":0},"type":{"type":"boolean"}},"required":["from","class","type"]}`},
		{"two of one name", "struct A;\nstruct A;", ""},
		{"too deep", "struct A { a: " + strings.Repeat("Vec<", 200) + "u8" + strings.Repeat(">", 200) + " }", ""},
		{"without an end", "struct A { a: String", ""},
		{"another language", "type A = { a: string }", ""},
		{"nothing", "// none", ""},
	} {
		have, ok := ReadRust(c.text)
		if ok != (c.want != "") || ok && cmp.Diff(tree(t, c.want), tree(t, have)) != "" {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestReadRustGrows holds that types which are part of each other, or often of others, make no huge schema.
func TestReadRustGrows(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		name, next := string(rune('A'+i%26))+strings.Repeat("x", i/26), string(rune('A'+(i+1)%26))+strings.Repeat("x", (i+1)/26)
		b.WriteString("struct " + name + " { a: " + next + ", b: Vec<" + next + ">, c: Option<" + next + "> }\n")
	}
	schema, ok := ReadRust(b.String() + "struct Tree { left: Option<Box<Tree>>, right: Option<Box<Tree>> }")
	if !ok || len(schema) > 1<<20 {
		t.Errorf("want a schema of less than 1 MiB, have %d bytes (%v)", len(schema), ok)
	}
}
