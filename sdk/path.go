package sdk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A part is one component of a plain path: an object key, or an array index when it is a number.
type part struct {
	key   string
	index int  // -1 when key is not a number, or marked as a key with ':'
	end   bool // "-1", the place behind the last element of an array
}

// isIndex tells whether the part names an element of an array.
func (p *part) isIndex() bool { return p.end || p.index >= 0 }

// splitPath appends a plain gjson path to parts: keys and indices joined by dots, `\` before a special character, `:` before
// a number that is a key. What gjson would match by pattern is refused, since an edit must name one place.
func splitPath(parts []part, path string) ([]part, error) {
	if path == "" {
		return nil, fmt.Errorf("want a path, have %q", path)
	}
	start, escaped := 0, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '\\':
			if i+1 < len(path) {
				i++
				escaped = true
			}
		case '.':
			parts = append(parts, newPart(path[start:i], escaped))
			start, escaped = i+1, false
		case '@', '!', '{', '[':
			if i > start {
				continue
			}
			fallthrough
		case '*', '?', '|', '#':
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
	s := search{doc: jsontext.JSON(doc), parts: parts, missing: place{depth: -1}}
	start, end := jsontext.Blanks(doc), len(doc)
	for end > start && isSpace(doc[end-1]) {
		end--
	}
	s.walk(place{start: start, end: end, member: start}, true)
	return s.found, s.missing
}

type search struct {
	doc     jsontext.JSON
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
	c := jsontext.Cursor{JSON: s.doc, At: at.start}
	switch c.Kind() {
	case '{':
		for key := range c.Members() {
			if !sameKey(key, want.key) {
				continue
			}
			if match.depth > 0 {
				s.walk(match, false)
			}
			match = place{start: c.At, member: c.Key, depth: at.depth + 1}
			c.Skip()
			match.end = c.At
		}
	case '[':
		for n := range c.Elements() {
			if n == want.index {
				match = place{start: c.At, member: c.At, depth: at.depth + 1}
				c.Skip()
				match.end = c.At
				break
			}
		}
	}
	switch {
	case match.depth > 0:
		s.walk(match, last)
	case last:
		s.missing = at
	}
}

// sameKey compares a decoded key with one of a path, where U+FFFD stands for a lone surrogate.
func sameKey(key, want string) bool {
	return key == want || strings.IndexByte(key, 0xed) >= 0 && gjson.ParseBytes(jsontext.AppendString(nil, key)).Str == want
}

// elements is how many elements an array has.
func elements(array string) (n int) {
	c := jsontext.JSON(array).Cursor()
	for range c.Elements() {
		n++
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
