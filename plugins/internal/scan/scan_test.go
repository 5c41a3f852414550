package scan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"a plain string is a view", `"abc"`, "abc"},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{"a pair of surrogates is one rune", `"a\ud83d\ude00b"`, "a😀b"},
		{"a lone surrogate is replaced", `"\ud800x"`, "\ufffdx"},
		{"two high surrogates are two replacements", `"\ud800\ud800"`, "\ufffd\ufffd"},
		{"what is no string is empty", `12`, ""},
	} {
		if have := Text(c.in); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

func TestBlankText(t *testing.T) {
	for _, c := range []struct {
		reason, in string
		want       bool
	}{
		{"empty", `""`, true},
		{"escaped white space", `"\n\t "`, true},
		{"Python's information separators", `"\u001c\u001f"`, true},
		{"a zero width space is text", "\"\u200b\"", false},
		{"an ideographic space is blank", "\"\u3000\"", true},
		{"text after a blank", `"\n a"`, false},
	} {
		if have := BlankText(c.in); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

// FuzzWalk holds that Members and Elements see what encoding/json sees, that Text decodes what it decodes, and that
// AppendString writes what it reads back.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[1,"x",{"c":null}],"\u0061":"\\\""}`, ` [ 1 , {} , [] , "" ] `, `"\ud83d\ude00"`, `{}`, `{"":{}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || !json.Valid([]byte(s)) {
			return
		}
		checkWalk(t, strings.Trim(s, " \t\r\n"))
	})
}

func checkWalk(t *testing.T, s string) {
	switch {
	case IsObject(s):
		want := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			return
		}
		have := map[string]json.RawMessage{}
		for k, v := range Members(s) {
			have[k] = json.RawMessage(v)
			checkWalk(t, v)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("members of %q (-want +have):\n%s", s, diff)
		}
	case IsArray(s):
		var want []json.RawMessage
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			return
		}
		have := []json.RawMessage{}
		for i, v := range Elements(s) {
			if i != len(have) {
				t.Errorf("elements of %q: want index %d, have %d", s, len(have), i)
			}
			have = append(have, json.RawMessage(v))
			checkWalk(t, v)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("elements of %q (-want +have):\n%s", s, diff)
		}
	case IsString(s):
		var want, again string
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			return
		}
		have := Text(s)
		if err := json.Unmarshal(AppendString(nil, Text(s)), &again); err != nil || again != have {
			t.Errorf("want %q written so that it reads back, have %q (%v)", have, again, err)
		}
		if want != have && !strings.Contains(want, "\ufffd") {
			t.Errorf("text of %q: want %q, have %q", s, want, have)
		}
	}
}
