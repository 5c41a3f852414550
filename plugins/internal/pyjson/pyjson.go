// Package pyjson writes JSON as Python's json.dumps does.
package pyjson

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Layout holds the options of AppendDumps.
type Layout struct {
	SortKeys bool
	Indent   int // 0 is one line with the separators ", " and ": "
}

// AppendDumps appends a JSON value as Python writes it after reading it: json.dumps(json.loads(value),
// ensure_ascii=False), with sort_keys and indent of the layout.
func AppendDumps(dst []byte, value jsontext.JSON, l Layout) []byte {
	c := value.Cursor()
	return l.append(dst, &c, 0)
}

func (l Layout) append(dst []byte, c *jsontext.Cursor, depth int) []byte {
	switch kind := c.Kind(); kind {
	case '"':
		body, _ := c.String()
		return appendString(dst, body)
	case '[':
		dst = append(dst, '[')
		n := 0
		for i := range c.Elements() {
			dst = l.separate(dst, i, depth+1)
			dst = l.append(dst, c, depth+1)
			n++
		}
		return l.close(dst, ']', n, depth)
	case '{':
		dst = append(dst, '{')
		members := c.Value().Unique()
		if l.SortKeys {
			slices.SortFunc(members, func(a, b jsontext.Member) int { return strings.Compare(a.Key, b.Key) })
		}
		for i, m := range members {
			dst = l.separate(dst, i, depth+1)
			dst = append(jsontext.AppendString(dst, m.Key), ": "...)
			inner := m.Value.Cursor()
			dst = l.append(dst, &inner, depth+1)
		}
		return l.close(dst, '}', len(members), depth)
	case 't', 'f', 'n':
		return append(dst, c.Value()...)
	}
	return AppendNumber(dst, string(c.Value()), "Infinity")
}

func (l Layout) separate(dst []byte, index, depth int) []byte {
	switch {
	case l.Indent == 0 && index > 0:
		return append(dst, ", "...)
	case l.Indent == 0:
		return dst
	case index > 0:
		dst = append(dst, ',')
	}
	return appendIndent(dst, depth*l.Indent)
}

func (l Layout) close(dst []byte, bracket byte, n, depth int) []byte {
	if l.Indent > 0 && n > 0 {
		dst = appendIndent(dst, depth*l.Indent)
	}
	return append(dst, bracket)
}

func appendIndent(dst []byte, n int) []byte {
	return append(append(dst, '\n'), bytes.Repeat([]byte{' '}, n)...)
}

func appendString(dst []byte, body jsontext.Body) []byte {
	if strings.IndexByte(string(body), '\\') < 0 {
		return append(append(append(dst, '"'), body...), '"')
	}
	return jsontext.AppendString(dst, body.Text())
}

// AppendNumber appends a number as Python prints the int or float it reads, and infinity for a float that is too large.
func AppendNumber(dst []byte, token, infinity string) []byte {
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
