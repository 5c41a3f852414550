package check

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var quoteMark = regexp.MustCompile(`(?m)^[ \t]*> `)

// slowPlain is what appendPlain does, one thing after the other.
func slowPlain(text string) string {
	text = quoteMark.ReplaceAllString(strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(text), "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' }), " ")
	return strings.Map(unicode.ToLower, strings.ToValidUTF8(text, "\ufffd"))
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		"", " ", "a", "Two  Words\n", "  > quoted\n\t> \t> twice", "a > b", "A\\n> \\\"B\\\"\\\\n> c", "ÄÉ 東京 ß İ ſ Ⱥ", "\x01a\x7f\tZ[@", "1234567 \n12345678 \\",
		strings.Repeat("The Quick brown fox ", 9), strings.Repeat("Ⱥ", 40), "\xed\xa0\x80\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := slowPlain(text)
		if !strings.ContainsRune(want, unicode.ReplacementChar) { // invalid bytes become as many of it as there are
			if have := string(appendPlain([]byte("x"), text, math.MaxInt)); have != "x"+want {
				t.Errorf("%q: want %q, have %q", text, want, have[1:])
			}
			const most = 5
			if have := string(appendPlain(nil, text, most)); len(have) < most && have != want || len(have) >= most && !strings.HasPrefix(want, have) {
				t.Errorf("%q, up to %d bytes: want %q, have %q", text, most, want, have)
			}
		}
	})
}

// TestLower holds that scripts without case are left out rightly.
func TestLower(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if lower(r) != unicode.ToLower(r) {
			t.Fatalf("%#x: want %#x, have %#x", r, unicode.ToLower(r), lower(r))
		}
	}
}
