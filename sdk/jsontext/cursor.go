package jsontext

import (
	"iter"
	"strings"
)

// A Cursor walks a valid JSON text from left to right. Text that is not valid gives wrong values, never a panic.
type Cursor struct {
	JSON JSON
	At   int // the next byte to read
	Key  int // of Members: where the key at hand begins, at its quote
}

// Kind gives the first byte of the value ahead: '{', '[', '"', 't', 'f', 'n', a digit or '-'; 0 at the end.
func (c *Cursor) Kind() byte {
	c.At = skipSpace(c.JSON, c.At)
	if c.At >= len(c.JSON) {
		return 0
	}
	return c.JSON[c.At]
}

// Value reads the value ahead and gives its text.
func (c *Cursor) Value() JSON {
	start := skipSpace(c.JSON, c.At)
	c.At = skipValue(c.JSON, start)
	return c.JSON[start:c.At]
}

// Skip leaves the value ahead out.
func (c *Cursor) Skip() { c.At = skipValue(c.JSON, skipSpace(c.JSON, c.At)) }

// String reads a string and gives its body: what stands between the quotes, escapes and all. Any other value is left
// out, and ok is false.
func (c *Cursor) String() (body Body, ok bool) {
	if c.Kind() != '"' {
		c.Skip()
		return "", false
	}
	start := c.At + 1
	c.At = skipString(c.JSON, c.At)
	return Body(c.JSON[start:max(start, c.At-1)]), true
}

// Members reads an object: it gives each key, decoded, and the loop's body may read the value; what the body leaves is
// skipped. Any other value is left out.
func (c *Cursor) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.Kind() != '{' {
			c.Skip()
			return
		}
		c.At++
		for {
			if c.Kind() == ',' {
				c.At++
				c.Kind()
			}
			if c.At >= len(c.JSON) || c.JSON[c.At] != '"' {
				c.At = min(c.At+1, len(c.JSON))
				return
			}
			c.Key = c.At
			key, _ := c.String()
			if c.Kind() == ':' {
				c.At++
			}
			c.Kind()
			before := c.At
			if !yield(key.Text()) {
				return
			}
			if c.At == before {
				c.Skip()
				if c.At == before { // not JSON: no value where one belongs
					c.At = len(c.JSON)
					return
				}
			}
		}
	}
}

// Elements reads an array in the manner of Members and gives each index.
func (c *Cursor) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.Kind() != '[' {
			c.Skip()
			return
		}
		c.At++
		for n := 0; ; n++ {
			if c.Kind() == ',' {
				c.At++
				c.Kind()
			}
			if c.At >= len(c.JSON) || c.JSON[c.At] == ']' || c.JSON[c.At] == '}' {
				c.At = min(c.At+1, len(c.JSON))
				return
			}
			before := c.At
			if !yield(n) {
				return
			}
			if c.At == before {
				c.Skip()
				if c.At == before {
					c.At = len(c.JSON)
					return
				}
			}
		}
	}
}

// skipSpace gives the offset of what stands behind blanks. The first comparison settles what JSON written by programs
// mostly has: none.
func skipSpace[T ~string | ~[]byte](s T, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the offset behind the string that begins at i.
func skipString(s JSON, i int) int {
	i++
	for short := min(len(s), i+16); i < short; i++ { // most are keys and names, for which a search takes longer to start
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	for i < len(s) {
		j := strings.IndexByte(string(s[i:]), '"')
		if j < 0 {
			return len(s)
		}
		i += j + 1
		k := i - 2
		for k >= 0 && s[k] == '\\' {
			k--
		}
		if (i-k)%2 == 0 {
			return i
		}
	}
	return len(s)
}

// Classes of bytes for skipValue.
const (
	plain = iota
	quote
	open
	shut
	between // what ends a number or literal
)

var classes = [256]uint8{'"': quote, '{': open, '[': open, '}': shut, ']': shut, ',': between, ':': between, ' ': between, '\t': between, '\n': between, '\r': between}

// skipValue gives the offset behind the value that begins at i.
func skipValue(s JSON, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch classes[s[i]] {
	case quote:
		return skipString(s, i)
	case plain:
		for i < len(s) && classes[s[i]] == plain {
			i++
		}
		return i
	case shut, between:
		return i
	}
	for depth := 0; i < len(s); {
		switch classes[s[i]] {
		case quote:
			i = skipString(s, i)
			continue
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}
