package fingerprint

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// wordsOf are the words of a text, found one character after the other.
func wordsOf(text string) []string {
	var spaced strings.Builder
	for _, r := range text {
		switch {
		case r >= 0x3000 && r <= 0xdfff:
			spaced.WriteString(" " + string(r) + " ")
		case r >= utf8.RuneSelf:
			spaced.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			spaced.WriteRune(unicode.ToLower(r))
		default:
			spaced.WriteByte(' ')
		}
	}
	return strings.Split(spaced.String(), " ")
}

// shingled gives what is least in each bin of a string's body.
func shingled(body jsontext.Body) [Bins]uint64 {
	var s sketcher
	s.begin(&s.history)
	s.add(body)
	return s.history
}

// FuzzWords holds that a sketch is made of the words of a text and nothing else, however they are spelled and wherever they
// stand, though it looks at eight bytes at a time.
func FuzzWords(f *testing.F) {
	for _, text := range []string{
		"", "one", "0本0 é0 0é", "Once upon a TIME there was, at last, an end.", "exactly8 eight_88! characters or morethan8 or sixteen_letters0 ab12",
		"café naïve 東京はどこ日本 deploy 😀😀 it\n\\back \"quoted\"\tstops", "ten\x10words\x19with\x01control\x1fcharacters",
		strings.Repeat("averyveryverylongword", 20), "[@`{|}~/:;<=>?^_] all of these stand between words, 0 and 9, A and Z, a and z",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		want := shingled(jsontext.Body(strings.Join(wordsOf(text), " ")))
		plain := string(jsontext.AppendString(nil, text))
		var escaped strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			fmt.Fprintf(&escaped, `\u%04x`, unit)
		}
		for _, body := range []string{plain[1 : len(plain)-1], escaped.String()} {
			if diff := cmp.Diff(want, shingled(jsontext.Body(body))); diff != "" {
				t.Errorf("%q: %s", body, diff)
			}
		}
	})
}
