package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleNINO = &Label{"uk-nino", rules.UKNINO}

// A cluster is a number as people write it, in groups of digits with separators.
type cluster struct {
	end    int
	n, ng  int // digits and groups
	digits [40]byte
	groups [8]uint8
	seps   [8]byte // the separators, in order
}

// clusterAt reads up to 8 groups of digits from at on. More than 40 digits make an empty cluster.
func (s *Scan) clusterAt(at int, separators string) (c cluster) {
	i := at
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
		c.groups[c.ng] = uint8(i - start)
		c.ng++
		c.end = i
		if c.ng == len(c.groups) || i+1 >= len(s.s) || !isDigit(s.s[i+1]) || strings.IndexByte(separators, s.s[i]) < 0 {
			break
		}
		c.seps[c.ng-1] = s.s[i]
		i++
	}
	return c
}

// within returns the first groups of a cluster that is not empty, up to a separator that is none of these.
func (c *cluster) within(separators string) cluster {
	for k := range c.ng - 1 {
		if strings.IndexByte(separators, c.seps[k]) < 0 {
			return c.first(k + 1)
		}
	}
	return *c
}

// first returns the first groups of a cluster.
func (c *cluster) first(groups int) cluster {
	part := *c
	for part.ng > groups {
		part.ng--
		part.n -= int(part.groups[part.ng])
		part.end -= int(part.groups[part.ng]) + 1
	}
	return part
}

// digitsAt finds what the digits from at on may be or begin, of which at is the first.
func (s *Scan) digitsAt(at int) {
	end := forward(s.s, at+1, maxRun, digitSet)
	run := min(end-at, maxRun)
	b := s.before(at)
	if !isWordByte(b) || back(s.s, at, maxLead, wordSet) > at-maxLead {
		s.iban(at)
		if run == 2 || run == 6 {
			s.nino(at)
		}
		if run < maxRun {
			s.identifier(at, run)
		}
	}
	s.hexAt(at, end)
	if isWordByte(b) {
		return
	}
	if b == '*' || b == ' ' && s.before(at-1) == '*' {
		s.starred(at)
	}
	if run >= leastNumber || s.groupFollows(end) {
		s.number(at, run)
	}
	s.place(at, run)
	s.wallet(at)
	s.appToken(at)
	s.address(at)
	if b == '+' || b == '(' {
		at--
	}
	s.phone(at)
}

// groupFollows reports whether another group of digits follows at at, behind a sign.
func (s *Scan) groupFollows(at int) bool {
	return isDigit(s.after(at+1)) && strings.IndexByte(groupSeparators, s.s[at]) >= 0
}

// leastNumber is the fewest digits of a number that a rule knows.
const leastNumber = 9

// groupSeparators may be between two groups of digits.
const groupSeparators = " -./:"

// number finds what a number may be that begins with a run of so many digits.
func (s *Scan) number(at, run int) {
	if second := forward(s.s, at+run+1, maxRun, digitSet); second-at-1 < leastNumber && !s.groupFollows(second) {
		return // two groups, as of a decimal
	}
	c := s.clusterAt(at, groupSeparators)
	if c.n < 4 {
		return
	}
	if run <= 3 && s.s[at+run] == '.' {
		s.ipv4(at)
	}
	if before := s.before(at); before == '.' || before == '#' && c.ng == 1 {
		return
	}
	if c.n < leastNumber {
		return
	}
	s.numberRules(at, &c)
	if one := c.within(" -"); one.end != c.end {
		s.numberRules(at, &one)
	}
	s.card(at, c.within(" -."))
}

// clear reports whether neither a number nor a word goes on at end.
func (s *Scan) clear(end int) bool {
	switch c := s.after(end); {
	case isWordByte(c) || c == '%':
		return false
	case c == '-' || c == '.' || c == ':' || c == '/':
		return !isWordByte(s.after(end + 1))
	case c == ',': // of a number or a row
		return !isDigit(s.after(end+1)) || !isDigit(s.before(end))
	}
	return true
}

// ninoForm excludes the letters that no number begins with; their pairs are in ninoUnused.
var ninoForm = compiled(`^(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ .-]?[0-9]{2}[ .-]?[0-9]{2}[ .-]?[0-9]{2}[ .-]?[A-D])`)

