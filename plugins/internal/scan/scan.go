// Package scan walks JSON text that is known to be valid, without decoding or copying it.
package scan

import (
	"iter"
	"strings"
)

// Members yields the members of an object in order: the key decoded, and the text of the value. It yields nothing
// when v is not an object. Of duplicate keys it yields all.
func Members(v string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		i := space(v, 0)
		if i >= len(v) || v[i] != '{' {
			return
		}
		for i++; ; {
			i = space(v, i)
			if i >= len(v) || v[i] != '"' {
				return
			}
			start := i
			i = stringEnd(v, i)
			key := v[start+1 : i-1]
			if strings.IndexByte(key, '\\') >= 0 {
				key = Text(v[start:i])
			}
			i = space(v, i)
			if i >= len(v) || v[i] != ':' {
				return
			}
			start = space(v, i+1)
			i = End(v, start)
			if i == start || !yield(key, v[start:i]) {
				return
			}
			if i = space(v, i); i >= len(v) || v[i] != ',' {
				return
			}
			i++
		}
	}
}

// Elements yields the elements of an array in order, with their index. It yields nothing when v is not an array.
func Elements(v string) iter.Seq2[int, string] {
	return func(yield func(index int, value string) bool) {
		i := space(v, 0)
		if i >= len(v) || v[i] != '[' {
			return
		}
		i++
		for n := 0; ; n++ {
			start := space(v, i)
			if start >= len(v) || v[start] == ']' {
				return
			}
			i = End(v, start)
			if i == start || !yield(n, v[start:i]) {
				return
			}
			if i = space(v, i); i >= len(v) || v[i] != ',' {
				return
			}
			i++
		}
	}
}

// Get gives the text of the last member of that name, or "" when there is none. It walks the whole object, so it
// is for small ones.
func Get(object, name string) string {
	found := ""
	for key, value := range Members(object) {
		if key == name {
			found = value
		}
	}
	return found
}

// End is the offset behind the value that begins at v[i].
func End(v string, i int) int {
	if i >= len(v) {
		return i
	}
	switch v[i] {
	case '"':
		return stringEnd(v, i)
	case '{', '[':
		return compositeEnd(v, i)
	}
	for i < len(v) && !delimiter[v[i]] {
		i++
	}
	return i
}

var delimiter = [256]bool{',': true, ']': true, '}': true, ':': true, ' ': true, '\t': true, '\n': true, '\r': true}

// structural marks the bytes that matter when a composite is skipped.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

func compositeEnd(v string, i int) int {
	for depth := 0; i < len(v); {
		c := v[i]
		if !structural[c] {
			i++
			continue
		}
		switch c {
		case '"':
			i = stringEnd(v, i)
			continue
		case '{', '[':
			depth++
		default:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(v)
}

// stringEnd is the offset behind the string whose opening quote is v[i].
func stringEnd(v string, i int) int {
	for i++; i < len(v); i++ {
		n := strings.IndexByte(v[i:], '"')
		if n < 0 {
			break
		}
		i += n
		back := i - 1
		for v[back] == '\\' {
			back--
		}
		if (i-back)%2 == 1 {
			return i + 1
		}
	}
	return len(v)
}

func space(v string, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return i
}

// IsString, IsObject, IsArray and IsNull tell what kind of value a text is. The text may be empty: it is then none.
func IsString(v string) bool { return v != "" && v[0] == '"' }

// IsObject tells whether v is an object.
func IsObject(v string) bool { return v != "" && v[0] == '{' }

// IsArray tells whether v is an array.
func IsArray(v string) bool { return v != "" && v[0] == '[' }

// IsNull tells whether v is null.
func IsNull(v string) bool { return v == "null" }

// Kind names the kind of a value, for messages: "a string", "an object", "nothing" for "".
func Kind(v string) string {
	if v == "" {
		return "nothing"
	}
	switch v[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
