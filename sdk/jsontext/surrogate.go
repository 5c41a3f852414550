package jsontext

import (
	"strings"
	"unicode/utf16"
)

// Lone returns where a JSON text has the next escape, from an offset on, of a surrogate without its other half, or -1. A text that was
// cut between the two, as JavaScript does, ends with one: JSON allows it, and UTF-8 has no such character. The offset must not lie
// within an escape.
func Lone(text string, from int) int {
	for at := from; ; {
		n := strings.Index(text[at:], `\u`)
		if n < 0 {
			return -1
		}
		if at += n; isEscaped(text, from, at) {
			at += 2
			continue
		}
		r, size := Unescape(Body(text[at:]))
		if utf16.IsSurrogate(r) {
			return at
		}
		at += size
	}
}

// isEscaped reports whether the backslash at at is the second one of an escape.
func isEscaped(text string, from, at int) bool {
	n := at
	for n > from && text[n-1] == '\\' {
		n--
	}
	return (at-n)%2 == 1
}

// ReplaceLone writes the escape of U+FFFD over each escape that Lone finds, and returns how many there were.
func ReplaceLone(text []byte) (n int) {
	for at := Lone(View(text), 0); at >= 0; at = Lone(View(text), at+6) {
		copy(text[at+2:], "fffd")
		n++
	}
	return n
}
