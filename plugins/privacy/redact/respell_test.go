package redact

import "testing"

// TestRespell holds that the spellings of a text become one, also of JSON in its strings.
func TestRespell(t *testing.T) {
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
		if have := string(respellAll(nil, c.text)); have != c.want {
			t.Errorf("%s: %s: want %s, have %s", c.reason, c.text, c.want, have)
		}
		again := string(respellAll(nil, c.want))
		if again != c.want {
			t.Errorf("%s: want %s to stay, have %s", c.reason, c.want, again)
		}
	}
}
