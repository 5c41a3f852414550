package toolschema

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestTypeScript(t *testing.T) {
	for _, c := range []struct{ reason, schema, want string }{
		{"properties, required or not, with comments", `{"type":"object","properties":{"location":{"type":"string","description":"City, country"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["location"]}`,
			"type T = {\n    // City, country\n    location: string\n    unit?: \"celsius\" | \"fahrenheit\"\n}"},
		{"what TypeScript has no word for stands in a comment", `{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"additionalProperties":false}`,
			"// {\"additionalProperties\":false}\ntype T = {\n    // {\"type\":\"integer\",\"minimum\":1}\n    n?: number\n}"},
		{"arrays and nested objects", `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"at":{"type":"object","properties":{"x-y":{"type":"number"}},"required":["x-y"]}}}`,
			"type T = {\n    tags?: string[]\n    at?: {\n        \"x-y\": number\n    }\n}"},
		{"a type of several is shown, and exact in the comment", `{"type":["string","null"]}`, "// {\"type\":[\"string\",\"null\"]}\ntype T = string | null"},
		{"types and literals in escapes", `{"type":"\u006fbject","properties":{"unit":{"type":"\u0073tring","enum":["\u0061","b"]},"n":{"const":"\u0061"}}}`,
			"type T = {\n    unit?: \"a\" | \"b\"\n    // {\"const\":\"\\u0061\"}\n    n?: \"a\"\n}"},
		{"nothing is said", `{}`, "type T = any"},
	} {
		have := TypeScript("T", jsontext.JSON(c.schema))
		if have != c.want {
			t.Errorf("%s: want\n%s\nhave\n%s", c.reason, c.want, have)
		}
		back, ok := ReadTypeScript(have)
		if diff := cmp.Diff(tree(t, c.schema), tree(t, back)); !ok || diff != "" {
			t.Errorf("%s: want the schema back (-want +have):\n%s", c.reason, diff)
		}
	}
}

