package recognise

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleIBAN = &Label{"iban-mod97", rules.IBANCode}

// iban finds two letters and digits whose remainder by 97 is 1, in one piece or in groups of four. In lower case it is no
// number in hexadecimal, unless a word before it says what it is.
func (s *Scan) iban(at int) {
	if at < 2 || !isAlnum(s.s[at-1]) || !isAlnum(s.s[at-2]) || isWordByte(s.before(at-2)) || !isDigit(s.after(at+1)) {
		return
	}
	start := at - 2
	country := [2]byte{s.s[start] &^ 0x20, s.s[start+1] &^ 0x20}
	size, ok := s.IBANSizes[string(country[:])]
	if !ok {
		return
	}
	i, n, rest := start, 0, 0
	lower, upper, hex := false, false, true
	for ; i < len(s.s) && n < size; i++ {
		c := s.s[i]
		if (c == ' ' || c == '-') && n%4 == 0 && n > 0 {
			continue
		}
		if !isAlnum(c) {
			return
		}
		letter := !isDigit(c)
		lower, upper = lower || letter && !isUpper(c), upper || isUpper(c)
		hex = hex && isHex(c)
		if n >= 4 {
			rest = mod97(rest, c)
		}
		n++
	}
	if n < size || isWordByte(s.after(i)) || lower && upper {
		return
	}
	for _, c := range []byte(s.s[start : start+4]) {
		rest = mod97(rest, c)
	}
	if rest == 1 && (!lower || !hex || s.ibans.in(s.lead(start, reachOfPhone))) {
		s.add(ruleIBAN, rankChecked, start, i)
	}
}

// mod97 goes on with a remainder by 97; letters of either case count from 10 on.
func mod97(rest int, c byte) int {
	if isDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c&^0x20-'A') + 10) % 97
}

var ruleCard = &Label{"card-luhn", rules.CreditCard}

// card finds payment cards: a known issuer range and length with Luhn's check digit, in one group or in the groups of a card.
func (s *Scan) card(at int) {
	c := s.clusterAt(at, " -.")
	if b := s.before(at); b == '-' || b == '/' {
		return
	}
	for _, sizes := range s.CardGroups {
		if part, ok := c.beginning(sizes); ok && s.clear(part.end) && s.isCard(string(part.digits[:part.n])) {
			s.add(ruleCard, rankChecked, at, part.end)
			return
		}
	}
	if said := s.class&rules.CardKey != 0 || s.cueWithin(at, 24, rules.Cues().CardSaid, true); said && c.n >= 12 && c.n <= 19 && !isOne(string(c.digits[:c.n])) &&
		s.clear(c.end) && luhn(string(c.digits[:c.n])) {
		s.add(ruleCard, rankContext, at, c.end)
	}
	one := s.clusterAt(at, "")
	if !s.clear(one.end) || !s.isCard(string(one.digits[:one.n])) {
		return
	}
	usual := one.n == 16 || one.n == 15 || one.n == 14
	if s.class&rules.CardKey != 0 || s.cue(at, rules.Cues().Card) || usual && !s.cueWithin(at, 16, rules.Cues().NoCard, true) {
		s.add(ruleCard, rankChecked, at, one.end)
	}
}

// beginning returns the first groups of a cluster if they have these sizes and one separator between them.
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

func (e *Engine) isCard(digits string) bool {
	if len(digits) < 13 || len(digits) > 19 || !luhn(digits) {
		return false
	}
	return slices.ContainsFunc(e.Issuers, func(i rules.Issuer) bool {
		first, err := strconv.Atoi(digits[:i.Digits])
		return err == nil && first >= i.From && first <= i.To && slices.Contains(i.Lengths, len(digits))
	})
}
