// Package ascii knows the classes of bytes in texts, and walks over texts by them.
package ascii

import "strings"

// The digits, the hexadecimal digits, and the quotation marks.
const DigitBytes, HexDigits, Quotes = "0123456789", "0123456789abcdefABCDEF", "\"'`"

// TokenBytes are what tokens and names in code are of.
var TokenBytes = Bytes("A-Za-z0-9_-")

var (
	DigitSet    = Set(DigitBytes)
	HexSet      = Set(HexDigits)
	AlnumSet    = Set(Bytes("A-Za-z0-9"))
	WordSet     = Set(Bytes("A-Za-z0-9_"))
	SpaceSet    = Set(" \t")
	Backslashes = Set(`\`)
)

// Bytes returns the bytes of a set such as A-Za-z0-9_-, where a hyphen at the end is one.
func Bytes(set string) string {
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(set[i])
	}
	return b.String()
}

// Set returns the set of some bytes.
func Set(bytes string) *[256]bool {
	var set [256]bool
	for _, c := range []byte(bytes) {
		set[c] = true
	}
	return &set
}

// Forward returns the end of the bytes of a set from at on, of at most so many.
func Forward(s string, at, most int, set *[256]bool) int {
	end := at
	for end < len(s) && end-at < most && set[s[end]] {
		end++
	}
	return end
}

// Back returns the beginning of the bytes of a set before at, of at most so many.
func Back(s string, at, most int, set *[256]bool) int {
	start := at
	for start > 0 && at-start < most && set[s[start-1]] {
		start--
	}
	return start
}

func IsQuote(c byte) bool { return strings.IndexByte(Quotes, c) >= 0 }

func IsDigit(c byte) bool { return c-'0' < 10 }

func IsAlnum(c byte) bool { return IsDigit(c) || (c|0x20)-'a' < 26 }

func IsHex(c byte) bool { return IsDigit(c) || (c|0x20)-'a' < 6 }

func IsUpper(c byte) bool { return c-'A' < 26 }

func IsWord(c byte) bool { return IsAlnum(c) || c == '_' }

func HasDigit(s string) bool { return strings.ContainsAny(s, DigitBytes) }

// HexValue returns the value of a hexadecimal digit.
func HexValue(c byte) byte {
	if IsDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
