package notation

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestReadCalls holds the contents that are calls, and that they are written again as they stood.
func TestReadCalls(t *testing.T) {
	params := func(function string) []string {
		if function == "play" {
			return []string{"artist", "name"}
		}
		return nil
	}
	for _, c := range []struct {
		reason, tool, language, content, want string
		style                                 Style
	}{
		{"an object", "w", "json", `{"a":1}`, `w{"a":1}`, "compact"},
		{"as Python writes it", "w", "json", `{"a": 1, "b": [1, 2]}`, `w{"a":1,"b":[1,2]}`, "spaced"},
		{"indented", "w", "json", "{\n  \"a\": {}\n}", `w{"a":{}}`, "indent2"},
		{"otherwise", "w", "json", `{"a" : 1}`, `w{"a":1}`, ""},
		{"a list", "w", "json", `[{"a":1},{"a":2}]`, `w{"a":1} w{"a":2}`, "list-compact"},
		{"a list of one", "w", "json", `[{"a":1}]`, `w{"a":1}`, "list-compact"},
		{"a list of something else", "w", "json", `[1]`, `w{"json":"[1]"}`, Verbatim},
		{"lines", "w", "jsonl", "{\"a\":1}\n{\"a\":2}", `w{"a":1} w{"a":2}`, "compact"},
		{"YAML", "w", "yaml", "a: 1\nb:\n  - c", `w{"a":1,"b":["c"]}`, "compact"},
		{"a text in YAML", "w", "yaml", "hello", `w{"yaml":"hello"}`, Verbatim},
		{"Python by name", "tools", "python", "play(artist=\"A\", loud=True)\nstop()", `play{"artist":"A","loud":true} stop{}`, "compact"},
		{"Python by place, over lines", "tools", "python", "play(\n    'A',  # who\n    name=\"B\",\n)", `play{"artist":"A","name":"B"}`, ""},
		{"too many by place", "tools", "python", "play(1, 2, 3)", `tools{"python":"play(1, 2, 3)"}`, Verbatim},
		{"what Python cannot name", "tools", "python", `play(artist="A", **{"class": "x", "a b": None})`, `play{"artist":"A","class":"x","a b":null}`, "compact"},
		{"a program", "tools", "python", "x = 1\nplay(x)", `tools{"python":"x = 1\nplay(x)"}`, Verbatim},
		{"a tool's own name", "play", "python", `play(artist="A")`, `play{"artist":"A"}`, "compact"},
		{"functions of a tool", "music", "python", `play(artist="A")`, `music{"python":"play(artist=\"A\")"}`, Verbatim},
	} {
		made, style := ReadCalls(c.tool, c.language, c.content, params)
		var have []string
		for _, call := range made {
			have = append(have, call.Name.Text()+string(call.Args))
		}
		if text := strings.Join(have, " "); text != c.want || style != c.style {
			t.Errorf("%s: want %s in %q, have %s in %q", c.reason, c.want, c.style, text, style)
		}
		if back := WriteCalls(c.language, style, made); style != "" && back != c.content {
			t.Errorf("%s: want %s again, have %s", c.reason, c.content, back)
		}
	}
}

func TestConform(t *testing.T) {
	const city = `{"type":"object","properties":{"city":{"type":"string","enum":["a","b"]},"n":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"type":"string"},"maxItems":1}},"required":["city"],"additionalProperties":false}`
	for _, c := range []struct{ reason, schema, value, want string }{
		{"it fits", city, `{"city":"a","n":2.0,"tags":["x"]}`, ""},
		{"a member is missing", city, `{"n":1}`, "no city"},
		{"another type", city, `{"city":5}`, "a value of type number at city"},
		{"none of the enum", city, `{"city":"c"}`, "another value than those of the enum at city"},
		{"no integer", city, `{"city":"a","n":1.5}`, "a value of type number at n"},
		{"too small", city, `{"city":"a","n":0}`, "a value out of bounds at n"},
		{"too many", city, `{"city":"a","tags":["x","y"]}`, "a value out of bounds at tags"},
		{"in a list", city, `{"city":"a","tags":[1]}`, "a value of type number at tags.0"},
		{"one too much", city, `{"city":"a","ann@example.org":1}`, "a value at (another member) where none may be"},
		{"alternatives", `{"anyOf":[{"type":"string"},{"const":1}]}`, `2`, "a value that fits none of the alternatives at the top"},
		{"an alternative", `{"oneOf":[{"type":"string"},{"const":1}]}`, `1`, ""},
		{"a list of types", `{"type":["string","null"]}`, `null`, ""},
		{"a constant in another spelling and order", `{"const":{"a":["x"],"b":1}}`, `{"b":1,"\u0061":["\u0078"]}`, ""},
		{"a type in escapes", `{"\u0074ype":"\u0061rray"}`, `{}`, "a value of type object at the top"},
		{"a reference allows all", `{"$ref":"#/x"}`, `1`, ""},
		{"a huge exponent", `{"type":"integer"}`, `1e999999`, "a value of type number at the top"},
	} {
		if have := Conform(jsontext.JSON(c.schema), jsontext.JSON(c.value)); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
