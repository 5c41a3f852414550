package calls

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestLiteral(t *testing.T) {
	for _, c := range []struct{ reason, in, want, rest string }{
		{"JSON stays what it is", `{"a": [1, 2.50, -3e5, true, null, "x"]} tail`, `{"a":[1,2.50,-3e5,true,null,"x"]}`, " tail"},
		{"Python quotes and words", `{'a': True, "b": None, 'c': False}`, `{"a":true,"b":null,"c":false}`, ""},
		{"an apostrophe inside single quotes", `{'a': 'it's fine', 'b': 'd'}`, `{"a":"it's fine","b":"d"}`, ""},
		{"an escaped apostrophe", `{'a': 'it\'s'}`, `{"a":"it's"}`, ""},
		{"JSON in single quotes, as Glaive has it", `{"name": "f", "arguments": '{"a": "it's {x}"}'}`, `{"name":"f","arguments":"{\"a\": \"it's {x}\"}"}`, ""},
		{"JSON with escapes in single quotes stays JSON", `'{"a": "1\n2"}'`, `"{\"a\": \"1\\n2\"}"`, ""},
		{"a tuple is a list", `(1, 'a')`, `[1,"a"]`, ""},
		{"a value in parentheses is itself", `('a')`, `"a"`, ""},
		{"a tuple of one", `('a',)`, `["a"]`, ""},
		{"a comma too many", `{"a": [1,],}`, `{"a":[1]}`, ""},
		{"numbers that only Python has", `[.5, 5., +1]`, `[0.5,5.0,1]`, ""},
		{"number keys become strings", `{1: 'a'}`, `{"1":"a"}`, ""},
		{"code points", `'\u00e9\x41\U0001F600\ud83d\ude00'`, `"éA😀😀"`, ""},
		{"a lone surrogate stays", `"\ud800x"`, `"\ud800x"`, ""},
		{"an unknown escape stays", `'\d+'`, `"\\d+"`, ""},
		{"line breaks inside a string", "\"a\nb\"", `"a\nb"`, ""},
	} {
		have, rest, err := Literal(nil, c.in)
		if err != nil || string(have) != c.want || rest != c.rest {
			t.Errorf("%s: want %s and %q, have %s and %q (%v)", c.reason, c.want, c.rest, have, rest, err)
		}
	}
}

func TestLiteralErrors(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"nothing", ``, `want a value, have the end at byte 0`},
		{"a word", `hello`, `want a value, have 'h' at byte 0`},
		{"a word that begins like one that is known", `Nonesuch`, `want a value, have 'N' at byte 0`},
		{"not a number is no JSON", `[NaN]`, `want a value, have 'N' at byte 1`},
		{"an open object", `{"a": 1`, `want ',' or '}', have the end at byte 7`},
		{"an open string", `"abc`, `want a string that ends, have '"' at byte 0`},
		{"a number with a leading zero", `007`, `want a number, have '0' at byte 0`},
		{"a number with letters", `12ab`, `want the end of a number, have 'a' at byte 2`},
	} {
		_, _, err := Literal(nil, c.in)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

// FuzzLiteral holds that what is read is JSON, and that JSON is read as the value it is.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`{"a":'b'}`, `'{"a": 1}'`, `[(1,),'x']`, `"\ud800"`, `'it's'`, `{"a":1e5}`, `'\u12'`, "'\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		have, rest, err := Literal(nil, s)
		if err != nil {
			if json.Valid([]byte(s)) && !deep(s) {
				t.Fatalf("want JSON read, have %v", err)
			}
			return
		}
		if len(rest) > len(s) || !json.Valid(have) {
			t.Fatalf("want JSON from %q, have %s", s, have)
		}
		var want, again any
		if json.Unmarshal([]byte(s), &want) == nil {
			if err := json.Unmarshal(have, &again); err != nil || !equal(want, again) {
				t.Fatalf("want %q unchanged, have %s (%v)", s, have, err)
			}
		}
	})
}

// TestLiteralGrows holds that quotes in quotes do not make the reader try again and again: its work is in proportion to the text.
func TestLiteralGrows(t *testing.T) {
	reads := sdk.Func(func(_ context.Context, r *sdk.Record, _ func(*sdk.Record)) error {
		Literal(nil, jsontext.Of(r.JSON()).Get("in").Text())
		return nil
	})
	plugin := sdk.Plugin{Name: "literal", Doc: "reads a literal", New: func(sdk.Args) (sdk.Processor, error) { return reads, nil }}
	for _, c := range []struct{ reason, begin, unit string }{
		{"values that each may be one in quotes", "[", `'[1,',`},
		{"objects in quotes in objects in quotes", "", `{'a':'{'a':'`},
		{"objects in quotes", "", `'{'a':`},
		{"lists in quotes in lists", "", `['[',`},
		{"lists in quotes", "", `'['`},
		{"lists in quotes between members", "", `{'a':'[','b':'`},
		{"keys of objects in quotes", "", `['{':`},
		{"objects in quotes between members", "", `{'a':'{','b':`},
	} {
		for _, end := range []string{"", "'}"} {
			t.Run(c.reason+end, func(t *testing.T) {
				sdktest.Grows(t, plugin, "", func(n int) []byte {
					return []byte(`{"in":"` + c.begin + strings.Repeat(c.unit, n) + strings.Repeat(end, n) + `"}`)
				})
			})
		}
	}
}

func equal(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func deep(s string) bool {
	depth, most := 0, 0
	for _, c := range s {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		most = max(most, depth)
	}
	return most > maxDepth
}
