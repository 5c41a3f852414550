package toolschema

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

const weather = `{"type":"object","properties":{"city":{"type":"string","description":"City and country"},"unit":{"type":"string","enum":["celsius","fahrenheit"]},"days":{"type":"integer","minimum":1,"default":3},"at":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":["number","null"],"description":"north\nof it"}},"required":["x"]}}},"required":["city","at"]}`

// TestPython holds how functions are written, and that they come back.
func TestPython(t *testing.T) {
	for _, c := range []struct{ reason, description, schema, want string }{
		{"what a signature and a docstring say", "Says how warm it is.", weather, `def f(*, city: str, unit: Literal["celsius", "fahrenheit"] = ..., days: int = 3, at: list[dict]):
    """Says how warm it is.

    Args:
        city: City and country
        days (at least 1)
        at
            x (float)
            y (float | None, optional): north
                    of it
    """`},
		{"alternatives, and types of a list", "", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":["string","null"]}}}`,
			"def f(a: Union[str, None] = ..., b: str | None = ...):\n    ..."},
		{"nothing to say", "", `{"type":"object","properties":{}}`, "def f():\n    ..."},
		{"an object of which nothing is known", "Does.", `{"type":"object"}`, "def f(**kwargs):\n    \"\"\"Does.\"\"\""},
		{"what Python has no word for is JSON", "", `{"type":"object","additionalProperties":false,"$schema":"s","properties":{"a":{"const":1}}}`,
			"def f(a: Any = ...):\n    \"\"\"\n    Args (with no other members, {\"$schema\":\"s\"}):\n        a ({\"const\":1})\n    \"\"\""},
		{"quotes and backslashes", `say "\d"`, `{"type":"object"}`, "def f(**kwargs):\n    \"\"\"say \"\\\\d\\\"\"\"\""},
		{"several lines", "a\n\n    b", `{"type":"object"}`, "def f(**kwargs):\n    \"\"\"a\n\n        b\n    \"\"\""},
		{"no object", "", `{"type":"string"}`, ""},
		{"a name that Python cannot write", "", `{"type":"object","properties":{"x-y":{"type":"string"}}}`, ""},
		{"text that ends with a blank line", "a\n", `{"type":"object","properties":{"x":{"description":"a\n"}}}`, ""},
	} {
		have, ok := Python(Function{"f", c.description, jsontext.JSON(c.schema)})
		if diff := cmp.Diff(c.want, have); ok != (c.want != "") || ok && diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestReadPython holds functions as people write them.
func TestReadPython(t *testing.T) {
	for _, c := range []struct{ reason, text, want, description string }{
		{"a signature alone", "# plays a song\nplay(artist: str, name: str)", `{"type":"object","properties":{"artist":{"type":"string"},"name":{"type":"string"}},"required":["artist","name"]}`, "plays a song"},
		{"optional and untyped", "async def play(\n    artist,\n    year: Optional[int] = None,\n) -> str:\n    pass", `{"type":"object","properties":{"artist":{},"year":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}},"required":["artist"]}`, ""},
		{"a docstring in Google's style", "def play(names: List[str]):\n    \"\"\"Plays.\n\n    Args:\n        names: of songs\n    \"\"\"\n    ...", `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"description":"of songs"}},"required":["names"]}`, "Plays."},
		{"two functions", "def a(): ...\ndef b(): ...", "", ""},
		{"a type that is not known", "def a(d: Date): ...", "", ""},
		{"an argument that is not there", "def a():\n    \"\"\"\n    Args:\n        x: y\n    \"\"\"", "", ""},
		{"no end", "def a(x: str", "", ""},
	} {
		f, ok := ReadPython(c.text)
		if ok != (c.want != "") || ok && (!Same(f.Schema, jsontext.JSON(c.want)) || f.Description != c.description) {
			t.Errorf("%s: want %s %q, have %s %q", c.reason, c.want, c.description, f.Schema, f.Description)
		}
	}
}

// TestProse holds how schemas are told in words, and that they come back.
func TestProse(t *testing.T) {
	for _, c := range []struct{ reason, schema, want string }{
		{"members", weather, `an object with these members:
- city (text, required): City and country
- unit ("celsius" or "fahrenheit", optional)
- days (whole number, at least 1, by default 3, optional)
- at (list of objects, required)
  - x (number, required)
  - y (number or null, optional): north
      of it`},
		{"none", `{"type":"object","properties":{}}`, "an empty object."},
		{"any", `{"type":"object"}`, "an object."},
		{"a list", `{"type":"array","items":{"type":"array","items":{"type":["string","null"]}}}`, "a list of lists of texts or nulls."},
		{"a list of objects", `{"type":"array","items":{"type":"object","properties":{"a b":{}}}}`, "a list of objects with these members:\n- \"a b\" (anything, optional)"},
		{"nothing else", `{"type":"object","properties":{"a":{"type":"string","maxLength":2,"pattern":"^a, (b)$"}},"additionalProperties":false}`, "an object with these members and no others:\n- a (text, at most 2 characters, matching \"^a, (b)$\", optional)"},
		{"text", `{"type":"string"}`, "text."},
		{"alternatives", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "either text or null."},
		{"what has no words", `{"type":"object","properties":{"a":{"$ref":"#/b"}}}`, ""},
		{"a description that looks like a member", `{"type":"object","properties":{"a":{"type":"object","description":"b\n- c"}}}`, "an object with these members:\n- a (object, optional): b\n    - c"},
		{"a description with the marks of a block", "{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"b\\n```\"}}}", ""},
		{"a description that ends with a blank", `{"type":"object","properties":{"a":{"description":"b\n"}}}`, ""},
	} {
		have, ok := Prose(jsontext.JSON(c.schema))
		if diff := cmp.Diff(c.want, have); ok != (c.want != "") || ok && diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
		if !ok {
			continue
		}
		back, rest, ok := ReadProse(have + "\n\nmore")
		if !ok || rest != "\n\nmore" || !Same(back, jsontext.JSON(c.schema)) {
			t.Errorf("%s: want the schema and what follows, have %s and %q", c.reason, back, rest)
		}
	}
}

// FuzzSchemas holds that prose comes back, for schemas of every kind, or says that it has no words.
func FuzzSchemas(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		schema, _ := randomly(t, seed)
		if text, ok := Prose(schema); ok {
			back, rest, ok := ReadProse(text)
			if !ok || rest != "" || !Same(back, schema) {
				t.Errorf("want %s, have %s from\n%s", schema, back, text)
			}
		}
	})
}

// TestPythonParses holds that Python's own parser reads what is written.
func TestPythonParses(t *testing.T) {
	if err := exec.Command("python3", "-c", "").Run(); err != nil {
		t.Skipf("Python is absent: %v", err)
	}
	var all []string
	for seed := range int64(400) {
		schema, description := randomly(t, seed)
		if text, ok := Python(Function{"f", description, schema}); ok {
			all = append(all, text)
		}
	}
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	parse := exec.Command("python3", "-c", "import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)")
	parse.Stdin = strings.NewReader(string(input))
	if out, err := parse.CombinedOutput(); err != nil || len(all) < 100 {
		t.Errorf("want at least 100 texts that Python reads, have %d: %v %s", len(all), err, out)
	}
}

// randomly makes a schema and a description.
func randomly(t *testing.T, seed int64) (schema jsontext.JSON, description string) {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	text, err := json.Marshal(schemaOf(r, 3))
	if err != nil {
		t.Fatal(err)
	}
	return jsontext.JSON(text), fmt.Sprint(descriptions[r.Intn(len(descriptions))])
}

// FuzzRead holds that any text ends as a schema or as none, and that a schema is JSON.
func FuzzRead(f *testing.F) {
	f.Add("an object with these members:\n- a (text, {\"a\":1}, at least 1, by default [): b\n  c")
	f.Add("def f(a: list[Literal[\"b\"]] = {}, *, b: str | None) -> str:\n    \"\"\"\n    Args ({\"x\":2}):\n        a (at least 1): b\n            c (dict)\n    \"\"\"")
	f.Fuzz(func(t *testing.T, text string) {
		if schema, _, ok := ReadProse(text); ok && !json.Valid([]byte(schema)) {
			t.Errorf("want JSON, have %q", schema)
		}
		if function, ok := ReadPython(text); ok && !json.Valid([]byte(function.Schema)) {
			t.Errorf("want JSON, have %q", function.Schema)
		}
	})
}

var descriptions = []any{"what it is", "two\nlines", "a: b (c), d", " edge", "{\"a\":1}", "", "tail\n", "say \"\"\" or \\n \"", "- a\n\n  b", 7}

// schemaOf makes a schema, most of them such as tools have.
func schemaOf(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{"type": "object"}
	pick := func(all ...any) any { return all[r.Intn(len(all))] }
	kind := r.Intn(10)
	if depth == 3 {
		kind = r.Intn(5)
	}
	switch {
	case kind < 4 && depth > 0:
		properties, required := map[string]any{}, []string{}
		for i := range r.Intn(4) {
			name := fmt.Sprint(pick("name", "name", "name", "x_y", "x-y", "a b", "größe", "\"q\""), i)
			properties[name] = schemaOf(r, depth-1)
			if r.Intn(2) == 0 {
				required = append(required, name)
			}
		}
		s["properties"] = properties
		if len(required) > 0 {
			s["required"] = required
		}
	case kind < 6:
		s["type"] = pick("string", "number", "integer", "boolean", "null", "object", []any{"string", "null"})
	case kind == 6:
		s["type"] = "array"
		if depth > 0 && r.Intn(4) > 0 {
			s["items"] = schemaOf(r, depth-1)
		}
	case kind == 7:
		s["type"], s["enum"] = pick("string", "string", "integer"), pick([]any{"a", "b, c"}, []any{"a\" or \"b"}, []any{})
	case kind == 8:
		s["type"], s["minLength"], s["maxLength"] = "string", 1, 20
	default:
		s = map[string]any{pick("const", "$ref", "anyOf").(string): pick("x", []any{map[string]any{"type": "string"}, map[string]any{"type": "null"}})}
	}
	if r.Intn(2) == 0 {
		s["description"] = pick(descriptions...)
	}
	if r.Intn(4) == 0 {
		s[pick("minimum", "format", "default", "additionalProperties", "title", "uniqueItems", "minItems").(string)] = pick(1, "a", false, nil, true, map[string]any{"a": "b"})
	}
	return s
}
