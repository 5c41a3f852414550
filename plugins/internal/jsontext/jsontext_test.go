package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestAppendPython(t *testing.T) {
	for _, tt := range []struct {
		reason, in, want string
		layout           Python
	}{
		{"separators", `{"b":1,"a":[1,2]}`, `{"b": 1, "a": [1, 2]}`, Python{}},
		{"keys sorted at every level", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a": [{"y": 2, "z": 1}], "b": {"c": 2, "d": 1}}`, Python{SortKeys: true}},
		{"keys sort by code point, not by UTF-16", `{"\ud83d\ude00":1,"\uffee":2}`, "{\"\uffee\": 2, \"😀\": 1}", Python{SortKeys: true}},
		{"a key that stands twice keeps its first place and last value", `{"a":1,"b":2,"a":3}`, `{"a": 3, "b": 2}`, Python{}},
		{"empty containers stay on one line", `{"a":{ },"b":[ ]}`, "{\n  \"a\": {},\n  \"b\": []\n}", Python{Indent: 2}},
		{"indent", `[{"a":[1]}]`, "[\n  {\n    \"a\": [\n      1\n    ]\n  }\n]", Python{Indent: 2}},
		{"only what must be escaped is", `"\u00e9\/\u003c\u007f\u2028\u0000\u001F\b\f\n\r\t\"\\"`, "\"é/<\u007f\u2028\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\\"", Python{}},
		{"a lone surrogate stays an escape", `"\uD800x\udfff"`, `"\ud800x\udfff"`, Python{}},
		{"a pair becomes its character", `"\ud83d\ude00"`, `"😀"`, Python{}},
		{"floats", `[1.0,1e2,1E+2,0.1,100000.0,1.10,-2.50e-3,0e5,-0.0,-0]`, `[1.0, 100.0, 100.0, 0.1, 100000.0, 1.1, -0.0025, 0.0, -0.0, 0]`, Python{}},
		{"large and small floats", `[1e15,1e16,123456789012345678.0,0.0001,0.00001,5e-324]`, `[1000000000000000.0, 1e+16, 1.2345678901234568e+17, 0.0001, 1e-05, 5e-324]`, Python{}},
		{"too large a float", `[1e400,-1e400]`, `[Infinity, -Infinity]`, Python{}},
		{"integers of any size", `18446744073709551616`, `18446744073709551616`, Python{}},
		{"literals", `[true,false,null]`, `[true, false, null]`, Python{}},
	} {
		if have := string(AppendPython(nil, tt.in, tt.layout)); have != tt.want {
			t.Errorf("%s: want %s, have %s", tt.reason, tt.want, have)
		}
	}
}

func TestPythonStr(t *testing.T) {
	for _, tt := range []struct{ reason, in, want string }{
		{"a string is itself", `"it's"`, `it's`},
		{"literals", `[null,true,false,1,1.50,1e400]`, `[None, True, False, 1, 1.5, inf]`},
		{"quotes", `["it's","say \"x\"","both ' and \""]`, `["it's", 'say "x"', 'both \' and "']`},
		{"escapes", `["\\\n\r\t\u0001\u007f\u00a0\u200b\ud800"]`, `['\\\n\r\t\x01\x7f\xa0\u200b\ud800']`},
		{"printable text stays", `["é😀"]`, `['é😀']`},
		{"objects", `{"a":{"b":[]}}`, `{'a': {'b': []}}`},
	} {
		if have := PythonStr(tt.in); have != tt.want {
			t.Errorf("%s: want %s, have %s", tt.reason, tt.want, have)
		}
	}
}

func TestTruthy(t *testing.T) {
	for value, want := range map[string]bool{
		``: false, `null`: false, `false`: false, `0`: false, `-0.0`: false, `0e5`: false, `""`: false, `[ ]`: false, `{}`: false,
		`true`: true, `1`: true, `1e400`: true, `" "`: true, `[0]`: true, `{"a":0}`: true,
	} {
		if have := Truthy(value); have != want {
			t.Errorf("Truthy(%s): want %t, have %t", value, want, have)
		}
	}
}

func TestBlank(t *testing.T) {
	for body, want := range map[string]bool{
		``: true, ` \n\t`: true, `\u001c\u00a0\u3000`: true, "\u2003": true, `\u200b`: false, `\ufeff`: false, `x`: false, ` x`: false, `\\`: false, `\ud800`: false,
	} {
		if have := Blank(body); have != want {
			t.Errorf("Blank(%q): want %t, have %t", body, want, have)
		}
	}
	for r := rune(0); r < 0x3100; r++ {
		if want := unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f; IsSpace(r) != want {
			t.Errorf("IsSpace(%#x): want %t", r, want)
		}
	}
}

func FuzzStrings(f *testing.F) {
	f.Add("plain")
	f.Add("a\"b\\c\n\x00é😀\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("want JSON, have %q: %v", quoted, err)
		}
		if body, _ := Quoted(string(quoted)); utf8.ValidString(s) && (Unquote(body) != s || back != s) {
			t.Errorf("want %q, have %q", s, Unquote(body))
		}
		var inner string
		if err := json.Unmarshal([]byte(`"`+string(AppendEscaped(nil, string(quoted)))+`"`), &inner); err != nil || inner != string(quoted) {
			t.Errorf("want %q inside a string, have %q, %v", quoted, inner, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c\\\""}],"d":null}`)
	f.Add(`[{"a":1]`)
	f.Add(`{"a"`)
	f.Add(`{"a":]`)
	f.Fuzz(func(t *testing.T, s string) {
		c := Cursor{Text: s}
		have := AppendPython(nil, s, Python{})
		if !json.Valid([]byte(s)) {
			for range c.Members() {
			}
			return
		}
		var want, got any
		if json.Unmarshal([]byte(s), &want) != nil || bytes.Contains(have, []byte("Infinity")) || strings.Contains(s, "-0") { // Python reads -0 as an int
			return
		}
		if err := json.Unmarshal(have, &got); err != nil {
			t.Fatalf("want JSON, have %q: %v", have, err)
		}
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if !bytes.Equal(w, g) {
			t.Errorf("want %s, have %s", w, g)
		}
		if compact := AppendCompact(nil, s); !json.Valid(compact) {
			t.Errorf("want JSON, have %q", compact)
		}
	})
}
