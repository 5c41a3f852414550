package redact

import (
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Kinds of Token; the others are the brackets themselves and the first letters of literals.
const (
	KeyKind    = 'k' // a string before a colon
	StringKind = '"'
	NumberKind = '0'
)

// Token returns the next value, key or bracket of valid JSON from i on, strings and keys without quotes. At the end kind is 0.
func Token(doc string, i int) (kind byte, start, end, next int) {
	for ; i < len(doc); i++ {
		switch c := doc[i]; c {
		case ',', ':', ' ', '\n', '\t', '\r':
		case '"':
			end := stringEnd(doc, i+1)
			if isKey(doc, end+1) {
				return KeyKind, i + 1, end, end + 1
			}
			return StringKind, i + 1, end, end + 1
		case '{', '[', '}', ']':
			return c, i, i + 1, i + 1
		default:
			if kind = c; c == '-' || ascii.IsDigit(c) {
				kind = NumberKind
			}
			for end = i + 1; end < len(doc) && !delimiters[doc[end]]; end++ {
			}
			return kind, i, end, end
		}
	}
	return 0, i, i, i
}

// isKey reports whether a colon follows the string that ends at at.
func isKey(doc string, at int) bool {
	return strings.HasPrefix(strings.TrimLeft(doc[at:], " \n\t\r"), ":")
}

func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') }

// delimiters end a number or literal.
var delimiters = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, ',': true, ':': true, '{': true, '[': true, '}': true, ']': true, '"': true}

// stringEnd returns the offset of the quote that closes a string whose text begins at i.
func stringEnd(doc string, i int) int {
	const ones, quotes = 0x0101010101010101, '"' * 0x0101010101010101
	at := i
	for at+8 <= len(doc) && at < i+32 { // short strings are many
		v := ascii.Load64(doc, at) ^ quotes
		found := (v - ones) &^ v & (ones << 7)
		if found == 0 {
			at += 8
			continue
		}
		if at += bits.TrailingZeros64(found) >> 3; doc[at-1] != '\\' {
			return at
		}
		break
	}
	for {
		n := strings.IndexByte(doc[at:], '"')
		if n < 0 {
			return len(doc)
		}
		at += n
		slashes := 0
		for at-slashes > i && doc[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at++
	}
}

// isEmbedded reports whether a string holds JSON that is an object, an array or a string.
func isEmbedded(text string) bool {
	start := strings.TrimLeft(text, " \n\t\r")
	return len(start) > 1 && strings.IndexByte(`{["`, start[0]) >= 0 && jsontext.Check(text, jsontext.EmbeddedDepth) == nil
}

// Texts returns every value of a JSON text that is a string. For JSON in a string it returns the strings in it.
func Texts(doc string) (texts []string) {
	for kind, start, end, next := Token(doc, 0); kind != 0; kind, start, end, next = Token(doc, next) {
		if kind != StringKind || start == end {
			continue
		}
		if text := Decode(doc[start:end], start).Decoded; isEmbedded(text) {
			texts = append(texts, Texts(text)...)
		} else {
			texts = append(texts, text)
		}
	}
	return texts
}
