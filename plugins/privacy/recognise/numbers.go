package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleNINO = &Label{"uk-nino", rules.UKNINO}

// A cluster is a number as people write it, in groups of digits with separators.
type cluster struct {
	start, end int
	n, ng      int // digits and groups
	groups     [8]uint8
	seps       [8]byte // the separators, in order
}

// mostDigits is how many digits a cluster may have.
const mostDigits = 40

// clusterAt reads up to 8 groups of digits from at on, which are valid until the next call. It is not ok when they have more than 40
// digits. Groups that the last call read are not read again.
func (s *Scan) clusterAt(at int) (c *cluster, ok bool) {
	c = &s.cluster
	if c.passTo(at); c.start != at || c.ng == 0 {
		*c = cluster{start: at, end: at}
		if !s.readGroup(c, at) {
			return nil, false
		}
	}
	for c.ng < len(c.groups) && isDigit(s.after(c.end+1)) && betweenGroups[s.s[c.end]] {
		c.seps[c.ng-1] = s.s[c.end]
		if !s.readGroup(c, c.end+1) {
			return nil, false
		}
	}
	return c, true
}

// passTo leaves out the groups of a cluster before at, but for the last one.
func (c *cluster) passTo(at int) {
	passed, start, n := 0, c.start, c.n
	for passed+1 < c.ng && start < at {
		size := int(c.groups[passed])
		start, n = start+size+1, n-size
		passed++
	}
	if passed > 0 {
		c.start, c.n, c.ng = start, n, c.ng-passed
		copy(c.groups[:], c.groups[passed:])
		copy(c.seps[:], c.seps[passed:])
	}
}

// readGroup adds the digits from at on to a cluster, unless they are too many for anything.
func (s *Scan) readGroup(c *cluster, at int) (ok bool) {
	end := forward(s.s, at, mostDigits+1-c.n, digitSet)
	size := end - at
	if c.n+size > mostDigits {
		return false
	}
	c.groups[c.ng], c.n, c.ng, c.end = uint8(size), c.n+size, c.ng+1, end
	return true
}

// digits returns the digits of a cluster of a text.
func (c *cluster) digits(text string) string {
	if c.ng == 1 {
		return text[c.start : c.start+c.n]
	}
	var all [mostDigits]byte
	n := 0
	for i := c.start; i < c.end; i++ {
		if isDigit(text[i]) {
			all[n] = text[i]
			n++
		}
	}
	return string(all[:n])
}

// within returns how many groups there are before a separator that is none of these.
func (c *cluster) within(separators *[256]bool) int {
	for k := range c.ng - 1 {
		if !separators[c.seps[k]] {
			return k + 1
		}
	}
	return c.ng
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
	b, a := s.before(at), s.after(end)
	if s.isLettered(at, run) && (!isWordByte(b) || back(s.s, at, maxLead, wordSet) > at-maxLead) {
		s.iban(at)
		if run == 2 || run == 6 {
			s.nino(at)
		}
		if run < maxRun {
			s.identifier(at, run)
		}
	}
	if mayBeHex(b, run, a) {
		s.hexAt(at, end)
	}
	if isWordByte(b) {
		return
	}
	if b == '*' || b == ' ' && s.before(at-1) == '*' {
		s.starred(at)
	}
	if run >= leastNumber || s.groupFollows(end) {
		s.number(at, run)
	}
	if run <= longestDegree {
		s.place(at, run)
	}
	if run == maxRun || isAlnum(a) {
		s.wallet(at)
	}
	if run == appTokenID || run == appTokenID-1 {
		s.appToken(at)
	}
	if s.Addresses {
		s.address(at)
	}
	if run >= leastPhone || phoneSeparatorSet[a] || a >= utf8.RuneSelf {
		if b == '+' || b == '(' {
			at--
		}
		s.phone(at)
	}
}

// isLettered reports whether so many digits at at may belong to letters before them, or begin an identifier without any.
func (s *Scan) isLettered(at, run int) bool {
	lead := s.before(at)
	if lead == ' ' || lead == '.' || lead == '-' {
		lead = s.before(at - 1)
	}
	return letterSet[lead] || run < maxRun && len(s.ids.lettered[0][run]) > 0
}

