package scan

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a JSON string. It is a view when nothing is escaped, and "" when v is not a string. A lone surrogate
// becomes U+FFFD.
func Text(v string) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	body := v[1 : len(v)-1]
	i := strings.IndexByte(body, '\\')
	if i < 0 {
		return body
	}
	out := make([]byte, 0, len(body))
	for i >= 0 && i+1 < len(body) {
		out = append(out, body[:i]...)
		out, body = appendEscape(out, body[i:])
		i = strings.IndexByte(body, '\\')
	}
	return string(append(out, body...))
}

// appendEscape decodes the escape that body begins with and gives what is behind it.
func appendEscape(dst []byte, body string) ([]byte, string) {
	c := body[1]
	if c != 'u' {
		return append(dst, unescaped[c]), body[2:]
	}
	r, body := hex4(body[2:]), body[min(6, len(body)):]
	if utf16.IsSurrogate(r) {
		second := rune(-1)
		if len(body) >= 6 && body[0] == '\\' && body[1] == 'u' {
			second = hex4(body[2:])
		}
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			body = body[6:]
		}
	}
	return utf8.AppendRune(dst, r), body
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func hex4(s string) rune {
	r := rune(0)
	for i := 0; i < 4 && i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return utf8.RuneError
		}
	}
	return r
}

// AppendString appends s as a JSON string, escaping only what JSON demands. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendBody(dst, s)
	return append(dst, '"')
}

// AppendBody is AppendString without the quotes.
func AppendBody(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(dst, s[from:]...)
}

// plain marks the bytes a JSON string holds as they are; those of a multi-byte rune are looked at one by one.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// Blank tells whether s is empty or white space, as Python's str.strip sees it (render-and-adapters, words).
func Blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) {
			return false
		}
	}
	return true
}

// BlankText is Blank of a JSON string, decoded only when its first byte leaves it open.
func BlankText(v string) bool {
	if len(v) > 2 && v[1] > ' ' && v[1] != '\\' && v[1] < utf8.RuneSelf {
		return false
	}
	return Blank(Text(v))
}
