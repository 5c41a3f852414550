package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleNINO = &Label{"uk-nino", rules.UKNINO}

// A cluster is a number as people write it, in groups of digits with separators.
type cluster struct {
	end    int
	digits [40]byte
	n      int // digits
	groups [8]int
	ng     int    // groups
	seps   string // the first byte of each separator, in order
}

// clusterAt reads up to 8 groups of digits from at on. More than 40 digits make an empty cluster.
func (s *Scan) clusterAt(at int, separators string) (c cluster) {
	i := at
	var seps [8]byte
	for {
		start := i
		for i < len(s.s) && isDigit(s.s[i]) {
			if c.n == len(c.digits) {
				c.n, c.end = 0, i // too many for anything
				return c
			}
			c.digits[c.n] = s.s[i]
			c.n++
			i++
		}
		c.groups[c.ng] = i - start
		c.ng++
		c.end = i
		if c.ng == len(c.groups) || i+1 >= len(s.s) || !isDigit(s.s[i+1]) || strings.IndexByte(separators, s.s[i]) < 0 {
			break
		}
		seps[c.ng-1] = s.s[i]
		i++
	}
	c.seps = string(seps[:c.ng-1])
	return c
}

// shape reports whether the groups have these sizes and one separator.
func (c *cluster) shape(sizes ...int) bool {
	if c.ng != len(sizes) {
		return false
	}
	for i, n := range sizes {
		if c.groups[i] != n || i > 0 && c.seps[i-1] != c.seps[0] {
			return false
		}
	}
	return true
}

// number finds what a run of digits at at may be.
func (s *Scan) number(at int) {
	if c := s.before(at); isDigit(c) {
		return
	}
	s.iban(at)
	s.nino(at)
	s.identifier(at)
	if b := s.before(at); isWordByte(b) {
		return
	}
	c := s.clusterAt(at, " -./:")
	if c.n < 4 {
		return
	}
	s.ipv4(at)
	if before := s.before(at); before == '.' || before == '#' && c.ng == 1 {
		return
	}
	if c.n < 9 {
		return
	}
	s.numberRules(at, &c)
	if one := s.clusterAt(at, " -"); one.end != c.end {
		s.numberRules(at, &one)
	}
	s.card(at)
}

// clear reports whether neither a number nor a word goes on at end.
func (s *Scan) clear(end int) bool {
	switch c := s.after(end); {
	case isWordByte(c) || c == '%':
		return false
	case c == '-' || c == '.' || c == ':' || c == '/' || c == ',':
		return !isWordByte(s.after(end + 1))
	}
	return true
}

var ninoForm = compiled(`^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]`)

// nino finds a UK national insurance number after a word for it.
func (s *Scan) nino(at int) {
	start := at - 2
	if start > 0 && s.s[at-1] == ' ' {
		start--
	}
	if start < 0 || !isUpper(s.s[start]) || !isUpper(s.s[start+1]) || isWordByte(s.before(start)) {
		return
	}
	if end := len(ninoForm().FindString(s.s[start:])); end > 0 && !isWordByte(s.after(start+end)) && s.cue(start, rules.Cues().NINO) {
		s.add(ruleNINO, rankFormat, start, start+end)
	}
}
