package jsontext

import (
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestBlank(t *testing.T) {
	for body, want := range map[Body]bool{
		``: true, ` \n\t`: true, `\u001c\u00a0\u3000`: true, "\u2003": true, `\u200b`: false, `\ufeff`: false, `x`: false, ` x`: false, `\\`: false, `\ud800`: false,
	} {
		if have := body.Blank(); have != want {
			t.Errorf("Blank of %q: want %t, have %t", body, want, have)
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
		if body := JSON(quoted).Body(); utf8.ValidString(s) && (body.Text() != s || back != s) {
			t.Errorf("want %q, have %q", s, body.Text())
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
		c := JSON(s).Cursor()
		for range c.Members() {
			for range c.Elements() {
			}
		}
		if !json.Valid([]byte(s)) { // must end, and not panic
			return
		}
		if c.At > len(s) {
			t.Errorf("want the cursor within %d bytes, have it at %d", len(s), c.At)
		}
		if compact := AppendCompact(nil, s); !json.Valid(compact) {
			t.Errorf("want JSON, have %q", compact)
		}
	})
}

// TestDescribe protects that messages about the structure of a value name its members where these are the words of a format, and nothing
// that may be private: no value, no sentence, address or number as a name.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{`"Ada"`, "a string"},
		{`17`, "a number"},
		{``, "nothing"},
		{`[]`, "an empty array"},
		{`{ }`, "an empty object"},
		{`[{"role": 1}]`, "an array"},
		{`{"roel": "user", "content": "Ada"}`, "an object with roel, content"},
		{`{"a": 1, "a": 2, "b": 3}`, "an object with a, b"},
		{`{"a": 1, "Ada Lovelace": 2, "ada@engines.org": 3, "+49301": 4, "49301": 5, "": 6}`, "an object with a and 5 more"},
		{`{"Ada Lovelace": 2}`, "an object"},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`, "an object with a, b, c, d, e, f and 2 more"},
	} {
		if have := Describe(JSON(c.value)); have != c.want {
			t.Errorf("%s: want %q, have %q", c.value, c.want, have)
		}
	}
}
