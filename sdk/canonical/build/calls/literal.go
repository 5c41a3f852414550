package calls

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// maxDepth is how deep a literal may nest. Literals of models nest a few levels, and a reader that recurses needs a limit.
const maxDepth = 200

// Value returns the JSON of the literal that a text consists of, as Literal reads it. It is not ok for any other text.
func Value(text string) (value jsontext.JSON, ok bool) {
	read, rest, err := Literal(nil, text)
	if err != nil || strings.TrimSpace(rest) != "" {
		return "", false
	}
	return jsontext.JSON(read), true
}

// Literal reads the value that s begins with and appends it to dst as JSON. The value may be JSON or Python:
// either quotes, True, False and None, tuples, a comma too many. rest is the text after it.
//
// A single quote ends a string only where a string can end, so that 'it's' is read as it was meant, and a
// single-quoted string that holds a whole JSON value ends after that value.
func Literal(dst []byte, s string) (out []byte, rest string, err error) {
	l := literal{s: s, tries: 4*len(s) + 256}
	out, err = l.value(dst, 0)
	if err != nil {
		return dst, s, err
	}
	return out, s[l.i:], nil
}

type literal struct {
	s     string
	i     int
	inner bool // reads a value inside a string, without trying deeper ones, which would take exponential time
	tries int  // how many more bytes may be read in vain for values in strings
}

func (l *literal) errorf(want string) error {
	have := "the end"
	if l.i < len(l.s) {
		r, _ := utf8.DecodeRuneInString(l.s[l.i:])
		have = fmt.Sprintf("%q", r)
	}
	return fmt.Errorf("want %s, have %s at byte %d", want, have, l.i)
}

// peek skips white space and returns the next byte, or 0 at the end.
func (l *literal) peek() byte {
	for l.i < len(l.s) && isSpace(l.s[l.i]) {
		l.i++
	}
	if l.i == len(l.s) {
		return 0
	}
	return l.s[l.i]
}

func (l *literal) value(dst []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, l.errorf("a value that nests less deep")
	}
	switch c := l.peek(); {
	case c == '{':
		return l.object(dst, depth)
	case c == '[':
		return l.list(dst, ']', depth)
	case c == '(':
		return l.list(dst, ')', depth)
	case c == '"' || c == '\'':
		text, err := l.str()
		return jsontext.AppendString(dst, text), err
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
		return l.number(dst)
	}
	for _, w := range words {
		if strings.HasPrefix(l.s[l.i:], w.text) && !identifier(l.s, l.i+len(w.text)) {
			l.i += len(w.text)
			return append(dst, w.json...), nil
		}
	}
	return dst, l.errorf("a value")
}

var words = []struct{ text, json string }{
	{"true", "true"}, {"false", "false"}, {"null", "null"},
	{"True", "true"}, {"False", "false"}, {"None", "null"},
}

