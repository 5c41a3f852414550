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
	counted  struct {
		text      string
		at, runes int
	}
	prefix []step // the way to the text, when it is the content of a string
	open   bool   // something may be found in what the edits leave
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
	return append(slices.Clone(s.prefix), path...)
}

// note takes down a finding in decoded[start:end] of string or key n.
func (s *sweep) note(r *rule, n int32, decoded string, start, end int, value, out string) {
	if s.tape[n].kind == 'k' && !slices.Contains(s.personal, n) {
		s.personal = append(s.personal, n)
	}
	from := s.runes(decoded, start)
	s.findings = append(s.findings, finding{
		rule: r, path: s.path(n), inKey: s.tape[n].kind == 'k', value: value, out: out,
		start: from, end: from + utf8.RuneCountInString(decoded[start:end]),
	})
}

// runes counts the code points before at. Findings of one string mostly go from left to right, so it goes on from the
// last one.
func (s *sweep) runes(decoded string, at int) int {
	if s.counted.text != decoded || s.counted.at > at {
		s.counted.text, s.counted.at, s.counted.runes = decoded, 0, 0
	}
	s.counted.runes += utf8.RuneCountInString(decoded[s.counted.at:at])
	s.counted.at = at
	return s.counted.runes
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

// inSchema tells whether key n is part of a JSON Schema, where it names an argument.
func (s *sweep) inSchema(n int32) bool {
	for object := s.tape[n].parent; object > 0; object = s.tape[object].parent {
		if key := object - 1; s.tape[key].kind == 'k' && keyClasses[plainKey(s.decode(key).s)]&schemaKey != 0 {
			return true
		}
	}
	return false
}

// separate gives keys of an object that became equal different names again.
func (s *sweep) separate(object int32) {
	taken := map[string]bool{}
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		if !slices.Contains(s.personal, k) {
			taken[s.decode(k).s] = true
		}
	}
	finals := map[string]string{} // by what stood there, as a duplicate stays one
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		at := slices.IndexFunc(s.edits, func(e edit) bool { return e.start == s.tape[k].start && e.end == s.tape[k].end })
		if at < 0 || s.tape[k].start == s.tape[k].end {
			continue
		}
		raw := s.decode(k).s
		final, again := finals[raw]
		for n := 1; !again && (final == "" || taken[final]); n++ {
			if final = s.edits[at].text; n > 1 {
				final += "_" + strconv.Itoa(n)
			}
		}
		finals[raw], taken[final] = final, true
		s.edits[at].text = final
	}
}

// position gives the first two elements of an array that are a place: two or three numbers with decimals, one of
// which can be a latitude and the other a longitude, in either order.
func (s *sweep) position(n int32) (first, second int32, ok bool) {
	first = n + 1
	if first >= s.tape[n].next {
		return 0, 0, false
	}
	second = s.tape[first].next
	if second >= s.tape[n].next {
		return 0, 0, false
	}
	if third := s.tape[second].next; third < s.tape[n].next && s.tape[third].next < s.tape[n].next {
		return 0, 0, false // a box, or a vector
	}
	fits := s.within(first, 90) && s.within(second, 180) || s.within(first, 180) && s.within(second, 90)
	return first, second, fits && s.decimals(first) >= 2 && s.decimals(second) >= 2
}

// decimals counts what stands behind the point of a number.
func (s *sweep) decimals(n int32) int {
	_, written, _ := s.number(n)
	_, fraction, _ := strings.Cut(strings.TrimSpace(written), ".")
	return len(fraction)
}
