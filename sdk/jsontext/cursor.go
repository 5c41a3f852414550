package jsontext

import (
	"iter"
	"math/bits"
	"strings"
	"unsafe"
)

// A Cursor walks a valid JSON text from left to right. In invalid text it returns wrong values, but never panics.
type Cursor struct {
	JSON JSON
	At   int // the next byte to read
	Key  int // in a loop over Members: the quote at which the current key begins
}

// Kind returns the first byte of the next value: '{', '[', '"', 't', 'f', 'n', a digit or '-'; 0 at the end.
func (c *Cursor) Kind() byte {
	c.At = skipSpace(c.JSON, c.At)
	if c.At >= len(c.JSON) {
		return 0
	}
	return c.JSON[c.At]
}

// Value reads the next value and returns its text.
func (c *Cursor) Value() JSON {
	start := skipSpace(c.JSON, c.At)
	c.At = skipValue(c.JSON, start)
	return c.JSON[start:c.At]
}

// Skip passes over the next value.
func (c *Cursor) Skip() { c.At = skipValue(c.JSON, skipSpace(c.JSON, c.At)) }

// String reads a string and returns its body. It passes over any other value, and ok is false.
func (c *Cursor) String() (body Body, ok bool) {
	if c.Kind() != '"' {
		c.Skip()
		return "", false
	}
	start := c.At + 1
	c.At = skipString(c.JSON, c.At)
	return Body(c.JSON[start:max(start, c.At-1)]), true
}

// Members iterates over an object: it yields each key, decoded, and the loop's body may read the value; a value that the body
// does not read is skipped. Any other value is passed over.
func (c *Cursor) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.Kind() != '{' {
			c.Skip()
			return
		}
		c.At++
		c.members(yield)
	}
}

// MoreMembers iterates over the members of an object that follow At, where a value ends, as Members does.
func (c *Cursor) MoreMembers() iter.Seq[string] {
	return func(yield func(string) bool) { c.members(yield) }
}

func (c *Cursor) members(yield func(string) bool) {
	s, at := c.JSON, skipSpace(c.JSON, c.At)
	for {
		if at < len(s) && s[at] == ',' {
			at = skipSpace(s, at+1)
		}
		if at >= len(s) || s[at] != '"' {
			c.At = min(at+1, len(s))
			return
		}
		end, plain := passString(s, at)
		c.Key, at = at, skipSpace(s, end)
		key := string(s[c.Key+1 : max(c.Key+1, end-1)])
		if !plain {
			key = Body(key).Text()
		}
		if at < len(s) && s[at] == ':' {
			at = skipSpace(s, at+1)
		}
		c.At = at
		if !yield(key) {
			return
		}
		if c.At == at {
			c.Skip()
			if c.At == at { // not JSON: no value where one belongs
				c.At = len(s)
				return
			}
		}
		at = skipSpace(s, c.At)
	}
}

// Elements iterates over the indexes of an array, as Members does over keys.
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

// skipSpace returns the offset of the first byte from i on that is no blank. Most JSON that programs write has none.
func skipSpace[T ~string | ~[]byte](s T, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the offset after the string that begins at i.
func skipString(s JSON, i int) int {
	end, _ := passString(s, i)
	return end
}

// passString returns the offset after the string that begins at i. plain reports that it is short and has no escape.
func passString(s JSON, i int) (end int, plain bool) {
	i++
	for short := min(len(s)-8, i+8); i <= short; i += 8 { // most are keys and names, for which a search takes longer to start
		m := ending(load(unsafe.StringData(string(s)), i))
		if m == 0 {
			continue
		}
		if i += bits.TrailingZeros64(m) / 8; s[i] == '"' {
			return i + 1, true
		}
		i += 2
		break
	}
	for quotes := 0; i < len(s); quotes++ {
		if quotes == manyQuotes && hasAVX2 && len(s) >= leastForKernel {
			if end := passTextAVX2(Bytes(string(s)), i); end > 0 {
				return end + 1, false
			}
		}
		j := strings.IndexByte(string(s[i:]), '"')
		if j < 0 {
			break
		}
		i += j + 1
		k := i - 2
		for k >= 0 && s[k] == '\\' {
			k--
		}
		if (i-k)%2 == 0 {
			return i, false
		}
	}
	return len(s), false
}

// manyQuotes is how many escaped quotes of a string it takes until the kernel, which reads them all, is faster than a search for each.
const manyQuotes = 4

// ending marks quotes and backslashes among the bytes of w. Only the lowest mark is exact.
func ending(w uint64) uint64 {
	q, b := w^'"'*ones, w^'\\'*ones
	return ((q-ones)&^q | (b-ones)&^b) & highs
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

// skipValue returns the offset after the value that begins at i.
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
