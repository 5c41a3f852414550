// Package coarse is a detector with words and measures of its own, which sees what the rules have missed.
package coarse

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// A Detector has what its user leaves out.
type Detector struct {
	IsOff        func(entity string) bool // it is not looked for
	MayStay      func(value string) bool
	KeepReserved bool // leave telephone numbers, of which some are reserved
}

// Suspects are the findings of a coarse look at a JSON text.
type Suspects struct {
	Sure    []Suspect // the first ones
	Denied  []Suspect // the first ones of those that another word denies, such as id or example
	Numbers int       // 15 to 19 digits whose check digit is that of a payment card
}

// mostSuspects bounds each list of a look.
const mostSuspects = 64

// Look goes through a part of a JSON text as it is written, from digit to digit, since all that it looks for has one. It
// adds to what it suspects.
func (d *Detector) Look(m *prefilter.Map, from, to int, found *Suspects) {
	c := look{Detector: d, doc: m.Text[:to], from: from, found: found}
	for at, last := m.Digit(from, to), from; at < to; at = m.Digit(last, to) {
		if escape := prefilter.EscapeAround(c.doc, at); escape >= from && (escape+6 == to || !coarseSet[c.doc[escape+6]]) {
			last = escape + 6
			continue
		}
		start, end := ascii.Back(c.doc, at, at-last, coarseSet), ascii.Forward(c.doc, at+1, shape.Sampled, coarseSet)
		last = c.suspect(start, end)
	}
}

// A look is at a part of a JSON text.
type look struct {
	*Detector
	doc   string
	from  int // where the part begins, which ends with doc
	found *Suspects
	words announcements
}

var coarseSet = ascii.Set(ascii.TokenBytes + "+")

// suspect looks at the run doc[start:end], and returns where to look on.
func (c *look) suspect(start, end int) int {
	doc, from := c.doc, c.from
	if first := undressed(doc, from, start, end); first > start {
		if start = first; ascii.NextDigit(doc[:end], start) == end { // the digits were those of an escape
			return end
		}
	}
	if !hasLetter(doc[start:end]) {
		return c.suspectNumber(start, end)
	}
	if end-start < leastChosen && !mayBeChosen(doc, from, start, end) {
		return end
	}
	if (end-start > longestChosen || end == len(doc) || !passwordSet[doc[end]]) && !c.words.mayPrecede(doc, from, start) {
		return end
	}
	run := shape.Count(doc[start:end])
	if run.Digits == 0 {
		return end
	}
	kinds, plain, adjoining := 0, false, false
	if run.IsDrawn() || shape.IsUUID(doc[start:end]) {
		if kinds = suspectToken | suspectPassword; isAssigned(doc, from, start) {
			kinds |= suspectVendor
		}
	} else {
		if run.Size == end-start && run.IsIdentity() {
			kinds = suspectPassport | suspectNumber
		}
		if first, last := passwordAround(doc, from, start, end); isChosen(doc[first:last]) {
			end, kinds = last, kinds|suspectPassword
			plain = !shape.IsSurelyChosen(doc[first:last])
			adjoining = !plain && !run.IsTurning() && isAssigned(doc, from, first) && shape.LooksMixed(doc[first:last], false, false)
			if adjoining || run.IsTurning() {
				kinds |= suspectToken
			}
		}
		if end-start == 4 && ascii.IsUpper(doc[start]) && ascii.IsUpper(doc[start+1]) || end-start > 14 && run.Upper < 8 {
			kinds |= suspectIBAN
		}
	}
	if kinds == 0 {
		return end
	}
	of, word, between, denied := c.near(doc, from, start, kinds)
	switch {
	case of == nil, c.MayStay(doc[start:end]), strings.HasPrefix(doc[end:], "..."), strings.HasPrefix(doc[end:], "***"):
	case of.entity == rules.GenericSecret && (plain || adjoining) && between != "":
	case of.entity == rules.GenericSecret && shape.IsCamel(doc[start:end]), isSecretEntity(of.entity) && shape.IsType(doc[start:end]): // a name in code
	case of.entity == rules.IBANCode && !isAccount(doc[start:]):
	case of.entity == rules.Password && plain && !isSaid(word, between):
	case of.entity == rules.Password && plain && hasFold(doc[start:end], word): // a name that begins with the word
	default:
		c.found.add(of.kind, word, start, denied)
	}
	return end
}

func isSecretEntity(entity string) bool {
	return entity == rules.Password || entity == rules.GenericSecret
}

// hasFold reports whether a text begins with a word in any case.
func hasFold(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

// add adds a suspect, which another word may deny.
func (found *Suspects) add(kind, word string, at int, denied bool) {
	list := &found.Sure
	if denied {
		list = &found.Denied
	}
	if len(*list) < mostSuspects {
		*list = append(*list, Suspect{kind, word, at})
	}
}

// undressed returns the start of a run without the letters and digits of an escape, a colour or an encoded sign before it.
func undressed(doc string, from, start, end int) int {
	if start <= from {
		return start
	}
	switch c := doc[start-1]; {
	case c == '\\' && doc[start] == 'u' && end-start > 5:
		return start + 5
	case c == '\\' && strings.IndexByte("nrtbf", doc[start]) >= 0 && end-start > 1:
		return start + 1
	case c == '%' && end-start > 2 && ascii.IsHex(doc[start]) && ascii.IsHex(doc[start+1]):
		return start + 2
	case c == '[' || c == ';':
		if n := ascii.Forward(doc, start, 12, colourSet); n < end && doc[n] == 'm' {
			return n + 1
		}
	}
	return start
}

// hasLetter reports whether a run has a letter, as far as shape.Count reads it.
func hasLetter(run string) bool {
	run = shape.Sample(run)
	return ascii.Forward(run, 0, len(run), unletteredSet) < len(run)
}

// unletteredSet are all bytes but letters.
var unletteredSet = ascii.Set(ascii.Bytes("\x00-@[-`{-\xff"))

var passwordSet = ascii.Set(ascii.TokenBytes + "+!@#$%^&*?~")

// passwordAround returns the run around doc[start:end] with signs that people put into passwords.
func passwordAround(doc string, from, start, end int) (int, int) {
	return ascii.Back(doc, start, min(start-from, 24), passwordSet), ascii.Forward(doc, end, 24, passwordSet)
}

// leastChosen and longestChosen are the sizes of runs that a person can have chosen as a password.
const leastChosen, longestChosen = 6, 40

// mayBeChosen reports whether a run of few letters and digits is long enough with the signs around it to be a password, or begins
// the number of an account.
func mayBeChosen(doc string, from, start, end int) bool {
	first, last := passwordAround(doc, from, start, end)
	return last-first >= leastChosen || end-start == 4 && ascii.IsUpper(doc[start]) && ascii.IsUpper(doc[start+1])
}

// isChosen reports whether a person can have chosen a run as a password.
func isChosen(run string) bool {
	if len(run) < leastChosen || len(run) > longestChosen || strings.IndexByte("$%&", run[0]) >= 0 || strings.HasPrefix(strings.TrimLeft(run, "-+"), "0x") {
		return false
	}
	s := shape.Count(run)
	return s.Upper+s.Lower > 0 && s.Digits > 0 && s.Differ > 3
}
