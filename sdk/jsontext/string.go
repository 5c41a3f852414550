package jsontext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendText appends a body decoded.
func AppendText(dst []byte, body Body) []byte {
	for {
		i := strings.IndexByte(string(body), '\\')
		if i < 0 || i+1 >= len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		r, size := Unescape(body[i:])
		switch {
		case r < 0:
		case size == 2:
			dst = append(dst, byte(r))
		case utf16.IsSurrogate(r):
			dst = append(dst, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		default:
			dst = utf8.AppendRune(dst, r)
		}
		body = body[i+size:]
	}
}

// Unescape returns the character of the escape that a body begins with, and the size of the escape in the body. It reads two
// surrogates as their one character, and returns a surrogate alone as it is. The character of an invalid escape is -1.
func Unescape(body Body) (r rune, size int) {
	if len(body) < 2 {
		return -1, len(body)
	}
	c := body[1]
	if control := controls[c]; control != 0 {
		c = control
	}
	if c != 'u' {
		return rune(c), 2
	}
	r, ok := hex4(body[2:])
	if !ok {
		return -1, 2
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(string(body[6:]), `\u`) {
		low, _ := hex4(body[8:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

// controls are the control characters with an escape of one letter, by that letter.
var controls = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

func hex4(s Body) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// AppendString appends a decoded text as a JSON string, quotes included.
func AppendString[T ~string | ~[]byte](dst []byte, text T) []byte {
	return append(AppendBody(append(dst, '"'), View(text)), '"')
}

// Quote returns a decoded text as a JSON string.
func Quote[T ~string | ~[]byte](text T) JSON { return Of(AppendString(nil, text)) }

// AppendComma appends the comma before the next element or member. The first one has none: dst is empty, or ends with the
// bracket that opens or with a comma.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n == 0 || dst[n-1] == '[' || dst[n-1] == '{' || dst[n-1] == ',' {
		return dst
	}
	return append(dst, ',')
}

// AppendKey appends "key": for the next member of an object, after its comma.
func AppendKey(dst []byte, key string) []byte {
	return append(AppendString(AppendComma(dst), key), ':')
}

// AppendMember appends "key":"value", after its comma.
func AppendMember(dst []byte, key, value string) []byte {
	return AppendString(AppendKey(dst, key), value)
}

// AppendBody appends a decoded text as the body of a JSON string. It escapes only what JSON requires. Bytes
// that are not UTF-8 become U+FFFD.
func AppendBody(dst []byte, text string) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if special[c] == 0 {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(text[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(dst, text[from:i]...)
			if i+2 < len(text) && c == 0xed && text[i+1] >= 0xa0 && text[i+1] < 0xc0 && text[i+2] >= 0x80 && text[i+2] < 0xc0 {
				dst = append(dst, '\\', 'u', 'd', hex[8+(text[i+1]>>2)&7], hex[(text[i+1]&3)<<2|(text[i+2]>>4)&3], hex[text[i+2]&15])
				i += 3
			} else {
				dst = append(dst, "\uFFFD"...)
				i++
			}
			from = i
			continue
		}
		dst = append(append(dst, text[from:i]...), '\\')
		if e := special[c]; e != 'u' {
			dst = append(dst, e)
		} else {
			dst = append(dst, 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(dst, text[from:]...)
}

// AppendEscaped appends text that is known to be valid UTF-8, such as JSON, as the body of a JSON string.
func AppendEscaped[T ~string | ~[]byte](dst []byte, text T) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(text); i++ {
		e := special[text[i]]
		if e == 0 || e == 1 {
			continue
		}
		dst = append(append(dst, text[from:i]...), '\\', e)
		if e == 'u' {
			dst = append(dst, '0', '0', hex[text[i]>>4], hex[text[i]&15])
		}
		from = i + 1
	}
	return append(dst, text[from:]...)
}

// special holds 0 for bytes that are copied, the letter of the escape for those that are escaped, and 1 for bytes beyond ASCII.
var special = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] = 1
	}
	t['"'], t['\\'], t['\b'], t['\f'], t['\n'], t['\r'], t['\t'] = '"', '\\', 'b', 'f', 'n', 'r', 't'
	return t
}()

// AppendCompact appends valid JSON without the blanks outside its strings.
func AppendCompact[T ~string | ~[]byte](dst []byte, json T) []byte {
	text, from := JSON(View(json)), 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case ' ', '\t', '\n', '\r':
			dst = append(dst, text[from:i]...)
			i = skipSpace(text, i)
			from = i
		default:
			i++
		}
	}
	return append(dst, text[from:]...)
}

// AppendPlain appends valid JSON that becomes text, without the blanks outside its strings and with no escapes but those that JSON needs: a
// model should learn neither the white space of a source nor what json.dumps makes of all beyond ASCII.
func AppendPlain[T ~string | ~[]byte](dst []byte, json T) []byte {
	start := len(dst)
	dst = AppendCompact(dst, json)
	if text := View(dst[start:]); !strings.Contains(text, `\u`) && !strings.Contains(text, `\/`) {
		return dst // all other escapes are the shortest
	}
	rest := string(dst[start:])
	dst = dst[:start]
	for {
		begin := strings.IndexByte(rest, '"') + 1
		if begin == 0 {
			return append(dst, rest...)
		}
		end, _ := BodyEnd(rest, begin)
		dst = AppendString(append(dst, rest[:begin-1]...), Body(rest[begin:end]).Text())
		rest = rest[end+1:]
	}
}
