package jsontext

import "unicode/utf8"

// AppendString appends s as a JSON string. It escapes only what JSON demands; bytes that are not UTF-8 become U+FFFD.
func AppendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := decodeRune(s[i:min(i+utf8.UTFMax, len(s))])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[from:i]...), c)
			from = i + 1
		}
		i++
	}
	return append(append(dst, s[from:]...), '"')
}

func decodeRune[T ~string | ~[]byte](s T) (rune, int) {
	var few [utf8.UTFMax]byte
	return utf8.DecodeRune(few[:copy(few[:], s)])
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendMember appends "key":"value".
func AppendMember(dst []byte, key, value string) []byte {
	return AppendString(append(AppendString(dst, key), ':'), value)
}
