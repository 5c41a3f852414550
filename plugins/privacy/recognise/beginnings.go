package recognise

import (
	"regexp/syntax"
	"unicode/utf8"
)

// Beginnings are the bytes that the matches of a pattern can have at each of their first places: a bit for each byte.
type beginnings [][4]uint64

// mostBeginnings is at how many places that is known.
const mostBeginnings = 16

// beginningsOf returns the beginnings of the matches of a pattern, up to the first place where their sizes or characters beyond ASCII
// make it uncertain. A pattern that is none has none.
func beginningsOf(pattern string) (b beginnings) {
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		b.add(re)
	}
	return b
}

// add adds what follows the beginnings so far, and reports whether all of it was added.
func (b *beginnings) add(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !b.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		return b.add(re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			if !b.add(re.Sub[0]) {
				return false
			}
		}
		return re.Min == re.Max
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return false
		}
		for _, r := range re.Rune {
			if !b.addRunes(r, r) {
				return false
			}
		}
		return true
	case syntax.OpCharClass:
		return b.addRunes(re.Rune...)
	}
	return false
}

// addRunes adds a place that has one of some ranges of characters.
func (b *beginnings) addRunes(ranges ...rune) bool {
	var set [4]uint64
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			return false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			set[r/64] |= 1 << (r % 64)
		}
	}
	if len(*b) == mostBeginnings {
		return false
	}
	*b = append(*b, set)
	return true
}

// in reports whether a match may begin at at of a text.
func (b beginnings) in(text string, at int) bool {
	if len(text)-at < len(b) {
		return false
	}
	for i := range b {
		if c := text[at+i]; b[i][c/64]>>(c%64)&1 == 0 {
			return false
		}
	}
	return true
}
