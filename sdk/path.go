package sdk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// A part is one component of a plain path: an object key, or an array index when it is a number.
type part struct {
	key   string
	index int  // -1 when key is not a number, or marked as a key with ':'
	end   bool // "-1", the place behind the last element of an array
}

// splitPath reads a plain gjson path: keys and indices joined by dots, `\` before a special character, `:` before
// a number that is a key. What gjson would match by pattern is refused, since an edit must name one place.
func splitPath(path string) ([]part, error) {
	if path == "" {
		return nil, fmt.Errorf("want a path, have %q", path)
	}
	parts := make([]part, 0, strings.Count(path, ".")+1)
	start, escaped := 0, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			escaped = true
		case c == '.':
			parts = append(parts, newPart(path[start:i], escaped))
			start, escaped = i+1, false
		case strings.IndexByte("*?|#", c) >= 0, i == start && strings.IndexByte("@!{[", c) >= 0:
			return nil, fmt.Errorf("want a plain path, have %q: escape %q with a backslash if it is part of a key", path, c)
		}
	}
	return append(parts, newPart(path[start:], escaped)), nil
}

// newPart reads one component. An escaped one is a key, whatever it looks like.
func newPart(text string, escaped bool) part {
	p := part{key: text, index: -1}
	switch {
	case escaped:
		p.key = unescapePart(text)
	case text == "-1":
		p.end = true
	case isNumber(text):
		if n, err := strconv.Atoi(text); err == nil {
			p.index = n
		}
	case text != "" && text[0] == ':' && isNumber(text[1:]):
		p.key = text[1:]
	}
	return p
}

func unescapePart(text string) string {
	key := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		key = append(key, text[i])
	}
	return string(key)
}

// isNumber tells whether s is a whole number in its only spelling.
func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}

// A place is where a path leads in a document.
type place struct {
	start, end int // the value
	member     int // where the value's member or element begins: its key, or start
	depth      int // how many parts of the path exist
}

// locate follows parts through doc and gives every place they lead to, in order: duplicate keys make more than one.
// Readers that know duplicates take the last, so when the way along the last ones ends early, missing is the value
// where it ends, with the number of parts that lead there; else missing.depth is -1.
func locate(doc string, parts []part) (found []place, missing place) {
	s := search{doc: doc, parts: parts, missing: place{depth: -1}}
	start := skipSpace(doc, 0)
	s.walk(place{start: start, end: skipValue(doc, start), member: start}, true)
	return s.found, s.missing
}

type search struct {
	doc     string
	parts   []part
	found   []place
	missing place
}

func (s *search) walk(at place, last bool) {
	if at.depth == len(s.parts) {
		s.found = append(s.found, at)
		return
	}
	want, match := s.parts[at.depth], place{}
	eachMember(s.doc[at.start:at.end], func(n, member, keyEnd, from, to int) bool {
		if keyEnd < 0 && n != want.index || keyEnd >= 0 && !sameKey(s.doc[at.start+member:at.start+keyEnd], want.key) {
			return true
		}
		if match.depth > 0 {
			s.walk(match, false)
		}
		match = place{at.start + from, at.start + to, at.start + member, at.depth + 1}
		return keyEnd >= 0
	})
	switch {
	case match.depth > 0:
		s.walk(match, last)
	case last:
		s.missing = at
	}
}

// sameKey compares a quoted JSON key with a key.
func sameKey(quoted, key string) bool {
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1:len(quoted)-1] == key
	}
	return gjson.Parse(quoted).Str == key
}

// eachMember calls fn for each member of an object or element of an array, with offsets in v: where it begins, where
// its key ends (-1 in an array), and its value. Other values have none.
func eachMember(v string, fn func(n, member, keyEnd, from, to int) bool) {
	if v == "" || v[0] != '{' && v[0] != '[' {
		return
	}
	i := skipSpace(v, 1)
	for n := 0; i < len(v) && v[i] != '}' && v[i] != ']'; n++ {
		member, keyEnd := i, -1
		if v[0] == '{' {
			keyEnd = skipString(v, i)
			i = skipSpace(v, keyEnd)
			i = skipSpace(v, i+1)
		}
		from := i
		i = skipValue(v, i)
		if !fn(n, member, keyEnd, from, i) {
			return
		}
		if i = skipSpace(v, i); i < len(v) && v[i] == ',' {
			i = skipSpace(v, i+1)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// skipString gives the offset behind the string that begins at i.
func skipString(s string, i int) int {
	for i++; i < len(s); {
		j := strings.IndexByte(s[i:], '"')
		if j < 0 {
			return len(s)
		}
		i += j + 1
		slashes := 0
		for k := i - 2; k >= 0 && s[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return len(s)
}

// skipValue gives the offset behind the value that begins at i. The document is known to be valid.
func skipValue(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			if i = skipString(s, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 {
				return i
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