var ninoUnused = []string{"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}

// nino finds a UK national insurance number, whose first run of digits is at at, after a word or under a key for it.
func (s *Scan) nino(at int) {
	start := at - 2
	if start > 0 && strings.IndexByte(" .-", s.s[at-1]) >= 0 {
		start--
	}
	if start < 0 || !letterSet[s.s[start]] || !letterSet[s.s[start+1]] || isWordByte(s.before(start)) {
		return
	}
	end := start + len(ninoForm().FindString(s.s[start:min(len(s.s), start+maxRun)]))
	if end == start || isWordByte(s.after(end)) || slices.Contains(ninoUnused, strings.ToUpper(s.s[start:start+2])) {
		return
	}
	if s.class&rules.NINOKey != 0 || s.cueWithin(start, 32, rules.Cues().NINO, true) {
		s.add(ruleNINO, rankFormat, start, end)
	}
}

// maxLead is the most letters before the first digits of an identifier, and maxRun the most of those digits.
const maxLead, maxRun = 7, 24

// identifiers are the formats of numbers by how many digits they have, and those with letters by how many letters and
// digits they begin with.
type identifiers struct {
	plain    [41][]*format
	lettered [maxLead][maxRun][]*format
}

func (e *Engine) addNumber(r rules.Rule) {
	f := e.announced(r, `^(?:%s)$`)
	e.numbers = append(e.numbers, f)
	digits := len(digitsOf(r.Sample()))
	e.ids.plain[digits] = append(e.ids.plain[digits], f)
}

// addIdentifier adds a format of letters and digits. Its example ends with the value.
func (e *Engine) addIdentifier(r rules.Rule) {
	value := r.Example[strings.LastIndexByte(r.Example, ' ')+1:]
	lead := strings.IndexAny(value, digitBytes)
	run := len(value) - lead - len(strings.TrimLeft(value[lead:], digitBytes))
	letters := len(strings.TrimRight(value[:lead], "-"))
	e.ids.lettered[letters][run] = append(e.ids.lettered[letters][run], e.announced(r, `^(?:%s)`))
}

// announced returns the format of a number or an identifier, with the cues that announce it and the rank of its check.
func (e *Engine) announced(r rules.Rule, around string) *format {
	rank := rankContext
	if c, ok := checks[r.Check]; c.checkDigit {
		rank = rankChecked
	} else if ok {
		rank = rankFormat
	}
	f := e.format(r, rank, around)
	if len(f.Cue) > 0 {
		f.cues = newCueSet(f.Cue)
		e.cues = append(e.cues, f.Cue...)
	}
	for _, key := range f.Key {
		e.partial[rules.KeyForm(key)] |= f.class
	}
	return f
}

// reachOfNumber is the most letters between the beginning of a word for a number and the number.
const reachOfNumber = 48

// hasCue reports whether the key of a number or a word before it says what it is, or nothing has to.
func (s *Scan) hasCue(f *format, at int) bool {
	return f.cues == nil && f.class == 0 || s.class&f.class != 0 ||
		f.cues != nil && s.beforeNumber.mayHold(s.watched, s.s, at, reachOfNumber) && f.cues.in(s.lead(at, reachOfNumber))
}

// numberRules matches the formats of numbers at a run of digits in groups.
func (s *Scan) numberRules(at int, c *cluster) {
	if b := s.before(at); c.n == 0 || b == '-' || b == '/' || !s.clear(c.end) {
		return
	}
	for _, f := range s.ids.plain[c.n] {
		if s.hasCue(f, at) && f.pattern().MatchString(s.s[at:c.end]) && (f.check == nil || f.check(string(c.digits[:c.n]))) {
			s.add(f.label, f.rank, at, c.end)
		}
	}
}

// identifier finds an identifier with letters before or after digits, of which so many are at at.
func (s *Scan) identifier(at, run int) {
	start := at
	if s.before(at) == '-' && at > 1 && isAlnum(s.s[at-2]) {
		start--
	}
	hyphen := at - start
	start = back(s.s, start, maxLead, letterSet)
	letters := at - start - hyphen
	if b := s.before(start); letters == maxLead || isWordByte(b) || b == '.' || b == '+' || b == '/' {
		return
	}
	s.identifierFrom(start, s.ids.lettered[letters][run])
	if first := s.before(at-1) | 0x20; letters == 0 && s.before(at) == ' ' && first >= 'x' && first <= 'z' && !isWordByte(s.before(at-2)) {
		s.identifierFrom(at-2, s.ids.lettered[1][run])
	}
}

// identifierFrom finds an identifier of one of the formats that begins at start.
func (s *Scan) identifierFrom(start int, formats []*format) {
	for _, f := range formats {
		if !s.hasCue(f, start) {
			continue
		}
		n := len(f.pattern().FindString(s.s[start:min(len(s.s), start+maxRun)]))
		if n > 0 && s.clear(start+n) && s.after(start+n) != '+' && (f.check == nil || f.check(compact(s.s[start:start+n]))) {
			s.add(f.label, f.rank, start, start+n)
		}
	}
}
