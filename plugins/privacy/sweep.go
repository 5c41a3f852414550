package privacy

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A rule says what was found. Its name is for the ledger and the counts.
type rule struct {
	name   string
	entity string
	marker string // what takes the place of a finding
}

// A finding is one thing that one rule found.
type finding struct {
	rule       *rule
	path       []step
	inKey      bool // in the key that path ends with
	start, end int  // code points of the decoded string, or of the number's text
	value      string
	out        string // what stands there now
}

// A step is one component of a path: an object key, an array index, or the text of a string read as JSON.
type step struct {
	key      string
	index    int  // -1 for a key
	parsed   bool // the string here is read as JSON from now on
	personal bool // the key holds a finding, so it is shown as a hash
}

// An edit puts text in the place of doc[start:end].
type edit struct {
	start, end int
	text       string
}

func sortEdits(edits []edit) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
}

// apply appends doc with its edits, which are sorted and do not overlap.
func apply(dst []byte, doc string, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(append(dst, doc[at:e.start]...), e.text...)
		at = e.end
	}
	return append(dst, doc[at:]...)
}

// A sweep is the way of a filter through one JSON text.
type sweep struct {
	doc      string
	tape     tape
	findings []finding
	edits    []edit
	personal []int32 // keys that hold a finding
}

func (s *sweep) decode(n int32) text { return decode(s.doc, s.tape[n]) }

// path gives the way to node n. For a key it is the way to its value.
func (s *sweep) path(n int32) []step {
	if s.tape[n].kind == 'k' {
		n++
	}
	var path []step
	for ; s.tape[n].parent >= 0; n = s.tape[n].parent {
		if s.tape[s.tape[n].parent].kind == '[' {
			path = append(path, step{index: s.tape.index(n)})
			continue
		}
		path = append(path, step{key: s.decode(n - 1).s, index: -1, personal: slices.Contains(s.personal, n-1)})
	}
	slices.Reverse(path)
	return path
}

// note takes down a finding in decoded[start:end] of string or key n.
func (s *sweep) note(r *rule, n int32, decoded string, start, end int, value, out string) {
	if s.tape[n].kind == 'k' && !slices.Contains(s.personal, n) {
		s.personal = append(s.personal, n)
	}
	from := utf8.RuneCountInString(decoded[:start])
	s.findings = append(s.findings, finding{
		rule: r, path: s.path(n), inKey: s.tape[n].kind == 'k', value: value, out: out,
		start: from, end: from + utf8.RuneCountInString(decoded[start:end]),
	})
}

// whole puts a string marker in the place of a scalar.
func (s *sweep) whole(n int32, marker string) {
	start, end := s.tape[n].start, s.tape[n].end
	if s.tape[n].kind == '"' {
		start, end = start-1, end+1
	}
	s.edits = append(s.edits, edit{start, end, `"` + string(appendEscaped(nil, marker)) + `"`})
}

// plainKey lower-cases a key and removes all but letters and digits of ASCII.
func plainKey(key string) string {
	clean := true
	for i := range len(key) {
		clean = clean && (isDigit(key[i]) || key[i]-'a' < 26)
	}
	if clean {
		return key
	}
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isAlnum(byte(r)) {
			return r
		}
		return -1
	}, strings.ToLower(key))
}

// number reads a coordinate: a JSON number, or a string that is nothing but one with an optional fraction.
func (s *sweep) number(n int32) (f float64, written string, ok bool) {
	switch at := &s.tape[n]; at.kind {
	case '0':
		written = s.doc[at.start:at.end]
	case '"':
		written = s.decode(n).s
		if !isDecimal(trimSpace(written)) {
			return 0, "", false
		}
	default:
		return 0, "", false
	}
	f, err := strconv.ParseFloat(asciiDigits(trimSpace(written)), 64)
	return f, written, err == nil
}
