package privacy

import (
	"strings"
)

var (
	ruleCard     = &rule{name: "card-luhn", entity: creditCard}
	ruleSSN      = &rule{name: "us-ssn", entity: usSSN}
	ruleITIN     = &rule{name: "us-itin", entity: usITIN}
	ruleNHS      = &rule{name: "uk-nhs", entity: ukNHS}
	ruleAadhaar  = &rule{name: "in-aadhaar", entity: inAadhaar}
	ruleNINO     = &rule{name: "uk-nino", entity: ukNINO}
	rulePassport = &rule{name: "us-passport", entity: usPassport}
	ruleBirth    = &rule{name: "date-of-birth", entity: dateOfBirth}
)

// A cluster is digits with what may stand between them in a number that people write in groups.
type cluster struct {
	end    int
	digits [40]byte
	n      int // digits
	groups [8]int
	ng     int    // groups
	seps   string // the first byte of what stands between the groups, in order
}

// clusterAt reads the digits from at on, up to 8 groups of them with one of the separators between each. Of more than
// 40 digits it gives none.
func (s *scan) clusterAt(at int, separators string) (c cluster) {
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

func (c *cluster) text() string { return string(c.digits[:c.n]) }

// shape tells whether the groups have these sizes, with the same separator everywhere.
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

// number looks at a run of digits that begins at at.
func (s *scan) number(at int) {
	if c := s.before(at); isDigit(c) {
		return
	}
	s.iban(at)
	s.nino(at)
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
	s.birth(at, &c)
	if c.n < 9 {
		return
	}
	s.nationalNumber(at)
	s.card(at)
}

// clear tells whether no number or word goes on at end.
func (s *scan) clear(end int) bool {
	switch c := s.after(end); {
	case isWordByte(c) || c == '%':
		return false
	case c == '-' || c == '.' || c == ':' || c == '/' || c == ',':
		return !isWordByte(s.after(end + 1))
	}
	return true
}

// cardGroups are the ways in which cards are written.
var cardGroups = [][]int{{4, 4, 4, 4, 3}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}}

// card finds payment cards: a known issuer range and length, Luhn's check digit, in one group or those of a card.
func (s *scan) card(at int) {
	c := s.clusterAt(at, " -")
	if b := s.before(at); b == '-' || b == '/' {
		return
	}
	for _, sizes := range cardGroups {
		if part, ok := c.beginning(sizes); ok && s.clear(part.end) && isCard(part.digits[:part.n]) {
			s.add(ruleCard, rankChecked, at, part.end)
			return
		}
	}
	one := s.clusterAt(at, "")
	if said := one.n == 16 || one.n == 15 || one.n == 14 || s.class&cardKey != 0 || s.cue(at, cardCues); said && s.clear(one.end) && isCard(one.digits[:one.n]) {
		s.add(ruleCard, rankChecked, at, one.end)
	}
}

// beginning gives the first groups of a cluster when they have these sizes and one separator between them.
func (c cluster) beginning(sizes []int) (cluster, bool) {
	if c.ng < len(sizes) {
		return c, false
	}
	for c.ng > len(sizes) {
		c.ng--
		c.n -= c.groups[c.ng]
		c.end -= c.groups[c.ng] + 1
	}
	c.seps = c.seps[:c.ng-1]
	return c, c.shape(sizes...)
}

// isCard checks issuer, length and Luhn's digit.
func isCard(d []byte) bool {
	if len(d) < 13 || len(d) > 19 || !luhn(d) {
		return false
	}
	two := int(d[0]-'0')*10 + int(d[1]-'0')
	four := two*100 + int(d[2]-'0')*10 + int(d[3]-'0')
	switch n := len(d); {
	case d[0] == '4':
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38 || two == 39, four/10 >= 300 && four/10 <= 305:
		return n == 14 || n == 16
	case four == 6011, two == 65, four/10 >= 644 && four/10 <= 649, four >= 3528 && four <= 3589:
		return n == 16
	case two == 62:
		return n >= 16
	}
	return false
}

