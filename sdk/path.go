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
	end   bool // "-1", the place after the last element of an array
}

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

// isNumber reports whether s is a whole number without a sign or zeros in front.
func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}

// find returns the value that the part leads to in a JSON text, the first of duplicate keys.
func (p *part) find(value string) gjson.Result {
	switch {
	case strings.HasPrefix(value, "{"):
		return gjson.Get(value, gjson.Escape(strings.ToValidUTF8(p.key, "\uFFFD")))
	case strings.HasPrefix(value, "[") && p.index >= 0:
		return gjson.Get(value, p.key)
	}
	return gjson.Result{}
}

// A place is a value in a document that a path, or the beginning of it, leads to.
type place struct {
	start, end int
	depth      int // how many parts of the path lead there
}

// locate returns every place that parts lead to in doc, in order: duplicate keys make more than one.
// Readers that know duplicates take the last, so when the path along the last ones ends early, missing is the value
// where it ends, with the number of parts that lead there; else missing.depth is -1.
func locate(doc string, parts []part) (found []place, missing place) {
	s := search{doc: doc, parts: parts, missing: place{depth: -1}}
	s.walk(place{start: jsontext.Blanks(doc), end: len(strings.TrimRight(doc, blanks))}, true)
	return s.found, s.missing
}

type search struct {
	doc     string
	parts   []part
	found   []place
	missing place
}

// walk goes down one part at a time, so that neither a deep document nor a long path makes gjson recurse.
func (s *search) walk(at place, last bool) {
	if at.depth == len(s.parts) {
		s.found = append(s.found, at)
		return
	}
	want, value := &s.parts[at.depth], s.doc[at.start:at.end]
	hit := want.find(value)
	if !hit.Exists() {
		if last {
			s.missing = at
		}
		return
	}
	start := at.start + hit.Index
	match := place{start, start + len(hit.Raw), at.depth + 1}
	if value[0] == '{' {
		c := jsontext.Cursor{JSON: jsontext.JSON(s.doc), At: match.end}
		for key := range c.MoreMembers() {
			// A path spells a lone surrogate as U+FFFD.
			if key == want.key || strings.IndexByte(key, 0xed) >= 0 && gjson.ParseBytes(jsontext.AppendString(nil, key)).Str == want.key {
				s.walk(match, false)
				match.start = c.At
				c.Skip()
				match.end = c.At
			}
		}
	}
	s.walk(match, last)
}

// memberStart returns where the key of the value at start begins, or start when the value is an element of an array.
func memberStart(doc string, start int) int {
	colon := strings.TrimRight(doc[:start], blanks)
	before, isMember := strings.CutSuffix(colon, ":")
	if !isMember {
		return start
	}
	quote := len(strings.TrimRight(before, blanks)) - 1
	for {
		if quote = strings.LastIndexByte(doc[:quote], '"'); !isEscaped(doc, quote) {
			return quote
		}
	}
}

const blanks = " \n\t\r"
