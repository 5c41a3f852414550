package notation

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestReadYAML(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a mapping, comments", "# a\nurl: https://x.org/a#b # c\nn: 1\nok: true\nnone:\n", `{"url":"https://x.org/a#b","n":1,"ok":true,"none":null}`},
		{"lists, in and below a key", "a:\n- 1\n- b: 2\n  c: 3\nd:\n  - - x\n    - y\n", `{"a":[1,{"b":2,"c":3}],"d":[["x","y"]]}`},
		{"flow collections over lines", "a: [1, 'two',\n  {b: \"c\"}]\n", `{"a":[1,"two",{"b":"c"}]}`},
		{"a bracket alone on its line", "a: [\n  x,\n  y # why\n]\nb: {\n}", `{"a":["x","y"],"b":{}}`},
		{"block scalars", "a: |-\n  one\n   two\nb: >\n  one\n  two\n\n  three\n", `{"a":"one\n two","b":"one two\nthree\n"}`},
		{"a plain scalar of lines", "a: one\n  two\n", `{"a":"one two"}`},
		{"quotes", `"a b": 'it''s'`, `{"a b":"it's"}`},
		{"a scalar alone", "just text", `"just text"`},
		{"brackets that do not fit", "a: [1,\n b: }", ""},
		{"a list and a key", "- a\nb: c", ""},
		{"a key in a plain scalar", "a: b: c", ""},
		{"a tab as indentation", "a:\n\tb: 1", ""},
		{"an indentation of nothing", "a: 1\n  b: 2", ""},
		{"a quote without its end", `a: "b`, ""},
		{"an anchor", "a: &x 1\nb: *x", "unknown"},
		{"an alias of nothing", "a: *x", ""},
		{"a tag", "a: !!str 1", "unknown"},
		{"a key that is a list", "? [a]\n: b", "unknown"},
		{"numbers as they are spelled", "[1.50, +2e3, 007, 0x1F, 1_000, .5]", `[1.50,2e3,"007","0x1F","1_000",".5"]`},
		{"words of older versions", "[yes, No, on]", `["yes","No","on"]`},
		{"escapes of JSON", `{"a":"\/\ud83d\ude00\\/"}`, `{"a":"/😀\\/"}`},
		{"nothing", "", "null"},
		{"lists as deep as they may be", strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
		{"lists that are too deep", strings.Repeat("[", 102) + strings.Repeat("]", 102), ""},
		{"a megabyte of brackets", strings.Repeat("[", 1<<20), ""},
		{"a megabyte of dashes", strings.Repeat("- ", 1<<19), ""},
		{"a megabyte of keys in each other", strings.Repeat("{a: ", 1<<18), ""},
		{"two documents", "a: 1\n---\nb: 2", "unknown"},
	} {
		json, verdict := ReadYAML(c.text)
		have := string(json)
		if verdict == YAMLUnknown {
			have = "unknown"
		}
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// FuzzYAML holds that JSON comes back from the YAML that is written for it.
func FuzzYAML(f *testing.F) {
	for seed := range int64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		value, err := json.Marshal(valueOf(rand.New(rand.NewSource(seed)), 3))
		if err != nil {
			t.Fatal(err)
		}
		text := string(AppendYAML(nil, jsontext.Of(value)))
		back, verdict := ReadYAML(text)
		if verdict != YAMLRead {
			t.Fatalf("want %s back, have none from\n%s", value, text)
		}
		if diff := cmp.Diff(tree(t, string(value)), tree(t, back)); diff != "" {
			t.Errorf("from\n%s\n(-want +have):\n%s", text, diff)
		}
	})
}

func valueOf(r *rand.Rand, depth int) any {
	words := []any{"a", "yes", "12", "a: b", "- c", " edge ", "line\nline", "#", "", "é \u0085\u007f", "it's \"so\"", "null", 1, -2.5, true, nil, "{", "[x", "&a", "a b.c/d-e", "key:", "?"}
	switch n := r.Intn(6); {
	case depth > 0 && n == 0:
		list := []any{}
		for range r.Intn(4) {
			list = append(list, valueOf(r, depth-1))
		}
		return list
	case depth > 0 && n < 4:
		object := map[string]any{}
		for range r.Intn(4) {
			if key, ok := words[r.Intn(len(words))].(string); ok {
				object[key] = valueOf(r, depth-1)
			}
		}
		return object
	}
	return words[r.Intn(len(words))]
}

func tree[T ~string](t *testing.T, text T) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("want JSON, have %q: %v", text, err)
	}
	return v
}
