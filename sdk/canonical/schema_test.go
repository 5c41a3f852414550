package canonical

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestTypes holds what becomes of the words that corpora have for types.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"string", `{"type":"string"}`},
		{"STRING", `{"type":"string"}`},
		{"str, optional", `{"type":"string"}`},
		{"Optional[int]", `{"type":"integer"}`},
		{"int | None", `{"type":"integer"}`},
		{"Union[str, None]", `{"type":"string"}`},
		{"Union[str, int]", `{}`},
		{"int | str", `{}`},
		{"List[str]", `{"type":"array","items":{"type":"string"}}`},
		{"Sequence[str]", `{"type":"array","items":{"type":"string"}}`},
		{"list of str", `{"type":"array","items":{"type":"string"}}`},
		{"Optional[List[float]]", `{"type":"array","items":{"type":"number"}}`},
		{"Dict[str, int]", `{"type":"object"}`},
		{"HashMap", `{"type":"object"}`},
		{"np.ndarray", `{"type":"array"}`},
		{"bytes", `{"type":"string"}`},
		{"date", `{"type":"string"}`},
		{"Literal['x', 'Y'], optional", `{"enum":["x","Y"]}`},
		{"Literal[1, 2]", `{"enum":[1,2]}`},
		{"Any", `{}`},
		{"Widget", `{"type":"Widget"}`},
		{"Literal[x]", `{"type":"Literal[x]"}`},
		{"|", `{"type":"|"}`},
	} {
		schema, types, _ := ToolSpec{Parameters: jsontext.JSON(`{"type":"object","properties":{"p":{"type":"` + c.word + `"}}}`)}.Schema()
		have := schema.Get("properties").Get("p")
		if types != (c.want != `{"type":"`+c.word+`"}`) {
			t.Errorf("%s: want a report of a change where there is one, have %t", c.word, types)
		}
		if string(have) != c.want {
			t.Errorf("%s: want %s, have %s", c.word, c.want, have)
		}
	}
}

// TestSchema holds the one rule by which all steps read what a tool says of its input.
func TestSchema(t *testing.T) {
	const types, nulls = "types", "nulls"
	for _, c := range []struct{ reason, parameters, want, counts string }{
		{"a schema keeps its bytes", `{ "type":"object", "properties":{"a":{"type": "string"}} }`, "same", ""},
		{"unknown words stay", `{"type":"object","properties":{"a":{"type":"string","x-note":{"n":null}}},"additionalProperties":false}`, "same", ""},
		{"none", ``, "same", ""},
		{"true, which is no object", `true`, "", ""},
		{"nothing said", `{}`, `{"type":"object","properties":{}}`, ""},
		{"an empty object of PHP", `[]`, `{"type":"object","properties":{}}`, ""},
		{"a list of names", `["a"]`, "", ""},
		{"a schema without a type", `{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		{"a schema of any type", `{"type":"any","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, types},
		{"alternatives", `{"anyOf":[{"type":"object"}]}`, "same", ""},

		{"parameters by name", `{"city":{"type":"str","description":"c"}}`, `{"type":"object","properties":{"city":{"type":"string","description":"c"}},"required":["city"]}`, types},
		{"by name, not all required", `{"a":{"type":"str, optional"},"b":{"type":"int","default":1},"c":{"type":"int","required":false}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":1},"c":{"type":"integer"}}}`, types},
		{"by name, with the names of words", `{"type":{"type":"string"},"properties":{"type":"string"}}`,
			`{"type":"object","properties":{"type":{"type":"string"},"properties":{"type":"string"}},"required":["type","properties"]}`, ""},
		{"by name, others of them in other rows", `{"type":null,"city":{"type":"string"},"default":null}`,
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, nulls},
		{"in a list", `[{"name":"a","type":"str","required":true},{"name":"b","schema":{"type":"integer"},"description":null}]`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, types + nulls},

		{"a type that is null", `{"type":null,"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, nulls},
		{"a number in the place of a type", `{"type":5,"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, types},
		{"true in its place", `{"type":true,"description":"d"}`, `{"type":"object","description":"d"}`, types},
		{"an object in its place", `{"type":{},"properties":{"a":{"type":{"x":1}}}}`, `{"type":"object","properties":{"a":{}}}`, types},
		{"properties that are null", `{"type":"object","properties":null,"required":null}`, `{"type":"object"}`, nulls},
		{"all null", `{"type":null,"properties":null}`, `{"type":"object","properties":{}}`, nulls},
		{"members of other rows, at any depth", `{"type":"object","properties":{"a":{"type":"array","enum":null,"items":{"type":"object","description":null,"properties":{"b":{"anyOf":[{"type":"string","pattern":null}]},"x":null}}},"x":null},"$defs":{"d":{"not":{"title":null}},"x":null},"if":{"const":1,"x":null},"dependentRequired":{"a":["b"],"x":null}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"anyOf":[{"type":"string"}]}}}}},"$defs":{"d":{"not":{}}},"if":{"const":1},"dependentRequired":{"a":["b"]}}`, nulls},
		{"null as a value", `{"type":"object","properties":{"a":{"default":null},"b":{"const":null},"c":{"enum":["a",null]},"d":{"examples":[null]},"e":{"default":{"x":null}},"f":{"type":"null"},"g":{"type":["string","null"]}}}`, "same", ""},
		{"properties with the names of such words", `{"type":"object","properties":{"default":null,"const":null,"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, nulls},
		{"the others keep their bytes", `{"type":"object","properties":{"a":{"type": "string"},"x":null}}`, `{"type":"object","properties":{"a":{"type": "string"}}}`, nulls},

		{"items beside a list of Python", `{"type":"object","properties":{"a":{"type":"List[str]","items":{"type":"integer"}},"b":{"items":{"type":"integer"},"type":"List[str]"}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"items":{"type":"integer"},"type":"array"}}}`, types},
		{"choices beside a Literal", `{"type":"object","properties":{"a":{"enum":["x","y"],"type":"Literal['x']"}}}`, `{"type":"object","properties":{"a":{"enum":["x","y"]}}}`, types},
		{"a key twice", `{"type":"object","type":"array","properties":{"a":{"title":"1","title":"2"},"a":{"title":"3","title":"4"}}}`, `{"type":"array","properties":{"a":{"title":"4"}}}`, ""},
	} {
		want, counts := jsontext.JSON(c.want), ""
		if want == "same" {
			want = jsontext.JSON(c.parameters)
		}
		have, hasTypes, hasNulls := ToolSpec{Parameters: jsontext.JSON(c.parameters)}.Schema()
		if hasTypes {
			counts = types
		}
		if hasNulls {
			counts += nulls
		}
		if have != want || counts != c.counts {
			t.Errorf("%s: want %q %s, have %q %s", c.reason, c.counts, want, counts, have)
		}
		if again, a, b := (ToolSpec{Parameters: have}).Schema(); again != have || a || b {
			t.Errorf("%s: want the schema as it is the second time, have %s", c.reason, again)
		}
	}
	many := []byte(`{"type":"object","properties":{"x":null`)
	for i := range 100 {
		many = fmt.Appendf(many, `,"p%d":{"title":"%d"}`, i%50, i)
	}
	schema, _, _ := ToolSpec{Parameters: jsontext.JSON(append(many, "}}"...))}.Schema()
	if n, at := strings.Count(string(schema), "title"), schema.Get("properties").Get("p49").Get("title"); n != 50 || at != `"99"` {
		t.Errorf("many keys twice: want each once, with its last value, have %d and %s", n, at)
	}
}
