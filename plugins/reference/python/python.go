// Package python is what the reference profiles need of Python's behaviour: how json.loads and json.dumps spell a value
// again, what str gives for it, and which values are true.
package python

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Layout says how AppendDumps lays a value out.
type Layout struct {
	SortKeys bool
	Indent   int // 0 is one line with the separators ", " and ": "
}

// AppendDumps appends a JSON value as Python writes it after reading it: json.dumps(json.loads(value),
// ensure_ascii=False), with sort_keys and indent as p says.
func AppendDumps(dst []byte, value jsontext.JSON, p Layout) []byte {
	c := value.Cursor()
	return p.append(dst, &c, 0)
}

func (p Layout) append(dst []byte, c *jsontext.Cursor, depth int) []byte {
	switch kind := c.Kind(); kind {
	case '"':
		body, _ := c.String()
		return appendString(dst, body)
	case '[':
		dst = append(dst, '[')
		n := 0
		for i := range c.Elements() {
			dst = p.separate(dst, i, depth+1)
			dst = p.append(dst, c, depth+1)
			n++
		}
		return p.close(dst, ']', n, depth)
	case '{':
		dst = append(dst, '{')
		members := c.Value().Unique()
		if p.SortKeys {
			slices.SortFunc(members, func(a, b jsontext.Member) int { return strings.Compare(a.Key, b.Key) })
		}
		for i, m := range members {
			dst = p.separate(dst, i, depth+1)
			dst = append(jsontext.AppendString(dst, m.Key), ": "...)
			inner := m.Value.Cursor()
			dst = p.append(dst, &inner, depth+1)
		}
		return p.close(dst, '}', len(members), depth)
	case 't', 'f', 'n':
		return append(dst, c.Value()...)
	}
	return appendNumber(dst, string(c.Value()), "Infinity")
}

func (p Layout) separate(dst []byte, index, depth int) []byte {
	switch {
	case p.Indent == 0 && index > 0:
		return append(dst, ", "...)
	case p.Indent == 0:
		return dst
	case index > 0:
		dst = append(dst, ',')
	}
	return appendIndent(dst, depth*p.Indent)
}

func (p Layout) close(dst []byte, bracket byte, n, depth int) []byte {
	if p.Indent > 0 && n > 0 {
		dst = appendIndent(dst, depth*p.Indent)
	}
	return append(dst, bracket)
}

func appendIndent(dst []byte, n int) []byte {
	return append(append(dst, '\n'), bytes.Repeat([]byte{' '}, n)...)
}

// Fill reads members of an object, each name into the place of the same index. Of a key that stands twice the last value
// counts; what the object does not have stays.
func Fill(object jsontext.JSON, names []string, into ...*jsontext.JSON) {
	c := object.Cursor()
	for key := range c.Members() {
		if i := slices.Index(names, key); i >= 0 {
			*into[i] = c.Value()
		}
	}
}

func appendString(dst []byte, body jsontext.Body) []byte {
	if strings.IndexByte(string(body), '\\') < 0 {
		return append(append(append(dst, '"'), body...), '"')
	}
	return jsontext.AppendString(dst, body.Text())
}

// appendNumber appends a number token as Python prints the int or float it reads.
func appendNumber(dst []byte, token, infinity string) []byte {
	if !strings.ContainsAny(token, ".eE") {
		if token == "-0" {
			token = "0"
		}
		return append(dst, token...)
	}
	f, _ := strconv.ParseFloat(token, 64)
	if math.IsInf(f, 0) {
		if f < 0 {
			dst = append(dst, '-')
		}
		return append(dst, infinity...)
	}
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	exponent, _ := strconv.Atoi(string(text[bytes.IndexByte(text, 'e')+1:]))
	if exponent < -4 || exponent >= 16 {
		return append(dst, text...)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[from:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// Reads tells whether Python's JSON reader takes a text: it refuses integers of more than 4300 digits.
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

// Str is what Python's str gives for a decoded JSON value.
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
	case 't':
		c.Skip()
		return append(dst, "True"...)
	case 'f':
		c.Skip()
		return append(dst, "False"...)
	case 'n':
		c.Skip()
		return append(dst, "None"...)
	}
	return appendNumber(dst, string(c.Value()), "inf")
}

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
			dst = appendHex(append(dst, `\x`...), r, 2)
		case r < 0x10000:
			dst = appendHex(append(dst, `\u`...), r, 4)
		default:
			dst = appendHex(append(dst, `\U`...), r, 8)
		}
		i += n
	}
	return append(dst, quote)
}

func appendHex(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&15])
	}
	return dst
}