func (l *literal) object(dst []byte, depth int) ([]byte, error) {
	l.i++
	dst = append(dst, '{')
	for first := true; ; first = false {
		if l.peek() == '}' {
			l.i++
			return append(dst, '}'), nil
		}
		if !first {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = l.key(dst); err != nil {
			return dst, err
		}
		if l.peek() != ':' {
			return dst, l.errorf("':'")
		}
		l.i++
		if dst, err = l.value(append(dst, ':'), depth+1); err != nil {
			return dst, err
		}
		if err := l.comma('}'); err != nil {
			return dst, err
		}
	}
}

// key reads a string, or a number as Python's json.dumps writes it.
func (l *literal) key(dst []byte) ([]byte, error) {
	c := l.peek()
	if c == '"' || c == '\'' {
		text, err := l.str()
		return jsontext.AppendString(dst, text), err
	}
	if c >= '0' && c <= '9' || c == '-' {
		dst, err := l.number(append(dst, '"'))
		return append(dst, '"'), err
	}
	return dst, l.errorf("a key")
}

// list reads a list or tuple. One value in parentheses without a comma is that value.
func (l *literal) list(dst []byte, end byte, depth int) ([]byte, error) {
	l.i++
	start, n, commas := len(dst), 0, 0
	dst = append(dst, '[')
	for l.peek() != end {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = l.value(dst, depth+1); err != nil {
			return dst, err
		}
		if l.peek() == ',' {
			commas++
		}
		if err := l.comma(end); err != nil {
			return dst, err
		}
	}
	l.i++
	if end == ')' && n == 1 && commas == 0 {
		return append(dst[:start], dst[start+1:]...), nil
	}
	return append(dst, ']'), nil
}

// comma reads a comma, or stops before the closing bracket.
func (l *literal) comma(end byte) error {
	switch l.peek() {
	case ',':
		l.i++
		return nil
	case end:
		return nil
	}
	return l.errorf(fmt.Sprintf("',' or %q", end))
}

func (l *literal) number(dst []byte) ([]byte, error) {
	start := l.i
	l.accept("-+")
	whole, fraction := l.digits(), ""
	point := l.accept(".")
	if point {
		fraction = l.digits()
	}
	if whole == "" && fraction == "" || len(whole) > 1 && whole[0] == '0' {
		l.i = start
		return dst, l.errorf("a number")
	}
	if l.s[start] == '-' {
		dst = append(dst, '-')
	}
	dst = append(dst, cmp.Or(whole, "0")...)
	if point {
		dst = append(append(dst, '.'), cmp.Or(fraction, "0")...)
	}
	if exponent := l.i; l.accept("eE") {
		l.accept("-+")
		if l.digits() == "" {
			return dst, l.errorf("an exponent")
		}
		dst = append(dst, l.s[exponent:l.i]...)
	}
	if identifier(l.s, l.i) {
		return dst, l.errorf("the end of a number")
	}
	return dst, nil
}

func (l *literal) digits() string {
	start := l.i
	for l.accept("0123456789") {
	}
	return l.s[start:l.i]
}

// accept passes over the next byte if it is one of a set, and reports whether it is.
func (l *literal) accept(set string) bool {
	ok := l.i < len(l.s) && strings.IndexByte(set, l.s[l.i]) >= 0
	if ok {
		l.i++
	}
	return ok
}

// str reads a quoted string and returns its text.
func (l *literal) str() (string, error) {
	quote := l.s[l.i]
	if quote == '\'' && !l.inner {
		if text, ok := l.embedded(); ok {
			return text, nil
		}
	}
	start := l.i
	l.i++
	var out []byte // nil while the text is a view
	from := l.i
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == quote && (quote == '"' || l.canEnd(l.i+1)):
			text := l.s[from:l.i]
			l.i++
			if out == nil {
				return text, nil
			}
			return string(append(out, text...)), nil
		case c == '\\' && l.i+1 < len(l.s):
			out = append(out, l.s[from:l.i]...)
			out = l.escape(out)
			from = l.i
		default:
			l.i++
		}
	}
	l.i = start
	return "", l.errorf("a string that ends")
}

// embedded reads '{...}' or '[...]': text that is a whole value up to the closing quote.
func (l *literal) embedded() (string, bool) {
	inner := literal{s: l.s, i: l.i + 1, inner: true}
	if c := inner.peek(); c != '{' && c != '[' {
		return "", false
	}
	if l.tries <= 0 {
		return "", false
	}
	_, err := inner.value(nil, 0)
	l.tries -= inner.i - l.i
	if err != nil || inner.peek() != '\'' || !l.canEnd(inner.i+1) {
		return "", false
	}
	text := l.s[l.i+1 : inner.i]
	l.i = inner.i + 1
	return text, true
}

// canEnd reports whether the text at i can follow a string.
func (l *literal) canEnd(i int) bool {
	for i < len(l.s) && isSpace(l.s[i]) {
		i++
	}
	return i == len(l.s) || strings.IndexByte(",:}])", l.s[i]) >= 0
}

// escape decodes the escape at l.i, of JSON or Python. An unknown one is copied, as in Python.
func (l *literal) escape(dst []byte) []byte {
	c := l.s[l.i+1]
	l.i += 2
	switch c {
	case '"', '\\', '\'', '/':
		return append(dst, c)
	case 'n', 't', 'r', 'b', 'f', 'a', 'v':
		return append(dst, "\n\t\r\b\f\a\v"[strings.IndexByte("ntrbfav", c)])
	case '\n':
		return dst
	case 'x':
		return l.codePoint(dst, 2, `\x`)
	case 'U':
		return l.codePoint(dst, 8, `\U`)
	case 'u':
		start := l.i - 2 // consecutive escapes are read together, since two may be one rune
		for strings.HasPrefix(l.s[l.i-2:], `\u`) && isHex(l.s, l.i, 4) {
			l.i += 6
		}
		if l.i-2 > start {
			l.i -= 2
			return jsontext.AppendText(dst, jsontext.Body(l.s[start:l.i]))
		}
	}
	return append(dst, '\\', c)
}

// codePoint reads n hexadecimal digits; without them it copies mark as text.
func (l *literal) codePoint(dst []byte, n int, mark string) []byte {
	if !isHex(l.s, l.i, n) {
		return append(dst, mark...)
	}
	r, _ := strconv.ParseUint(l.s[l.i:l.i+n], 16, 32)
	l.i += n
	return utf8.AppendRune(dst, rune(r))
}

// isHex reports whether s[i] is the first of n hexadecimal digits.
func isHex(s string, i, n int) bool {
	return i+n <= len(s) && strings.Trim(s[i:i+n], "0123456789abcdefABCDEF") == ""
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// identifier reports whether s[i] can be part of a name.
func identifier(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}