func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// nationalNumber finds numbers of persons: by their form, or by the word for them before a bare one.
func (s *scan) nationalNumber(at int) {
	c := s.clusterAt(at, " -")
	before := s.before(at)
	if before == '-' || before == '/' || !s.clear(c.end) {
		return
	}
	d := c.text()
	switch {
	case c.n == 9 && (c.shape(3, 2, 4) && (c.seps[0] == '-' || s.cue(at, ssnCues)) || c.ng == 1 && (s.class&ssnKey != 0 || s.cue(at, ssnCues))):
		switch {
		case isSSN(d):
			s.add(ruleSSN, rankFormat, at, c.end)
		case d[0] == '9' && (d[3:5] >= "50" && d[3:5] <= "65" || d[3:5] >= "70" && d[3:5] <= "88" || d[3:5] >= "90" && d[3:5] <= "92" || d[3:5] >= "94"):
			s.add(ruleITIN, rankFormat, at, c.end)
		}
	case c.n == 9 && c.ng == 1 && s.cue(at, passportCues):
		s.add(rulePassport, rankContext, at, c.end)
	case c.n == 10 && (c.ng == 1 || c.shape(3, 3, 4)) && isNHS(d) && s.cue(at, nhsCues):
		s.add(ruleNHS, rankChecked, at, c.end)
	case c.n == 12 && (c.ng == 1 || c.shape(4, 4, 4)) && verhoeff(d) && s.cue(at, aadhaarCues):
		s.add(ruleAadhaar, rankChecked, at, c.end)
	}
}

// isSSN follows the rules of the Social Security Administration for area, group and serial number.
func isSSN(d string) bool {
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" &&
		d != "123456789" && d != "111111111"
}

func isNHS(d string) bool {
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := (11 - sum%11) % 11
	return check == int(d[9]-'0')
}

// verhoeff checks the last digit in the dihedral group of order ten.
func verhoeff(d string) bool {
	multiply := func(a, b int) int {
		switch {
		case a < 5 && b < 5:
			return (a + b) % 5
		case a < 5:
			return (a+b-5)%5 + 5
		case b < 5:
			return (a-5-b+5)%5 + 5
		}
		return (a - b + 5) % 5
	}
	permute := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	c := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			n = permute[n]
		}
		c = multiply(c, n)
	}
	return c == 0
}

var ninoForm = compiled(`^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]`)

// nino finds a UK national insurance number after a word for it.
func (s *scan) nino(at int) {
	start := at - 2
	if start > 0 && s.s[at-1] == ' ' {
		start--
	}
	if start < 0 || !isUpper(s.s[start]) || !isUpper(s.s[start+1]) || isWordByte(s.before(start)) {
		return
	}
	if end := len(ninoForm().FindString(s.s[start:])); end > 0 && !isWordByte(s.after(start+end)) && s.cue(start, ninoCues) {
		s.add(ruleNINO, rankFormat, start, start+end)
	}
}

var dateForm = compiled(`^(?:(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])[-/.](?:3[01]|[12][0-9]|0?[1-9])|[0-3]?[0-9]([-/.])[0-3]?[0-9][-/.](?:19|20)[0-9]{2})`)

// birth finds a date that is said to be of birth.
func (s *scan) birth(at int, c *cluster) {
	near := at // a cue for another number before this one is not for this one
	for near > 0 && at-near < 28 && !isDigit(s.s[near-1]) {
		near--
	}
	if c.ng < 3 || strings.Contains(s.s[near:at], "birthtime") || s.class&birthKey == 0 && !s.cueWithin(at, at-near, birthCues, false) {
		return
	}
	if end := len(dateForm().FindString(s.s[at:])); end > 0 && !isDigit(s.after(at+end)) {
		s.add(ruleBirth, rankContext, at, at+end)
	}
}
