package jsontext

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestAppendShort(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"no escape", `{"a":"é<"}`, `{"a":"é<"}`},
		{"tags as Go writes them", `"\u003cb\u003E \u0026"`, `"<b> &"`},
		{"a slash as PHP writes it", `"<\/b>"`, `"</b>"`},
		{"quotes as .NET writes them", `"\u0022\u0027\u0060\u005c"`, `"\"'` + "`" + `\\"`},
		{"a letter in a key", `{"\u0061":1}`, `{"a":1}`},
		{"white space", `"\u000a\u0009\u0020"`, `"\n\t "`},
		{"control characters have no other escape", `"\u0000\u001f"`, `"\u0000\u001f"`},
		{"the last character of ASCII is plain", `"\u007f"`, "\"\x7f\""},
		{"others than ASCII stay", `"\u00e9\u0130\ud83d\ude00"`, `"\u00e9\u0130\ud83d\ude00"`},
		{"half a pair stays", `"\ud83d\u003c"`, `"\ud83d<"`},
		{"a backslash before the letters of an escape", `"\\u003c\\/"`, `"\\u003c\\/"`},
		{"a backslash, and an escape", `"\\\u003c\\\/"`, `"\\<\\/"`},
		{"short escapes stay", `"\"\\\b\f\n\r\t"`, `"\"\\\b\f\n\r\t"`},
		{"far from each other", `"` + strings.Repeat("x", 100) + `\/` + strings.Repeat(`\n`, 50) + `\/y"`, `"` + strings.Repeat("x", 100) + `/` + strings.Repeat(`\n`, 50) + `/y"`},
	} {
		have := string(AppendShort(nil, c.in))
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
		if at := Longhand(have, 0); at >= 0 {
			t.Errorf("%s: want none left, have one at byte %d of %s", c.reason, at, have)
		}
	}
}

// FuzzShort makes sure that the text which is written short says the same.
func FuzzShort(f *testing.F) {
	for _, s := range []string{`"\u003c\/\\/\\\/"`, `{"\u0061":["\ud83d\u0022","\u00"]}`, `"\`, `"\u003`, `\/\u0041`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		short := AppendShort(nil, text)
		if Longhand(View(short), 0) >= 0 && Check(text, 100) == nil {
			t.Fatalf("%q: want no longhand left, have %q", text, short)
		}
		if Check(text, 100) != nil {
			return
		}
		var want, have any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return // numbers that are too large for it
		}
		if err := json.Unmarshal(short, &have); err != nil || !reflect.DeepEqual(have, want) {
			t.Fatalf("%q: want the same value, have %q (%v)", text, short, err)
		}
	})
}
