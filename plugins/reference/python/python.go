// Package python does what Python's str and json.loads do with a JSON value.
package python

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/internal/pyjson"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Reads reports whether Python's JSON reader accepts a text: it refuses integers of more than 4300 digits.
func Reads(json jsontext.JSON) bool {
	digits := 0
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case c == '"':
			s := jsontext.Cursor{JSON: json, At: i}
			s.Skip()
			i = s.At - 1
			digits = 0
		case c >= '0' && c <= '9':
			digits++
		case c == '.' || c|0x20 == 'e':
			for i+1 < len(json) && (json[i+1] >= '0' && json[i+1] <= '9' || json[i+1] == '+' || json[i+1] == '-') {
				i++
			}
			digits = 0
		default:
			if digits > 4300 {
				return false
			}
			digits = 0
		}
	}
	return digits <= 4300
}

// Str returns Python's str of a decoded JSON value.
func Str(value jsontext.JSON) string {
	if body, ok := value.Quoted(); ok {
		return body.Text()
	}
	c := value.Cursor()
	return string(appendRepr(nil, &c))
}

func appendRepr(dst []byte, c *jsontext.Cursor) []byte {
	switch c.Kind() {
	case '"':
		body, _ := c.String()
		return appendReprString(dst, body.Text())
	case '[':
		dst = append(dst, '[')
		for i := range c.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendRepr(dst, c)
		}
		return append(dst, ']')
	case '{':
		dst = append(dst, '{')
		for i, m := range c.Value().Unique() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendReprString(dst, m.Key), ": "...)
			inner := m.Value.Cursor()
			dst = appendRepr(dst, &inner)
		}
		return append(dst, '}')
	case 't', 'f', 'n':
		return append(dst, literals[c.Value()]...)
	}
	return pyjson.AppendNumber(dst, string(c.Value()), "inf")
}

var literals = map[jsontext.JSON]string{"true": "True", "false": "False", "null": "None"}

func appendReprString(dst []byte, text string) []byte {
	quote := byte('\'')
	if strings.IndexByte(text, '\'') >= 0 && strings.IndexByte(text, '"') < 0 {
		quote = '"'
	}
	dst = append(dst, quote)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 && i+2 < len(text) && text[i] == 0xed {
			r, n = 0xd000|rune(text[i+1]&0x3f)<<6|rune(text[i+2]&0x3f), 3
		}
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = append(dst, text[i:i+n]...)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
		i += n
	}
	return append(dst, quote)
}
