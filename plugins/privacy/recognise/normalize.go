package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/plaintext"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// dressed adds to s.kept what the rules find in the normalized lines of a text that are dressed. No rule knows of dress: each
// stretch of such lines is searched like a text of its own, and what is found there is mapped back.
func (s *Scan) dressed(text string, class rules.Class) {
	s.dress.Read(text)
	if len(s.dress.Changes) == 0 {
		return
	}
	plain := s.kept
	var joined, apart []match
	for from := 0; from < len(s.dress.Changes); {
		var t plaintext.Stretch
		t, from = s.dress.Stretch(text, from, Keyed(class))
		joined = s.searchStretch(joined, &t, text, class, false)
		if slices.ContainsFunc(t.Changes, func(c plaintext.Change) bool { return c.Apart != c.Out }) {
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
func (s *Scan) searchStretch(dst []match, t *plaintext.Stretch, text string, class rules.Class, apart bool) []match {
	s.dress.Normalize(t, text, apart)
	s.begin(t.Text, class)
	if t.Start > 0 || t.End < len(text) {
		s.class &^= wholeClasses
	}
	s.run(s)
	if len(s.matches) == 0 {
		return dst
	}
	s.kept = nil
	s.choose()
	for _, m := range s.kept {
		m.start, m.end = t.Origin(m.start, false), t.Origin(m.end, true)
		if len(dst) == 0 || dst[len(dst)-1].end <= m.start {
			dst = append(dst, m)
		}
	}
	return dst
}

// wholeClasses are those of keys whose whole text is a value.
const wholeClasses = rules.PasswordKey | rules.SecretKey | rules.VagueKey | rules.BirthKey | rules.SeedKey

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
		if s.dress.Removes(outer.start, inner.start) && s.dress.Removes(inner.end, outer.end) {
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
	changes := s.dress.Changes
	for _, m := range plain {
		for len(changes) > 0 && changes[0].End < m.start {
			changes = changes[1:]
		}
		for len(apart) > 0 && apart[0].end <= m.start {
			apart = apart[1:]
		}
		for len(joined) > 0 && joined[0].end <= m.start {
			joined = joined[1:]
		}
		read := len(apart) > 0 && apart[0].start < m.end || len(joined) > 0 && joined[0].start < m.end
		if read || len(changes) == 0 || changes[0].Start > m.end || m.rank == rankHint || m.rank == rankCustom {
			kept = append(kept, m)
			continue
		}
		if m.rank == rankContext && s.before(m.start) != '=' && s.isProse(changes, m.start, m.end) {
			continue
		}
		c := &changes[0]
		inside := c.Start < m.start && m.start < c.End && c.End < m.end // and not in a tag
		if isNumber(m.label) && (inside || c.Out != "" && (c.End == m.start || c.Start == m.start || c.Start == m.end)) {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// isProse reports whether text[start:end] is words of letters with a plus between them, which is a blank of a form.
func (s *Scan) isProse(changes []plaintext.Change, start, end int) bool {
	blanks := 0
	for _, c := range changes {
		if c.Start >= end {
			break
		}
		if c.End == c.Start+1 && c.Out == " " && s.s[c.Start] == '+' {
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
