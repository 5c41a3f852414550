package recognise

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleNINO = &Label{"uk-nino", rules.UKNINO}

// digitsAt finds what the digits from at on may be or begin, of which at is the first.
func (s *Scan) digitsAt(at int) {
	end := min(s.m.DigitsEnd(at), at+1+maxRun)
	run := min(end-at, maxRun)
	b, a := s.before(at), s.after(end)
	lettered := s.isLettered(at)
	if (lettered || run < maxRun && len(s.ids.lettered[0][run]) > 0) && (!ascii.IsWord(b) || ascii.Back(s.s, at, maxLead, ascii.WordSet) > at-maxLead) {
		if lettered {
			s.iban(at)
		}
		if lettered && (run == 2 || run == 6) {
			s.nino(at)
		}
		if run < maxRun {
			s.identifier(at, run)
		}
	}
	if mayBeHex(b, run, a) {
		s.hexAt(at, end)
	}
	if ascii.IsWord(b) {
		if b == '_' && s.isGlued(at) && (run >= leastNumber || s.groupFollows(end)) {
			s.number(at, run)
		}
		if b == 'd' && run <= longestDegree {
			s.mapped(at)
		}
		return
	}
	if b == '*' || b == ' ' && s.before(at-1) == '*' {
		s.starred(at)
	}
	if run >= leastNumber || s.groupFollows(end) {
		s.number(at, run)
	}
	if run <= longestDegree {
		s.coordinates(at, run)
	}
	if run == maxRun || ascii.IsAlnum(a) {
		s.wallet(at)
	}
	if run == appTokenID || run == appTokenID-1 {
		s.appToken(at)
	}
	if s.Addresses {
		s.address(at)
	}
	if run >= leastPhone || phoneSeparatorSet[a] || a >= utf8.RuneSelf {
		if b != '+' && b != '(' || !s.phone(at-1) {
			s.phone(at)
		}
	}
}

// isLettered reports whether a letter precedes the digits at at, behind one sign or not.
func (s *Scan) isLettered(at int) bool {
	lead := s.before(at)
	if lead == ' ' || lead == '.' || lead == '-' {
		lead = s.before(at - 1)
	}
	return letterSet[lead]
}

// leastNumber is the fewest digits of a number that a rule knows.
const leastNumber = 9

// number finds what a number may be that begins with a run of so many digits.
func (s *Scan) number(at, run int) {
	octet, before := run <= 3 && s.after(at+run) == '.', s.before(at)
	inDecimal := before == '.' && !s.isGlued(at)
	if inDecimal && !octet {
		return
	}
	c, ok := s.clusterAt(at)
	if !ok {
		return
	}
	n := c.size(c.ng)
	if n < 4 || c.ng == 2 && n < leastNumber { // two groups, as of a decimal
		return
	}
	if octet && before != '_' && c.ng >= 4 && c.seps[1] == '.' && c.seps[2] == '.' {
		s.ipv4(at)
	}
	if inDecimal || before == '#' && c.ng == 1 || n < leastNumber {
		return
	}
	s.numberRules(at, c)
	s.card(at, c)
}

// isGlued reports whether a sign glues the digits at at to a word, as in scan-219, user_219, users/219 and No.219.
func (s *Scan) isGlued(at int) bool { return glueSet[s.before(at)] && letterSet[s.before(at-1)] }

var glueSet = ascii.Set("-_/.")

// clear reports whether neither a number nor a word goes on at end.
func (s *Scan) clear(end int) bool {
	switch c := s.after(end); {
	case ascii.IsWord(c) || c == '%':
		return false
	case c == '-' || c == '.' || c == ':' || c == '/':
		return !ascii.IsWord(s.after(end + 1))
	case c == ',':
		return !s.inThousands(end)
	}
	return true
}

// inPath reports whether another part of a path, or the type of a file, follows at end.
func (s *Scan) inPath(end int) bool {
	return (s.after(end) == '/' || s.after(end) == '.') && letterSet[s.after(end+1)]
}

// inThousands reports whether a comma at at may be one of those in 1,234,567.
func (s *Scan) inThousands(at int) bool {
	start := ascii.Back(s.s, at, 4, ascii.DigitSet)
	if sign := s.before(start); at-start > 3 || sign == '-' || sign == '/' { // the last group of a number
		return false
	}
	return start < at && ascii.Forward(s.s, at+1, 4, ascii.DigitSet) == at+4
}

// ninoForm excludes the letters that no number begins with; their pairs are in ninoUnused.
var ninoForm = shape.Compiled(`^(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ .-]?[0-9]{2}[ .-]?[0-9]{2}[ .-]?[0-9]{2}[ .-]?[A-D])`)

