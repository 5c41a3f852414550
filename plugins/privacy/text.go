package privacy

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is the decoded content of a JSON string that stands at raw offset base of its document.
type text struct {
	s     string
	base  int
	marks []mark // where decoded and raw offsets drift apart, in order
}

// A mark says that decoded offset at stands at raw offset raw, as does what follows until the next mark.
type mark struct{ at, raw int }

// decode reads the content of a JSON string. A surrogate without its other half becomes U+FFFD; as only what is
// found is written anew, it stays in the record as it was.
func decode(doc string, n node) text {
	raw := doc[n.start:n.end]
	if strings.IndexByte(raw, '\\') < 0 {
		return text{s: raw, base: n.start}
	}
	out := make([]byte, 0, len(raw))
	var marks []mark
	for i := 0; i < len(raw); {
		if plain := strings.IndexByte(raw[i:], '\\'); plain != 0 {
			if plain < 0 {
				plain = len(raw) - i
			}
			out = append(out, raw[i:i+plain]...)
			i += plain
			continue
		}
		switch c := raw[min(i+1, len(raw)-1)]; c {
		case 'u':
			r, size := unescape(raw[i:])
			marks = append(marks, mark{len(out), i})
			out = utf8.AppendRune(out, r)
			i += size
		default:
			marks = append(marks, mark{len(out), i})
			out = append(out, unescaped[c])
			i += 2
		}
		marks = append(marks, mark{len(out), i})
	}
	return text{s: string(out), base: n.start, marks: marks}
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads \uXXXX, or a pair of them.
func unescape(s string) (r rune, size int) {
	r = hex4(s)
	if !utf16.IsSurrogate(r) {
		return r, min(6, len(s))
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, min(6, len(s))
}

func hex4(s string) rune {
	var r rune
	for i := 2; i < 6 && i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}

// raw gives the offset in the document of a decoded offset.
func (t text) raw(at int) int {
	i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].at > at })
	if i == 0 {
		return t.base + at
	}
	m := t.marks[i-1]
	return t.base + m.raw + at - m.at
}

// appendEscaped appends s as the inside of a JSON string, escaping only what JSON demands.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
