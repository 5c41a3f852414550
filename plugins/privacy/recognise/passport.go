package recognise

import (
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var (
	ruleUSPassport = &Label{"us-passport", rules.USPassport}
	rulePassport   = &Label{"passport", rules.Passport}
)

// Forms of passports' numbers. In the United States a letter precedes eight digits since 2021; before that there were nine, as in
// the United Kingdom still. Most countries have one to three letters and six to eight digits, France two digits, two letters and
// five digits, and Germany nine of the letters and digits that are hard to confuse, with a check digit behind.
var (
	usPassportForm = shape.Compiled(`^(?:[A-Za-z][0-9]{8}|[A-Z][ -][0-9]{8}|[0-9]{9}|[0-9]{3}[ -][0-9]{3}[ -][0-9]{3})`)
	passportForm   = shape.Compiled(`^(?:[A-Za-z]{1,3}[0-9]{6,8}|[A-Z]{1,3}[ -][0-9]{6,8}|[0-9]{2} ?[A-Za-z]{2} ?[0-9]{5}|[CFGHJK][CFGHJ-NPRTV-Z0-9]{8}[0-9]?)`)
)

// reachOfPassport is the most bytes between a word for a passport and its number.
const reachOfPassport = 36

// addPassports adds the recognisers of passports' numbers, which a word announces.
func (e *Engine) addPassports() {
	for _, word := range rules.Cues().Passport {
		size := len(word)
		e.add(prefilter.Anchor{Text: word, Fold: word[0] < utf8.RuneSelf}, handler{try: func(s *Scan, at int) {
			if before, _ := utf8.DecodeLastRuneInString(s.s[:at]); !isLetter(before) || s.beginsCamel(at) {
				s.passportBehind(at + size)
			}
		}})
	}
}

// passportBehind finds the number behind a word for a passport, or at the beginning of the value of a key for it: the first word
// with a digit, in the same line or in the next one when the word ends its own.
func (s *Scan) passportBehind(from int) {
	text := false
	for at := from; at < min(len(s.s), from+reachOfPassport); {
		if !ascii.IsAlnum(s.s[at]) {
			if s.s[at] == '\n' && text || s.s[at] == '>' && s.isMarked(at) {
				return
			}
			at = max(at+1, s.pastAttribute(at))
			continue
		}
		if near := s.s[at:min(len(s.s), at+maxRun)]; ascii.HasDigit(near) {
			if end := at + len(usPassportForm().FindString(near)); s.isPassport(at, end) {
				s.add(ruleUSPassport, rankContext, at, end)
				return
			}
			if end := at + len(passportForm().FindString(near)); s.isPassport(at, end) {
				s.add(rulePassport, rankContext, at, end)
				return
			}
		}
		end := ascii.Forward(s.s, at, len(s.s), ascii.WordSet)
		if ascii.HasDigit(s.s[at:end]) {
			return
		}
		text, at = true, end
	}
}

// isPassport reports whether s[start:end] has the digits of a number, and nothing that makes it a part of something else.
func (s *Scan) isPassport(start, end int) bool {
	return len(digitsOf(s.s[start:end])) >= 4 && s.isApart(start, end, '.') && !((s.after(end) == '-' || s.after(end) == '/') && ascii.IsAlnum(s.after(end+1)))
}