var ninoUnused = []string{"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}

// nino finds a UK national insurance number, whose first run of digits is at at, after a word or under a key for it.
func (s *Scan) nino(at int) {
	start := at - 2
	if start > 0 && ninoSeparators[s.s[at-1]] {
		start--
	}
	if start < 0 || !letterSet[s.s[start]] || !letterSet[s.s[start+1]] || ascii.IsWord(s.before(start)) || !s.ninoGoesOn(at+2) {
		return
	}
	end := start + len(ninoForm().FindString(s.s[start:min(len(s.s), start+maxRun)]))
	if end == start || ascii.IsWord(s.after(end)) || slices.Contains(ninoUnused, strings.ToUpper(s.s[start:start+2])) {
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
	return ascii.IsDigit(s.after(at)) && ascii.IsDigit(s.after(at+1))
}

var ninoSeparators = ascii.Set(" .-")

// maxLead is the most letters before the first digits of an identifier, and maxRun the most of those digits.
const maxLead, maxRun = 7, 24

// identifiers are the formats of numbers by how many digits they have, those of them that no key and no word has to announce, and those with
// letters by how many letters and digits they begin with.
type identifiers struct {
	plain    [mostDigits + 1]sized
	bare     [mostDigits + 1]sized
	longest  int // the most digits of one of these
	lettered [maxLead][maxRun][]*format
}

// Sized are the formats of numbers with so many digits, with a bit for each count of groups that one of them can have.
type sized struct {
	formats []*format
	groups  uint64
}

func (z *sized) add(f *format) {
	z.formats = append(z.formats, f)
	for _, l := range f.layouts {
		least, most := bits.OnesCount64(l.signs), l.size-bits.OnesCount64(l.digits)
		for signs := least; signs <= most || l.open && signs < 63; signs++ {
			z.groups |= 1 << (signs + 1)
		}
	}
}

func (e *Engine) addNumber(r rules.Rule) {
	f := e.announced(r, `^(?:%s)$`)
	f.layouts = layoutsOf(beginningsOf(r.Pattern))
	e.numbers = append(e.numbers, f)
	digits := len(digitsOf(r.Sample()))
	e.ids.plain[digits].add(f)
	e.ids.longest = max(e.ids.longest, digits)
	if f.cues == nil && f.class == 0 {
		e.ids.bare[digits].add(f)
	}
}

// addIdentifier adds a format of letters and digits. Its example ends with the value, and the anchor that After follows are its
// first digits.
func (e *Engine) addIdentifier(r rules.Rule) {
	value := r.Example[strings.LastIndexByte(r.Example, ' ')+1:]
	lead := strings.IndexAny(value, ascii.DigitBytes)
	run := len(value) - lead - len(strings.TrimLeft(value[lead:], ascii.DigitBytes))
	letters := len(strings.TrimRight(value[:lead], "-"))
	f := e.announced(r, `^(?:%s)`)
	f.begins = beginningsOf(r.Pattern)
	if r.After != "" {
		f.next = ascii.Set(ascii.Bytes(r.After))
	}
	e.ids.lettered[letters][run] = append(e.ids.lettered[letters][run], f)
}

// announced returns the format of a number or an identifier, with the cues that announce it and the rank of its check.
func (e *Engine) announced(r rules.Rule, around string) *format {
	rank := rankContext
	if c, ok := checkdigit.ByName[r.Check]; c.CheckDigit {
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

// numberRules matches the formats of numbers at a run of digits in groups. Behind a blank another number may begin, so the groups before
// each one are tried as well.
func (s *Scan) numberRules(at int, c *cluster) {
	if b := s.before(at); (b == '-' || b == '/') && !s.isGlued(at) {
		return
	}
	var known *[mostDigits + 1]sized
	for groups := 1; groups <= c.ng; groups++ {
		n, end := c.size(groups), c.ends[groups-1]
		if n > s.ids.longest {
			return
		}
		if s.ids.plain[n].groups>>groups&1 == 0 || groups < c.ng && c.seps[groups-1] != ' ' || !s.clear(end) && !(groups > 1 && s.inPath(end)) {
			continue
		}
		if known == nil {
			known = s.knownAt(at)
		}
		if z := &known[n]; z.groups>>groups&1 != 0 {
			s.numberOf(z.formats, at, c, groups)
		}
	}
}

// knownAt returns the formats that a number at at may have, by what its key and the words before it say.
func (s *Scan) knownAt(at int) *[mostDigits + 1]sized {
	if s.class != 0 || s.beforeNumber.mayHold(s.watched, s.s, at, reachOfNumber) {
		return &s.ids.plain
	}
	return &s.ids.bare
}

// numberOf matches formats at the first groups of a cluster.
func (s *Scan) numberOf(formats []*format, at int, c *cluster, groups int) {
	end := c.ends[groups-1]
	size := end - at
	signs := c.signs & (1<<size - 1)
	for _, f := range formats {
		switch {
		case !f.isLaid(size, signs):
		case groups == 1 && f.cues == nil && s.isGlued(at):
		case !s.hasCue(f, at), !f.pattern().MatchString(s.s[at:end]):
		case f.check != nil && !f.check(c.digits(s.s, groups)):
		default:
			s.add(f.label, f.rank, at, end)
		}
	}
}

// identifier finds an identifier with letters before or after digits, of which so many are at at.
func (s *Scan) identifier(at, run int) {
	start := at
	if s.before(at) == '-' && at > 1 && ascii.IsAlnum(s.s[at-2]) {
		start--
	}
	hyphen := at - start
	start = ascii.Back(s.s, start, maxLead, letterSet)
	letters := at - start - hyphen
	if b := s.before(start); letters == maxLead || ascii.IsWord(b) || b == '.' || b == '+' || b == '/' {
		return
	}
	s.identifierFrom(start, at+run, s.ids.lettered[letters][run])
	if first := s.before(at-1) | 0x20; letters == 0 && s.before(at) == ' ' && first >= 'x' && first <= 'z' && !ascii.IsWord(s.before(at-2)) {
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
		if n > 0 && s.clear(start+n) && s.after(start+n) != '+' && (f.check == nil || f.check(checkdigit.Compact(s.s[start:start+n]))) {
			s.add(f.label, f.rank, start, start+n)
		}
	}
}