// groupFollows reports whether another group of digits follows at at, behind a sign.
func (s *Scan) groupFollows(at int) bool {
	return isDigit(s.after(at+1)) && betweenGroups[s.s[at]]
}

// leastNumber is the fewest digits of a number that a rule knows.
const leastNumber = 9

// Separators of groups of digits: any, those of one number, and those of a card.
var betweenGroups, inNumber, inCard = byteSet(" -./:"), byteSet(" -"), byteSet(" -.")

// number finds what a number may be that begins with a run of so many digits.
func (s *Scan) number(at, run int) {
	octet, before := run <= 3 && s.after(at+run) == '.', s.before(at)
	if before == '.' && !octet { // behind the point of a decimal
		return
	}
	c, ok := s.clusterAt(at)
	if !ok || c.n < 4 || c.ng == 2 && c.n < leastNumber { // two groups, as of a decimal
		return
	}
	if octet {
		s.ipv4(at)
	}
	if before == '.' || before == '#' && c.ng == 1 || c.n < leastNumber {
		return
	}
	s.numberRules(at, c)
	if groups := c.within(inNumber); groups < c.ng {
		one := c.first(groups)
		s.numberRules(at, &one)
	}
	card := c.first(c.within(inCard))
	s.card(at, &card)
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
	if start < 0 || !letterSet[s.s[start]] || !letterSet[s.s[start+1]] || isWordByte(s.before(start)) || !s.ninoGoesOn(at+2) {
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

// ninoGoesOn reports whether digits of a national insurance number may follow its first two, with a separator between them.
func (s *Scan) ninoGoesOn(at int) bool {
	if ninoSeparators[s.after(at)] {
		at++
	}
	return isDigit(s.after(at)) && isDigit(s.after(at+1))
}

var ninoSeparators = byteSet(" .-")

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

// addIdentifier adds a format of letters and digits. Its example ends with the value, and the anchor that After follows are its
// first digits.
func (e *Engine) addIdentifier(r rules.Rule) {
	value := r.Example[strings.LastIndexByte(r.Example, ' ')+1:]
	lead := strings.IndexAny(value, digitBytes)
	run := len(value) - lead - len(strings.TrimLeft(value[lead:], digitBytes))
	letters := len(strings.TrimRight(value[:lead], "-"))
	f := e.announced(r, `^(?:%s)`)
	f.begins = beginningsOf(r.Pattern)
	if r.After != "" {
		f.next = byteSet(rules.Bytes(r.After))
	}
	e.ids.lettered[letters][run] = append(e.ids.lettered[letters][run], f)
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
	if b := s.before(at); b == '-' || b == '/' || !s.clear(c.end) {
		return
	}
	for _, f := range s.ids.plain[c.n] {
		if s.hasCue(f, at) && f.pattern().MatchString(s.s[at:c.end]) && (f.check == nil || f.check(c.digits(s.s))) {
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
	s.identifierFrom(start, at+run, s.ids.lettered[letters][run])
	if first := s.before(at-1) | 0x20; letters == 0 && s.before(at) == ' ' && first >= 'x' && first <= 'z' && !isWordByte(s.before(at-2)) {
		s.identifierFrom(at-2, at+run, s.ids.lettered[1][run])
	}
}

// identifierFrom finds an identifier of one of the formats that begins at start, and whose first digits end at end.
func (s *Scan) identifierFrom(start, end int, formats []*format) {
	for _, f := range formats {
		if f.next != nil && !f.next[s.after(end)] || !f.begins.in(s.s, start) || !s.hasCue(f, start) {
			continue
		}
		n := len(f.pattern().FindString(s.s[start:min(len(s.s), start+maxRun)]))
		if n > 0 && s.clear(start+n) && s.after(start+n) != '+' && (f.check == nil || f.check(compact(s.s[start:start+n]))) {
			s.add(f.label, f.rank, start, start+n)
		}
	}
}
