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
	var parts []part
	var key []byte
	marked, escaped := false, false
	flush := func() {
		p := part{key: string(key), index: -1}
		if !marked && !escaped {
			if n, err := strconv.Atoi(p.key); err == nil && n >= 0 && strconv.Itoa(n) == p.key {
				p.index = n
			}
			p.end = p.key == "-1"
		}
		parts, key, marked, escaped = append(parts, p), nil, false, false
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path):
			i++
			key, escaped = append(key, path[i]), true
		case c == '.':
			flush()
		case c == ':' && len(key) == 0 && !marked:
			marked = true
		case strings.IndexByte("*?|#", c) >= 0, len(key) == 0 && !marked && strings.IndexByte("@!{[", c) >= 0:
			return nil, fmt.Errorf("want a plain path, have %q: escape %q with a backslash if it is part of a key", path, c)
		default:
			key = append(key, c)
		}
	}
	flush()
	return parts, nil
}

// joinPath is the inverse of splitPath for what sjson reads.
func joinPath(parts []part) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		if p.index < 0 && !p.end && isNumber(p.key) {
			b.WriteByte(':')
		}
		for j := range len(p.key) {
			if strings.IndexByte(`.*?\|#@!{}[]()=<>%":~`, p.key[j]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(p.key[j])
		}
	}
	return b.String()
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// A place is where a path leads in a document.
type place struct {
	start, end int // the value
	member     int // where the value's member or element begins: its key, or start
	depth      int // how many parts of the path exist
}

// locate follows parts through doc and gives every place they lead to: duplicate keys make more than one. Readers
// that know duplicates take the last, so when the way along the last ones ends early, missing is the value where
// it ends, with the number of parts that lead there; else missing.depth is -1.
func locate(doc string, parts []part) (found []place, missing place) {
	type cursor struct {
		place
		last bool
	}
	start := skipSpace(doc, 0)
	stack := []cursor{{place{start: start, end: skipValue(doc, start), member: start}, true}}
	missing.depth = -1
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.depth == len(parts) {
			found = append(found, c.place)
			continue
		}
		p, before := parts[c.depth], len(stack)
		eachMember(doc[c.start:c.end], func(n, member, keyEnd, from, to int) bool {
			if keyEnd < 0 && n != p.index || keyEnd >= 0 && !sameKey(doc[c.start+member:c.start+keyEnd], p.key) {
				return true
			}
			stack = append(stack, cursor{place: place{c.start + from, c.start + to, c.start + member, c.depth + 1}})
			return keyEnd >= 0
		})
		switch {
		case len(stack) > before:
			stack[len(stack)-1].last = c.last
		case c.last:
			missing = c.place
		}
	}
	return found, missing
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

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
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
