package rows

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// FuzzText holds the search in a row to a search in its decoded strings, however they are escaped.
func FuzzText(f *testing.F) {
	f.Add("Grüße aus Kraków", "KRAKÓW", uint8(0))
	f.Add("say \"hi\" \\ / \t", `"HI" \`, uint8(1))
	f.Add("😀 smile", "😀 S", uint8(2))
	f.Add(strings.Repeat("ab😀", 20_000)+"needle", "B😀neeDLE", uint8(2))
	f.Add("東京", "東京", uint8(1))
	f.Fuzz(func(t *testing.T, text, part string, how uint8) {
		switch {
		case part == "", !utf8.ValidString(text), !utf8.ValidString(part):
			return // nothing that anybody searches for, or that JSON can say
		case strings.ContainsAny(text+part, "\u0130\u212a"):
			return // the lower case of both is a letter of ASCII, which the plain search below takes for another
		}
		row := `{"key of ` + `x":` + escaped(text, how) + `,"n":[7,` + escaped("other", how) + `]}`
		if jsontext.Check(row, 10) != nil {
			t.Fatalf("want JSON, have %q", row)
		}
		want := strings.Contains(strings.ToLower(text), strings.ToLower(part)) || strings.Contains("other", strings.ToLower(part))
		l := matcher{of: reading{Text: part}, search: newTextSearch(part)}
		if have := l.has([]byte(row), true); have != want {
			t.Errorf("%q in %q: want %t, have %t", part, row, want, have)
		}
	})
}

// escaped writes a string: as it is, with all escapes, or with some.
func escaped(text string, how uint8) string {
	plain, err := json.Marshal(text)
	if err != nil || how%3 == 0 {
		return string(plain)
	}
	b := []byte{'"'}
	for i, r := range text {
		switch {
		case how%3 == 2 && i%3 == 0 && r > ' ' && r != '"' && r != '\\':
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			r -= 0x10000
			b = appendHex(appendHex(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			b = appendHex(b, r)
		}
	}
	return string(append(b, '"'))
}

func appendHex(b []byte, r rune) []byte {
	const digits = "0123456789abcDEF"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
