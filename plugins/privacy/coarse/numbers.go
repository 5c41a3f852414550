package coarse

import (
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// suspectNumber looks at the number in groups of digits that begins in the run doc[start:end], and returns where to look on.
func (c *look) suspectNumber(start, end int) int {
	doc := c.doc
	limit := min(end, start+shape.Sampled)
	for start < limit && !ascii.IsDigit(doc[start]) {
		start++
	}
	if start == limit {
		return end
	}
	if group := ascii.Forward(doc, start, 6, ascii.DigitSet); group-start < 6 && !groupFollows(doc, group) {
		return group // too few digits for anything
	}
	if end := decimalBehind(doc, start); end > 0 {
		return end
	}
	n := groupsAt(doc, start)
	if !c.suspectGroups(start, &n) && n.blanks != 0 && isBehindWord(doc, start) {
		c.suspectBefore(start, n)
	}
	return n.end
}

// isBehindWord reports whether a letter is right before at, or before a few signs there.
func isBehindWord(doc string, at int) bool {
	const most = 6
	for i := at - 1; i >= 0 && at-i <= most; i-- {
		if c := doc[i]; ascii.IsAlnum(c) || c >= utf8.RuneSelf {
			return !ascii.IsDigit(c)
		}
	}
	return false
}

// suspectBefore looks at the number that some groups begin with, behind which others follow after a blank.
func (c *look) suspectBefore(start int, n groups) {
	for n.count--; n.count > 0; n.count-- {
		digits := 0
		for _, size := range n.sizes[:n.count] {
			digits += size
		}
		n.size, n.end = min(digits, len(n.digits)), n.ends[n.count-1]
		if n.blanks>>n.count&1 != 0 && c.suspectGroups(start, &n) {
			return
		}
	}
}

// suspectGroups looks at the number at start, and reports whether it is one that is left.
func (c *look) suspectGroups(start int, n *groups) bool {
	doc, kinds := c.doc, 0
	card := n.size >= 13 && n.size <= 19 && n.differ() > 1 && checkdigit.Luhn(string(n.digits[:n.size]))
	switch {
	case card:
		kinds = suspectCard
	case n.size == 8 && n.isDate():
		kinds = suspectBirth
	case n.size == 9 && (n.count == 1 || n.has(3, 2, 4)):
		kinds = suspectSSN | suspectPassport
	case n.size == 6 && n.isDate():
		kinds = suspectBirth
	}
	if n.size >= 9 && n.size <= 13 && !c.KeepReserved && n.count < 6 && !n.isPointed() {
		kinds |= suspectPhone
	}
	if n.size >= 8 && n.size <= 14 && n.count < 6 && !n.isPointed() {
		kinds |= suspectNumber
	}
	if n.count == 1 && n.end-start >= 14 && n.end-start < 64 {
		kinds |= suspectToken // right behind its word
	}
	if kinds == 0 || !card && (n.differ() < 4 || !c.words.mayPrecede(doc, c.from, start)) {
		return false
	}
	of, word, between, denied := c.near(doc, c.from, start, kinds)
	switch {
	case of != nil && of.entity == rules.GenericSecret && (strings.Trim(between, string(rune(boundary))) != "" || !isAssigned(doc, c.from, start)):
		return false
	case of == nil && card && n.count == 1 && n.size >= 15 && checkdigit.IsCard(rules.Tables().Issuers, string(n.digits[:n.size])) && !c.MayStay(doc[start:n.end]):
		c.found.Numbers++
	case of == nil || c.MayStay(doc[start:n.end]):
		return false
	default:
		c.found.add(of.kind, word, start, denied)
	}
	return true
}

// decimalBehind returns the end of a decimal at at with fewer digits than a payment card, which is nothing else, or 0.
func decimalBehind(doc string, at int) int {
	const most = 12
	point := ascii.Forward(doc, at, most, ascii.DigitSet)
	if point+1 >= len(doc) || doc[point] != '.' || !ascii.IsDigit(doc[point+1]) {
		return 0
	}
	end := ascii.Forward(doc, point+1, most, ascii.DigitSet)
	if end-at > most || end < len(doc) && ascii.IsAlnum(doc[end]) || groupFollows(doc, end) {
		return 0
	}
	return end
}

// groupFollows reports whether a group of digits at at may follow one that ends there, behind separators.
func groupFollows(doc string, at int) bool {
	for most := at + 3; at < len(doc) && at < most && groupSet[doc[at]]; at++ {
	}
	return at < len(doc) && (ascii.IsDigit(doc[at]) || doc[at] >= utf8.RuneSelf || strings.HasPrefix(doc[at:], `\u`))
}

// groupSet are the separators between groups of digits.
var groupSet = ascii.Set(" -./()")

// Groups are digits with separators between them.
type groups struct {
	digits    [24]byte
	size, end int
	sizes     [8]int
	count     int
	separator byte   // the first one
	ends      [8]int // of the groups
	blanks    uint16 // a bit for each count of groups behind which a blank is
}

// groupsAt reads the groups of digits at at of a JSON text. More than 24 digits are no number.
func groupsAt(doc string, at int) (n groups) {
	for n.count < len(n.sizes) {
		group := at
		if at = ascii.Forward(doc, at, len(doc), ascii.DigitSet); at == group {
			break
		}
		n.size += copy(n.digits[n.size:], doc[group:at])
		if n.count > 0 && at < len(doc) && ascii.IsAlnum(doc[at]) {
			n.size = max(0, n.size-(at-group)) // a word, which is no part of it
			return n
		}
		n.sizes[n.count], n.ends[n.count], n.end = at-group, at, at
		n.count++
		next := at
		for next < len(doc) && next-at < 3 && groupSet[doc[next]] {
			next++
		}
		if next < len(doc) && (doc[next] == '\\' || doc[next] >= utf8.RuneSelf) {
			for _, space := range []string{"\u00a0", `\u00a0`, "\u202f", `\u202f`} {
				if strings.HasPrefix(doc[next:], space) {
					next += len(space)
				}
			}
		}
		if next == at {
			break
		}
		if n.separator == 0 {
			n.separator = doc[at]
		}
		if doc[at] == ' ' {
			n.blanks |= 1 << n.count
		}
		at = next
	}
	if n.end < len(doc) && ascii.IsAlnum(doc[n.end]) {
		n.size = 0 // a word goes on
	}
	return n
}

func (n *groups) has(sizes ...int) bool {
	if n.count != len(sizes) {
		return false
	}
	for i, size := range sizes {
		if n.sizes[i] != size {
			return false
		}
	}
	return true
}

// isDate reports whether the groups can be the day, the month and the year of a birth.
func (n *groups) isDate() bool {
	year := func(d []byte) bool { return d[0] == '1' && d[1] == '9' || d[0] == '2' && d[1] == '0' && d[2] < '2' }
	switch {
	case n.separator == ' ' || n.digits[0] == '0' && n.digits[1] == '0':
		return false
	case n.has(4, 2, 2):
		return year(n.digits[:4]) && n.digits[4] < '2' && n.digits[6] < '4'
	case n.has(2, 2, 4):
		return year(n.digits[4:8]) && n.digits[0] < '4' && n.digits[2] < '4'
	}
	return n.has(2, 2, 2) && n.digits[0] < '4' && n.digits[2] < '4'
}

// isPointed reports whether a number is a decimal, a version or an address of a host.
func (n *groups) isPointed() bool { return n.separator == '.' && (n.count == 2 || n.sizes[0] < 2) }

func (n *groups) differ() (count int) {
	var seen uint16
	for _, c := range n.digits[:n.size] {
		if bit := uint16(1) << (c - '0'); seen&bit == 0 {
			seen |= bit
			count++
		}
	}
	return count
}

// isAccount reports whether a text begins with a number of a bank account: its remainder by 97 is 1.
func isAccount(text string) bool {
	var number []byte
	for i := 0; i < len(text) && len(number) < 34; i++ {
		switch c := text[i]; {
		case ascii.IsAlnum(c):
			number = append(number, c)
		case c != ' ' && c != '-' || i+1 == len(text) || !ascii.IsAlnum(text[i+1]):
			i = len(text)
		}
		if len(number) > 14 && remainder97(number) == 1 {
			return true
		}
	}
	return false
}

func remainder97(number []byte) (rest int) {
	for i := range number {
		rest = checkdigit.Mod97(rest, number[(i+4)%len(number)])
	}
	return rest
}
