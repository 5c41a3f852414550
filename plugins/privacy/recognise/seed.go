package recognise

import "github.com/sluicehq/sluice/plugins/privacy/rules"

var ruleSeed = &Label{"seed-phrase", rules.SeedPhrase}

var seedForm = compiled(`(?i)^(?:phrase|mnemonic)(?: is|:|=){0,2}\s{1,3}["'\x60]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){12})?[a-z]{3,8})\b`)

// seed finds the 12 or 24 words of a wallet after a word for them.
func (s *Scan) seed(at int) {
	loc := seedForm().FindStringSubmatchIndex(s.s[at:min(len(s.s), at+300)])
	if loc != nil && (s.s[at]|0x20 == 'm' || s.cue(at, rules.Cues().Seed)) {
		s.add(ruleSeed, rankContext, at+loc[2], at+loc[3])
	}
}
