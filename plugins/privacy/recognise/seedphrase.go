package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleSeed = &Label{"seed-phrase", rules.SeedPhrase}

// The sizes of the words of a seed phrase, and of what is between two of them: a blank, a line with a number, a comma and quotation marks.
const leastSeedWord, mostSeedWord, mostBetweenSeeds = 3, 8, 16

var (
	betweenSeeds   = ascii.Set(" \t\r\n\"'`\\.,:;|()[]" + ascii.DigitBytes)
	behindSeedName = ascii.Set(" \t\r\n\"'`\\.,:;|()[]{}<>=-*_#" + ascii.DigitBytes)
)

// seed finds the words of a wallet behind the end of a name for them, as in MNEMONIC="…", fromMnemonic('…') and seed phrase:.
func (s *Scan) seed(at int) {
	if s.s[at]|0x20 != 'm' && !s.cue(at, rules.Cues().Seed) && !s.endsSeedName(at) {
		return
	}
	const longestSigns = 32
	end := ascii.Forward(s.s, at, maxName, ascii.WordSet)
	if open, rest, _ := strings.Cut(s.s[end:min(len(s.s), end+longestSigns)], ")"); strings.HasPrefix(open, " (") && rest != "" {
		end += len(open) + 1 // seed phrase (12 words):
	}
	start := ascii.Forward(s.s, end, longestSigns, behindSeedName)
	said := start > end && strings.HasPrefix(s.s[start:], "is") && behindSeedName[s.after(start+2)]
	if said {
		start = ascii.Forward(s.s, start+2, longestSigns, behindSeedName)
	}
	if start > end {
		s.seedWords(start, said || strings.ContainsAny(s.s[end:start], ":=\"'`"))
	}
}

// endsSeedName reports whether a word for a wallet's words ends at at, within a name, as in mySeedPhrase.
func (s *Scan) endsSeedName(at int) bool {
	before := strings.ToLower(s.s[max(0, at-16):at])
	return slices.ContainsFunc(rules.Cues().Seed, func(word string) bool { return strings.HasSuffix(before, word) })
}

// seedWords finds as many words as a wallet has from at on, and nothing else between them than between the first two. A sentence may go on
// behind those that a sign announces.
func (s *Scan) seedWords(at int, announced bool) {
	var ends [MostSeeds]int // of the words
	count, whole, first := 0, 0, ""
	for from, goesOn := at, s.seedWordEnd(at) > 0; goesOn && count < MostSeeds; count++ {
		end := s.seedWordEnd(from)
		ends[count] = end
		from = ascii.Forward(s.s, end, mostBetweenSeeds, betweenSeeds)
		between := s.s[end:from]
		if count == 0 {
			first = signsOf(between)
		}
		goesOn = from > end && strings.Count(between, "\n") < 2 && signsOf(between) == first && s.seedWordEnd(from) > 0
		if isSeedSize(count+1) && (!goesOn || strings.Contains(between, "\n") != strings.Contains(s.s[at:end], "\n")) {
			whole = count + 1
		}
	}
	if announced && first == "" && (whole == 0 || count == MostSeeds) {
		whole = count - count%3
	}
	if isSeedSize(whole) {
		s.add(ruleSeed, rankContext, at, ends[whole-1])
	}
}

// seedWordEnd returns the end of the word at at, if it can be one of a wallet, or 0.
func (s *Scan) seedWordEnd(at int) int {
	end := ascii.Forward(s.s, at, mostSeedWord+1, letterSet)
	if !isSeedWord(s.s[at:end]) || ascii.IsWord(s.after(end)) {
		return 0
	}
	return end
}

// signsOf returns what is between two words without blanks and digits, which are those of a list.
func signsOf(between string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r-'0' < 10 && r >= '0' {
			return -1
		}
		return r
	}, between)
}

// isSeedWord reports whether a word can be one of a wallet, whose list has no words for grammar alone.
func isSeedWord(word string) bool {
	return len(word) >= leastSeedWord && len(word) <= mostSeedWord && !slices.Contains(rules.Words().NoSeeds, strings.ToLower(word))
}

// MostSeeds is the most words of a wallet.
const MostSeeds = 24

// isSeedSize reports whether a wallet can have so many words.
func isSeedSize(count int) bool { return count >= 12 && count <= MostSeeds && count%3 == 0 }

// AreSeeds reports whether the elements of a list are the words of a wallet.
func AreSeeds(words []string) bool {
	return isSeedSize(len(words)) && !slices.ContainsFunc(words, func(w string) bool { return !isSeedWord(w) || ascii.Forward(w, 0, len(w), letterSet) < len(w) })
}
