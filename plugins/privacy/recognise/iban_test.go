package recognise

import (
	"strings"
	"testing"
)

// TestIBANCase holds which case an account's number may have.
func TestIBANCase(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text, want string }{
		{"upper case", "pay GB82WEST12345698765432 now", "GB82WEST12345698765432"},
		{"lower case", "pay gb82west12345698765432 now", "gb82west12345698765432"},
		{"lower case in groups", "pay gb82 west 1234 5698 7654 32 now", "gb82 west 1234 5698 7654 32"},
		{"both cases", "pay gb82WEST12345698765432 now", ""},
		{"both cases behind its word", "IBAN MC11 1273 9000 7000 1111 1000 h79", "MC11 1273 9000 7000 1111 1000 h79"},
		{"groups of its country", "pay NO93 8601 11 17947 now", "NO93 8601 11 17947"},
		{"the country apart", "pay NO 93 8601 11 17947 now", "NO 93 8601 11 17947"},
		{"dots", "pay NO93.8601.11.17947 now", "NO93.8601.11.17947"},
		{"groups of any size", "pay MT84 MALT 011 000 012345MTLCAST001S now", "MT84 MALT 011 000 012345MTLCAST001S"},
		{"groups of any size, most of them letters", "pay MT89 ABCD 011 00 ABCDEFGHIJKLMNOPQR now", ""},
		{"a row that goes on", "NO 93 86 01 11 17 94 7 12 13", ""},
		{"hexadecimal", "commit de89370400440532013000 now", ""},
		{"hexadecimal behind its word", "iban de89370400440532013000 now", "de89370400440532013000"},
		{"hexadecimal behind its word in the line before", "Konto:\nde89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00"},
		{"another digit", "iban gb82west12345698765431", ""},
	} {
		if have := strings.Join(foundIn(s, c.text), ""); have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}
