package recognise

import (
	"slices"
	"sort"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A change is a part of a text that reads as something else: the colours of a terminal as nothing, %40 as an @. Where it may
// be a border between two values as well as inside of one, both readings are searched.
type change struct {
	start, end int
	out        string // how it reads inside of a value
	apart      string // how it reads as a border
}

// A stretch is text[start:end] with its changes, as it reads, and for each change where that begins in it.
type stretch struct {
	start, end int
	changes    []change
	text       string
	at         []int
}

// dressed adds to s.kept what the rules find in the normalized lines of a text that are dressed. No rule knows of dress: each
// stretch of such lines is searched like a text of its own, and what is found there is mapped back.
func (s *Scan) dressed(text string, class rules.Class) {
	s.dress.read(text)
	if len(s.dress.changes) == 0 {
		return
	}
	plain := s.kept
	var joined, apart []match
	for from := 0; from < len(s.dress.changes); {
		var t stretch
		t, from = s.dress.stretch(text, from, Keyed(class))
		joined = s.searchStretch(joined, &t, text, class, false)
		if slices.ContainsFunc(t.changes, func(c change) bool { return c.apart != c.out }) {
			apart = s.searchStretch(apart, &t, text, class, true)
		}
	}
	s.s = text
	plain = s.withoutCut(plain, apart, joined)
	for _, found := range [][]match{apart, joined} {
		if len(found) > 0 {
			plain = s.merge(plain, found)
		}
	}
	s.kept = plain
}

// searchStretch appends what the rules find in a stretch, with offsets of the text.
func (s *Scan) searchStretch(dst []match, t *stretch, text string, class rules.Class, apart bool) []match {
	t.normalize(text, apart, &s.stretched)
	s.begin(t.text, class)
	if t.start > 0 || t.end < len(text) {
		s.class &^= wholeClasses
	}
	s.run(s)
	if len(s.matches) == 0 {
		return dst
	}
	s.kept = nil
	s.choose()
	for _, m := range s.kept {
		m.start, m.end = t.origin(m.start, false), t.origin(m.end, true)
		if len(dst) == 0 || dst[len(dst)-1].end <= m.start {
			dst = append(dst, m)
		}
	}
	return dst
}

// wholeClasses are those of keys whose whole text is a value.
const wholeClasses = rules.PasswordKey | rules.SecretKey | rules.VagueKey | rules.BirthKey | rules.SeedKey

// stretch returns the lines around the change with that index and those near it, and the index of the next change.
func (d *dress) stretch(text string, from int, whole bool) (t stretch, next int) {
	if whole {
		return stretch{start: 0, end: len(text), changes: d.changes}, len(d.changes)
	}
	first := d.changes[from].start
	t.start = strings.LastIndexByte(text[:first], '\n') + 1
	if t.start > 0 {
		t.start = strings.LastIndexByte(text[:t.start-1], '\n') + 1
	}
	line := -1 // the end of the line of the last change
	for next = from; next < len(d.changes); next++ {
		if c := &d.changes[next]; c.end > line {
			if line >= 0 && c.start > t.end {
				break
			}
			line = lineEnd(text, c.end)
			t.end = line
			for range 2 {
				t.end = lineEnd(text, min(len(text), t.end+1))
			}
		}
	}
	t.changes = d.changes[from:next]
	return t, next
}

// lineEnd returns the end of the line that at is in.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// normalize writes the stretch as it reads, over what the buffers hold.
func (t *stretch) normalize(text string, apart bool, buffers *stretchBuffers) {
	b, at, last := buffers.text[:0], buffers.at[:0], t.start
	for i := range t.changes {
		c := &t.changes[i]
		b = append(b, text[last:c.start]...)
		at = append(at, len(b))
		if apart {
			b = append(b, c.apart...)
		} else {
			b = append(b, c.out...)
		}
		last = c.end
	}
	b = append(b, text[last:t.end]...)
	buffers.text, buffers.at = b, at
	t.text, t.at = jsontext.View(b), at
}

// Stretch buffers hold the last stretch, of whose text nothing is kept.
type stretchBuffers struct {
	text []byte
	at   []int
}

// origin returns the offset in the text of an offset in the stretch. Of a change, which is never split, it is the beginning, or
// the end where a match ends. What a change removes at either end of a match is not in it.
func (t *stretch) origin(at int, end bool) int {
	if end {
		at--
	}
	i := sort.SearchInts(t.at, at+1) - 1 // the last change that begins at or before at
	offset := t.start + at
	if i >= 0 {
		c := &t.changes[i]
		size := len(t.text) - t.at[i] - (t.end - c.end) // of how it reads, and of the changes behind it
		if i+1 < len(t.at) {
			size = t.at[i+1] - t.at[i] - (t.changes[i+1].start - c.end)
		}
		if at < t.at[i]+size {
			if end {
				return c.end
			}
			return c.start
		}
		offset = c.end + at - t.at[i] - size
	}
	if end {
		offset++
	}
	return offset
}

// merge returns the findings in a text and those in it as it reads, each in order. Those that overlap become one, so that no part
// of a value stays.
func (s *Scan) merge(plain, found []match) []match {
	found = s.withoutRows(plain, found)
	all := make([]match, 0, len(plain)+len(found))
	for len(plain)+len(found) > 0 {
		var m match
		read := len(plain) == 0 || len(found) > 0 && found[0].start < plain[0].start
		if read {
			m, found = found[0], found[1:]
		} else {
			m, plain = plain[0], plain[1:]
		}
		if n := len(all); n > 0 && m.start < all[n-1].end {
			all[n-1] = s.both(all[n-1], m)
			continue
		}
		all = append(all, m)
	}
	return all
}

// both returns one match in place of two that overlap. Dress around the smaller one is no part of the value.
func (s *Scan) both(a, b match) match {
	inner, outer := a, b
	if a.end-a.start > b.end-b.start {
		inner, outer = b, a
	}
	switch {
	case inner.start == outer.start && inner.end == outer.end:
		if inner.rank > outer.rank {
			return inner
		}
		return outer
	case outer.start <= inner.start && inner.end <= outer.end:
		if s.dress.removes(outer.start, inner.start) && s.dress.removes(inner.end, outer.end) {
			return inner
		}
		return outer
	}
	if inner.rank > outer.rank {
		outer.label, outer.rank = inner.label, inner.rank
	}
	outer.start, outer.end = min(a.start, b.start), max(a.end, b.end)
	return outer
}

// withoutRows leaves out each match that only joins several others, such as keys that are a list of lines.
func (s *Scan) withoutRows(plain, found []match) []match {
	kept := found[:0]
	for _, m := range found {
		for len(plain) > 0 && plain[0].end <= m.start {
			plain = plain[1:]
		}
		n := 0
		for n < len(plain) && plain[n].start >= m.start && plain[n].end <= m.end {
			n++
		}
		if n < 2 || plain[0].start > m.start || plain[n-1].end < m.end {
			kept = append(kept, m)
		}
	}
	return kept
}

// withoutCut leaves out the numbers that begin inside of a change, as 206.1.5.6 does in section%206.1.5.6, or are next to one, if
// nothing is found there as the text reads: then a word or a number beside them says that they are none.
func (s *Scan) withoutCut(plain, apart, joined []match) []match {
	kept := plain[:0]
	changes := s.dress.changes
	for _, m := range plain {
		for len(changes) > 0 && changes[0].end < m.start {
			changes = changes[1:]
		}
		for len(apart) > 0 && apart[0].end <= m.start {
			apart = apart[1:]
		}
		for len(joined) > 0 && joined[0].end <= m.start {
			joined = joined[1:]
		}
		read := len(apart) > 0 && apart[0].start < m.end || len(joined) > 0 && joined[0].start < m.end
		if read || len(changes) == 0 || changes[0].start > m.end || m.rank == rankHint || m.rank == rankCustom {
			kept = append(kept, m)
			continue
		}
		if m.rank == rankContext && s.before(m.start) != '=' && s.isProse(changes, m.start, m.end) {
			continue
		}
		c := &changes[0]
		inside := c.start < m.start && m.start < c.end && c.end < m.end // and not in a tag
		if isNumber(m.label) && (inside || c.out != "" && (c.end == m.start || c.start == m.start || c.start == m.end)) {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// isProse reports whether text[start:end] is words of letters with a plus between them, which is a blank of a form.
func (s *Scan) isProse(changes []change, start, end int) bool {
	blanks := 0
	for _, c := range changes {
		if c.start >= end {
			break
		}
		if c.end == c.start+1 && c.out == " " && s.s[c.start] == '+' {
			blanks++
		}
	}
	return blanks > 1 && strings.Trim(s.s[start:end], "+"+lettersOnly) == ""
}

var lettersOnly = ascii.Bytes("A-Za-z")

// isNumber reports whether a rule is for numbers that much else looks like.
func isNumber(label *Label) bool {
	return label == ruleIPv4 || label == rulePhone || label.Entity == rules.GeoCoordinates
}

// removes reports whether nothing but dress and blanks is in text[from:to].
func (d *dress) removes(from, to int) bool {
	i := sort.Search(len(d.changes), func(i int) bool { return d.changes[i].start >= from })
	for ; from < to; i++ {
		if i == len(d.changes) || d.changes[i].start != from || strings.TrimSpace(d.changes[i].out) != "" {
			return false
		}
		from = d.changes[i].end
	}
	return from == to
}
