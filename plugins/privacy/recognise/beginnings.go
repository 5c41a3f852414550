package recognise

import (
	"regexp/syntax"
	"unicode/utf8"
)

// Beginnings are the forms that the beginning of a match of a pattern can have.
type beginnings []beginning

// A beginning has the bytes that a match can have at each of its first offsets: a bit for each byte.
type beginning struct {
	bytes [][4]uint64
	ends  bool // nothing is known of what follows
}

// It is known of at most so many bytes and of so many forms.
const mostBytes, mostForms = 24, 16

// beginningsOf returns the forms of the matches of a pattern, up to the first byte where characters beyond ASCII, letters of either case or
// a number of forms make them uncertain. A pattern that is none has the form of everything.
func beginningsOf(pattern string) beginnings {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return beginnings{{}}
	}
	return beginnings{{}}.followed(re)
}

// followed returns the forms with what a part of a pattern adds to them.
func (b beginnings) followed(re *syntax.Regexp) beginnings {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return b
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b = b.followed(sub)
		}
		return b
	case syntax.OpCapture:
		return b.followed(re.Sub[0])
	case syntax.OpAlternate:
		var all beginnings
		for _, sub := range re.Sub {
			all = append(all, b.followed(sub)...)
		}
		return b.orEnded(all)
	case syntax.OpQuest:
		return b.orEnded(append(b.clone(), b.followed(re.Sub[0])...))
	case syntax.OpPlus:
		return b.followed(re.Sub[0]).ended()
	case syntax.OpRepeat:
		for range re.Min {
			b = b.followed(re.Sub[0])
		}
		if re.Max != re.Min {
			return b.ended()
		}
		return b
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return b.ended()
		}
		for _, r := range re.Rune {
			b = b.withRunes(r, r)
		}
		return b
	case syntax.OpCharClass:
		return b.withRunes(re.Rune...)
	}
	return b.ended()
}

// orEnded returns the forms that b grows to, or b without what follows when these are too many.
func (b beginnings) orEnded(grown beginnings) beginnings {
	if len(grown) > mostForms {
		return b.ended()
	}
	return grown
}

func (b beginnings) clone() beginnings { return append(beginnings(nil), b...) }

// ended returns the forms, of which nothing is known any further.
func (b beginnings) ended() beginnings {
	b = b.clone()
	for i := range b {
		b[i].ends = true
	}
	return b
}

// withRunes returns the forms with one byte more, in one of some ranges of characters.
func (b beginnings) withRunes(ranges ...rune) beginnings {
	var set [4]uint64
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			return b.ended()
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			set[r/64] |= 1 << (r % 64)
		}
	}
	b = b.clone()
	for i := range b {
		if form := &b[i]; len(form.bytes) == mostBytes {
			form.ends = true
		} else if !form.ends {
			form.bytes = append(form.bytes[:len(form.bytes):len(form.bytes)], set)
		}
	}
	return b
}

// in reports whether a match may begin at at of a text.
func (b beginnings) in(text string, at int) bool {
	for i := range b {
		if b[i].in(text, at) {
			return true
		}
	}
	return false
}

func (b *beginning) in(text string, at int) bool {
	if len(text)-at < len(b.bytes) {
		return false
	}
	for i := range b.bytes {
		if c := text[at+i]; b.bytes[i][c/64]>>(c%64)&1 == 0 {
			return false
		}
	}
	return true
}
