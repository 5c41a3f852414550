package jsontext

import (
	"strings"
	"testing"
)

func TestReplaceLone(t *testing.T) {
	const lone, replaced = `\ud83d`, `\ufffd`
	for _, c := range []struct {
		reason, in, want string
		n                int
	}{
		{"no escape", `{"a":"é"}`, `{"a":"é"}`, 0},
		{"a pair", `"😀"`, `"😀"`, 0},
		{"a pair of escapes", `"\ud83d\ude00\u00e9"`, `"\ud83d\ude00\u00e9"`, 0},
		{"a high one at the end", `"x\ud83d"`, `"x` + replaced + `"`, 1},
		{"a low one, in capitals", `"\uDE00x"`, `"` + replaced + `x"`, 1},
		{"two high ones before a low one", `"\ud83d\ud83d\ude00"`, `"` + replaced + `\ud83d\ude00"`, 1},
		{"in a key", `{"\udc00":1}`, `{"` + replaced + `":1}`, 1},
		{"a backslash before the letters of an escape", `"\\ud83d"`, `"\\ud83d"`, 0},
		{"a backslash, and an escape", `"\\` + lone + `"`, `"\\` + replaced + `"`, 1},
		{"backslashes without end", `"` + strings.Repeat(`\\`, 50) + `u"`, `"` + strings.Repeat(`\\`, 50) + `u"`, 0},
		{"many", `"` + strings.Repeat(lone+"x", 3) + `"`, `"` + strings.Repeat(replaced+"x", 3) + `"`, 3},
	} {
		text := []byte(c.in)
		if n := ReplaceLone(text); n != c.n || string(text) != c.want {
			t.Errorf("%s: want %d and %s, have %d and %s", c.reason, c.n, c.want, n, text)
		}
		if Lone(string(text), 0) >= 0 {
			t.Errorf("%s: want none left, have %s", c.reason, text)
		}
	}
}
