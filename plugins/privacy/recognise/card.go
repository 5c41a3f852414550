package recognise

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleCard = &Label{"card-luhn", rules.CreditCard}

// card finds payment cards: a known issuer range and length with Luhn's check digit, in one group or in the groups of a card.
func (s *Scan) card(at int) {
	c := s.clusterAt(at, " -")
	if b := s.before(at); b == '-' || b == '/' {
		return
	}
	for _, sizes := range s.cardGroups {
		if part, ok := c.beginning(sizes); ok && s.clear(part.end) && s.isCard(string(part.digits[:part.n])) {
			s.add(ruleCard, rankChecked, at, part.end)
			return
		}
	}
	one := s.clusterAt(at, "")
	if named := one.n == 16 || one.n == 15 || one.n == 14 || s.class&rules.CardKey != 0 || s.cue(at, rules.Cues().Card); named && s.clear(one.end) && s.isCard(string(one.digits[:one.n])) {
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

// isCard checks issuer, length and Luhn's digit.
func (e *Engine) isCard(digits string) bool {
	if len(digits) < 13 || len(digits) > 19 || !luhn(digits) {
		return false
	}
	return slices.ContainsFunc(e.issuers, func(i rules.Issuer) bool {
		first, err := strconv.Atoi(digits[:i.Digits])
		return err == nil && first >= i.From && first <= i.To && slices.Contains(i.Lengths, len(digits))
	})
}
