package shape

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// Counts are of the letters and digits of a run.
type Counts struct {
	Size, Digits, Upper, Lower int
	turns                      int // from one of the three kinds to another
	Differ                     int // letters and digits that differ
	first                      byte
}

// Count counts the letters and digits of a run.
func Count(run string) (s Counts) {
	run = Sample(run)
	var seen [2]uint64
	last := -1
	for i := range len(run) {
		c, kind := run[i], 0
		switch {
		case ascii.IsDigit(c):
			s.Digits++
		case ascii.IsUpper(c):
			kind = 1
			s.Upper++
		case c-'a' < 26:
			kind = 2
			s.Lower++
		default:
			continue
		}
		if s.Size == 0 {
			s.first = c
		}
		if s.Size++; kind != last && last >= 0 {
			s.turns++
		}
		if last = kind; seen[c>>6]>>(c&63)&1 == 0 {
			seen[c>>6] |= 1 << (c & 63)
			s.Differ++
		}
	}
	return s
}

// IsDrawn reports whether a program drew a run: its kinds change as often as by chance, and many of its letters and digits differ.
func (s *Counts) IsDrawn() bool {
	if s.Size < 12 || s.Differ < 8 || s.Digits < 2 && (s.Size < 24 || s.Digits == 0) {
		return false
	}
	if min(s.Upper, s.Lower) > 2 { // or a name of several words has as many
		return s.turns*20 >= s.Size*9 || s.Size >= 20 && s.turns*5 >= s.Size*2
	}
	return s.Size >= 16 && s.Digits > 2 && s.turns*4 >= s.Size || s.Upper > 0 && s.Lower > 0 && s.turns*20 >= s.Size*9
}

// IsTurning reports whether a run turns from letters to digits and back so often that it is a token right behind a word for one.
func (s *Counts) IsTurning() bool {
	return s.Size >= 8 && s.Digits > 1 && s.turns > 2 && s.Differ > 5 && (s.Upper == 0 || s.Lower == 0 || s.turns*2 >= s.Size)
}

// IsIdentity reports whether a run is digits and capitals, as the numbers of passports and of citizens are.
func (s *Counts) IsIdentity() bool {
	return s.Lower == 0 && s.Digits >= 5 && (s.Size >= 8 && s.Size <= 11 && s.turns <= 2 || s.Size == 16 && ascii.IsUpper(s.first))
}

// IsSurelyChosen reports whether a run that a person can have chosen as a password can be nothing else: it has a sign among letters and
// digits, or letters of both cases around a digit.
func IsSurelyChosen(run string) bool {
	s := Count(run)
	return len(run) >= 8 && s.Differ > 5 && (strings.ContainsAny(run[1:], "!@#$%^&*?~") || s.Upper > 0 && s.Lower > 0 && s.turns*2 >= s.Size)
}
