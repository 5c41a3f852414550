package jsontext

import (
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Longhand returns where a JSON text, or a body, has the next escape, from an offset on, of a character of ASCII that AppendBody writes
// shorter: \/, \u003c and \u0022, as several encoders write them. It returns -1 without one. The offset must not lie within an escape.
func Longhand[T ~string](text T, from int) int {
	s := string(text)
	for at := from; at+1 < len(s); {
		n := strings.IndexByte(s[at:], '\\')
		if n < 0 || at+n+1 == len(s) {
			return -1
		}
		dense := n < 16
		for at += n; at+1 < len(s) && s[at] == '\\'; {
			switch s[at+1] {
			case '/':
				return at
			case 'u':
				if isLonghand(s[at:]) {
					return at
				}
				at = min(at+len(`\u0000`), len(s))
			default:
				at += 2
			}
			if dense {
				at = nearEscape(s, at)
			}
		}
	}
	return -1
}

// nearEscape returns where the next backslash is if it is close, as in JSON within a string, or else where it is not before: a search
// takes longer to start.
func nearEscape(s string, at int) int {
	for end := min(len(s)-8, at+8); at <= end; at += 8 {
		w := load(unsafe.StringData(s), at) ^ '\\'*ones
		if m := (w - ones) &^ w & highs; m != 0 {
			return at + bits.TrailingZeros64(m)/8
		}
	}
	return at
}

// isLonghand reports whether a text begins with an escape \u00XX of a character that AppendBody writes shorter.
func isLonghand(s string) bool {
	if len(s) < len(`\u0000`) || s[2] != '0' || s[3] != '0' || s[4] >= '8' {
		return false
	}
	r, _ := Unescape(Body(s[:len(`\u0000`)]))
	return r >= 0 && r < utf8.RuneSelf && special[r] != 'u'
}

// AppendShort appends a JSON text, or a body, with the escapes that Longhand finds as AppendBody writes their characters.
func AppendShort[T ~string](dst []byte, text T) []byte {
	from := 0
	for at := Longhand(text, 0); at >= 0; at = Longhand(text, from) {
		dst = append(dst, text[from:at]...)
		r, size := Unescape(Body(text[at:]))
		if e := special[r]; e != 0 {
			dst = append(dst, '\\', e)
		} else {
			dst = append(dst, byte(r))
		}
		from = at + size
	}
	return append(dst, text[from:]...)
}
