package recognise

import "testing"

// TestAppendAllPlain holds that the spellings of a text become one, also of JSON in its strings.
func TestAppendAllPlain(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"what JSON requires stays", `"a\"b\\c\n\u001b\u0000"`, `"a\"b\\c\n\u001b\u0000"`},
		{"letters, digits and signs", `"\u0070w 678\u0039 \u003cb\u003E \/"`, `"pw 6789 <b> /"`},
		{"other letters, and two halves of one", `"\u00e9\u5bc6 \ud83d\ude00"`, `"é密 😀"`},
		{"half a letter", `"\ud83d x"`, "\"\ufffd x\""},
		{"what has a shorter escape", `"\u0022 \u005c \u000A \u001B \u007f"`, `"\" \\ \n \u001b ` + "\x7f" + `"`},
		{"behind backslashes of the text", `"\\\u0041 \\\u0022"`, `"\\A \\\""`},
		{"JSON in a string", `"{\u0022a\": \"\\u0022\\u00e9\\/\\n\"}"`, `"{\"a\": \"\\\"é/\\n\"}"`},
		{"JSON in JSON in a string", `"\\\\u0022 \\\\u0041 \\\\ud83d\\\\ude00 \\\\/"`, `"\\\\\\\" A 😀 /"`},
		{"an escape of an escape", `"\u005cu0041 \\u005c"`, `"A \\\\"`},
		{"no escapes", `"C:\\users \\u12 \\usepackage"`, `"C:\\users \\u12 \\usepackage"`},
	} {
		if have := string(AppendAllPlain(nil, c.text)); have != c.want {
			t.Errorf("%s: %s: want %s, have %s", c.reason, c.text, c.want, have)
		}
		again := string(AppendAllPlain(nil, c.want))
		if again != c.want {
			t.Errorf("%s: want %s to stay, have %s", c.reason, c.want, again)
		}
	}
}

// TestEscapes holds what a map says of escapes, where they are in a long text too.
func TestEscapes(t *testing.T) {
	e := New(Options{})
	blanks := make([]byte, windowBlocks*blockSize)
	for i := range blanks {
		blanks[i] = ' '
	}
	for _, c := range []struct {
		reason, text string
		want         Escapes
	}{
		{"none", `"plain"`, 0},
		{"those that JSON requires", `"\"\\\n\u001b \\n \\\" \\users"`, 0},
		{"a letter", `"\u00e9"`, OwnEscapes},
		{"a slash", `"\/"`, OwnEscapes},
		{"one behind a backslash", `"\\\u00e9"`, OwnEscapes},
		{"one of JSON in a string", `"\\u00e9"`, InnerEscapes},
		{"both", `"\\u00e9 \/"`, InnerEscapes | OwnEscapes},
	} {
		for _, before := range []int{0, 1, 61, 62, 63, 64, len(blanks) - 4, len(blanks)} {
			var m Map
			if m.ReadJSON(e, string(blanks[:before])+c.text); m.Escapes() != c.want {
				t.Errorf("%s behind %d blanks: want %d, have %d", c.reason, before, c.want, m.Escapes())
			}
		}
	}
}
