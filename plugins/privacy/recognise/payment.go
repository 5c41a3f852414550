package recognise

import (
	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleIBAN = &Label{"iban-mod97", rules.IBANCode}

// iban finds two letters and digits whose remainder by 97 is 1, in one piece or in groups. In lower case it is no number in
// hexadecimal, and in letters of both cases none at all, unless a word before it says what it is; nor are groups that are not of
// four, unless most of it are digits.
func (s *Scan) iban(at int) {
	start := at - 2
	if s.before(at) == ' ' {
		start-- // NO 93 8601 1117 947
	}
	if start < 0 || !letterSet[s.s[start]] || !letterSet[s.s[start+1]] || ascii.IsWord(s.before(start)) || !ascii.IsDigit(s.after(at+1)) {
		return
	}
	country := [2]byte{s.s[start] &^ 0x20, s.s[start+1] &^ 0x20}
	size, ok := s.IBANSizes[string(country[:])]
	if !ok {
		return
	}
	n := s.accountAt(start, size)
	if n.size < size || ascii.IsWord(s.after(n.end)) || n.rest != 1 {
		return
	}
	doubted := n.lower && (n.upper || n.hex) || !n.byFours && (n.lower || n.digits*2 < size || n.groups > 8 || s.numberFollows(n.end))
	if !doubted || s.beforeNumber.mayHold(s.watched, s.s, start, reachOfPhone) && s.ibans.in(s.lead(start, reachOfPhone)) {
		s.add(ruleIBAN, rankChecked, start, n.end)
	}
}

// numberFollows reports whether behind a number another one follows in the same row.
func (s *Scan) numberFollows(at int) bool {
	c := s.after(at)
	return (c == ' ' || c == '-' || c == '.') && ascii.IsDigit(s.after(at+1))
}

// An account is the letters and digits of a bank account as they are read.
type account struct {
	end, size, digits, groups int
	rest                      int // by 97
	lower, upper, hex         bool
	byFours                   bool // its groups are of four
}

// accountAt reads an account of so many letters and digits at start, with one separator between groups. A shorter one is none.
func (s *Scan) accountAt(start, size int) account {
	n := account{hex: true, byFours: true, groups: 1}
	i := start
	for ; i < len(s.s) && n.size < size; i++ {
		c := s.s[i]
		if c == ' ' || c == '-' || c == '.' {
			if n.size == 0 || !ascii.IsAlnum(s.s[i-1]) {
				return account{}
			}
			n.byFours = n.byFours && c != '.' && n.size%4 == 0
			n.groups++
			continue
		}
		if !ascii.IsAlnum(c) {
			return account{}
		}
		if ascii.IsDigit(c) {
			n.digits++
		} else {
			n.lower, n.upper = n.lower || !ascii.IsUpper(c), n.upper || ascii.IsUpper(c)
		}
		n.hex = n.hex && ascii.IsHex(c)
		if n.size >= 4 {
			n.rest = checkdigit.Mod97(n.rest, c)
		}
		n.size++
	}
	n.end = i
	if n.size < size {
		return account{}
	}
	first := 0
	for _, c := range []byte(s.s[start:i]) {
		if ascii.IsAlnum(c) && first < 4 {
			n.rest = checkdigit.Mod97(n.rest, c)
			first++
		}
	}
	return n
}

var ruleCard = &Label{"card-luhn", rules.CreditCard}

// leastCard is the fewest digits of a card, of old Maestro cards.
const leastCard = 12

// card finds payment cards: a known issuer range and length with Luhn's check digit, in one group or in the groups of a card.
func (s *Scan) card(at int, c *cluster) {
	glued := s.isGlued(at)
	if b := s.before(at); (b == '-' || b == '/') && !glued || c.size(c.ng) < leastCard {
		return
	}
	groups := c.within(inCard)
	n, end := c.size(groups), c.ends[groups-1]
	if n < leastCard {
		return
	}
	for _, sizes := range s.CardGroups {
		if c.ends[0]-at != sizes[0] || len(sizes) > groups || !c.begins(sizes) {
			continue
		}
		if end := c.ends[len(sizes)-1]; s.clear(end) && checkdigit.IsCard(s.Issuers, c.digits(s.s, len(sizes))) {
			s.add(ruleCard, rankChecked, at, end)
			return
		}
	}
	if n <= 19 && s.clear(end) && checkdigit.Luhn(c.digits(s.s, groups)) && !checkdigit.AllSame(c.digits(s.s, groups)) &&
		(s.class&rules.CardKey != 0 || !glued && s.cueWithin(at, 24, rules.Cues().CardSaid, true)) {
		s.add(ruleCard, rankContext, at, end)
	}
	end = c.ends[0]
	one := s.s[at:end]
	if !s.clear(end) || !checkdigit.IsCard(s.Issuers, one) {
		return
	}
	usual := len(one) == 16 || len(one) == 15 || len(one) == 14
	if glued {
		usual = s.cueWithin(at, len("card-"), rules.Cues().Card, true)
	}
	if s.class&rules.CardKey != 0 || !glued && s.cue(at, rules.Cues().Card) || usual && !s.cueWithin(at, 16, rules.Cues().NoCard, true) {
		s.add(ruleCard, rankChecked, at, end)
	}
}

// begins reports whether the first groups of a cluster have these sizes and one separator between them.
func (c *cluster) begins(sizes []int) bool {
	at := c.start
	for i, n := range sizes {
		if c.ends[i]-at != n || i > 0 && c.seps[i-1] != c.seps[0] {
			return false
		}
		at = c.ends[i] + 1
	}
	return true
}