func TestReadTypeScript(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"as people write it", "/** Weather */\ntype Get = {\n  city: string; // where\n  days?: number,\n  unit: \"c\" | \"f\"\n};", `{"type":"object","properties":{"city":{"type":"string","description":"where"},"days":{"type":"number"},"unit":{"type":"string","enum":["c","f"]}},"required":["city","unit"],"description":"Weather"}`},
		{"a list of objects", "type Response = {\n  // who\n  name: string\n}[]", `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"who"}},"required":["name"]}}`},
		{"a union of types", "type T = (string | null)[]", `{"type":"array","items":{"type":["string","null"]}}`},
		{"other literals", "type T = { v: true | 2, n: -1.5 }", `{"type":"object","properties":{"v":{"anyOf":[{"const":true},{"const":2}]},"n":{"const":-1.5}},"required":["v","n"]}`},
		{"either quotes", "type T = { u: 'c' | \"f\", \"a b\"?: 'it\\'s \"x\"' }", `{"type":"object","properties":{"u":{"type":"string","enum":["c","f"]},"a b":{"type":"string","enum":["it's \"x\""]}},"required":["u"]}`},
		{"an array by its name", "type T = Array<{ n: integer }>[]", `{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`},
		{"a default behind a property", "type T = {\n  n?: number, // default: 2\n  s?: string // default: a b\n}", `{"type":"object","properties":{"n":{"type":"number","default":2},"s":{"type":"string","default":"a b"}}}`},
		{"too deep", "type T = string" + strings.Repeat("[]", 200), ""},
		{"a string without an end", "type T = 'a", ""},
		{"two types", "// a\ntype A = { a: string }\n// b\ntype B = string;\n// end", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"description":"a"},{"type":"string","description":"b"}]}`},
		{"two types, one of another", "type A = string\ntype B = A[]", ""},
		{"an interface", "// gets\nexport interface Get {\n  city: string;\n  n?: number;\n}", `{"type":"object","properties":{"city":{"type":"string"},"n":{"type":"number"}},"required":["city"],"description":"gets"}`},
		{"an interface of another", "interface A extends B { a: string }", ""},
		{"a function", "function f(a: string): string;", ""},
		{"an unknown name", "type A = Date", ""},
	} {
		have, ok := ReadTypeScript(c.text)
		if ok != (c.want != "") || ok && cmp.Diff(tree(t, c.want), tree(t, have)) != "" {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

func TestReadNamespace(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a function of nothing, and one with properties", "Hi\nnamespace functions {\n\n// Gets the place.\n// Always.\ntype get-place = () => any;\ntype w = (_: { city: string }) => any;\n\n} // namespace functions\nBye",
			"get-place|Gets the place.\nAlways.|{\"type\":\"object\",\"properties\":{}} w||{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]} Hi\n Bye"},
		{"no list", "namespace tools {}", ""},
		{"a list that does not parse", "namespace functions { type f = Date; }", ""},
		{"a list without an end", "namespace functions { type f = () => any;", ""},
	} {
		functions, before, behind, ok := ReadNamespace(c.text)
		have := ""
		for _, f := range functions {
			have += f.Name + "|" + f.Description + "|" + string(f.Schema) + " "
		}
		if ok {
			have += before + " " + behind
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

func tree[T ~string](t *testing.T, text T) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("want JSON, have %q: %v", text, err)
	}
	return v
}

// FuzzTypeScript holds that any schema comes back as it was.
func FuzzTypeScript(f *testing.F) {
	for seed := range int64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		schema, err := json.Marshal(typedSchema(rand.New(rand.NewSource(seed)), 3))
		if err != nil {
			t.Fatal(err)
		}
		text := TypeScript("T", jsontext.JSON(schema))
		back, ok := ReadTypeScript(text)
		if !ok {
			t.Fatalf("want %s back, have none from\n%s", schema, text)
		}
		if diff := cmp.Diff(tree(t, string(schema)), tree(t, back)); diff != "" {
			t.Errorf("from\n%s\n(-want +have):\n%s", text, diff)
		}
	})
}

func typedSchema(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{}
	pick := func(all ...any) any { return all[r.Intn(len(all))] }
	switch r.Intn(10) {
	case 0, 1, 2:
		properties, required := map[string]any{}, []any{}
		for i := range r.Intn(4) {
			name := fmt.Sprint(pick("name", "x-y", "2nd", "a b", "größe", "\"q\""), i)
			properties[name] = map[string]any{"type": "string"}
			if depth > 0 {
				properties[name] = typedSchema(r, depth-1)
			}
			if r.Intn(2) == 0 {
				required = append(required, name)
			}
		}
		s["type"], s["properties"] = "object", properties
		if r.Intn(2) == 0 {
			s["required"] = required
		}
	case 3:
		s["type"] = pick("string", "number", "boolean", "null", "object", "array", "integer", []any{"string", "null"})
	case 4:
		s["enum"] = pick([]any{"a", "b"}, []any{"a"}, []any{1, "b"}, []any{}, []any{nil, true})
		if r.Intn(2) == 0 {
			s["type"] = "string"
		}
	case 5:
		s["type"] = "array"
		if depth > 0 {
			s["items"] = typedSchema(r, depth-1)
		}
	case 6:
		s[pick("anyOf", "oneOf", "allOf").(string)] = []any{typedSchema(r, 0), typedSchema(r, 0)}
	case 7:
		s["const"] = pick(1, "x", nil)
	case 8:
		s["$ref"] = "#/$defs/a"
	}
	if r.Intn(3) == 0 {
		s["description"] = pick("what it is", "two\nlines", " edge", "{\"a\":1}", "", "a // b */ `c`", "tail\n", "\u2028", 7)
	}
	if r.Intn(4) == 0 {
		s[pick("minimum", "format", "default", "additionalProperties", "title").(string)] = pick(1, "a", false, nil, map[string]any{"a": strings.Repeat("b", 3)})
	}
	return s
}
