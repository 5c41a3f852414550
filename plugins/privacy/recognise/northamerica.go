package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// northAmericanEnd returns the end of a number at at that is written (415) 555-0199, 415-555-0199 or 415.555.0199, with a 1 before it or
// not, or 0.
func (s *Scan) northAmericanEnd(at int) int {
	if s.s[at] == '1' && (s.after(at+1) == '-' || s.after(at+1) == '.' || s.after(at+1) == ' ') && at+2 < len(s.s) {
		at += 2
	}
	i, sign := at, byte(0)
	if s.s[i] == '(' {
		if i = at + 5; s.after(at+4) != ')' {
			return 0
		}
		if s.after(i) == ' ' {
			i++
		}
	} else if i = at + 4; s.after(at+3) != '-' && s.after(at+3) != '.' {
		return 0
	} else {
		sign = s.s[at+3]
	}
	last := s.after(i + 3)
	if i+8 > len(s.s) || ascii.IsDigit(s.after(i+8)) || last != '-' && last != '.' && (last != ' ' || sign != 0) || sign != 0 && sign != last {
		return 0
	}
	if digits := digitsOf(s.s[at : i+8]); len(digits) != 10 {
		return 0
	}
	return i + 8
}

// isNorthAmerican reports whether a number is written as (415) 555-0199, 415-555-0199 or 4155550199, with or without a 1.
func isNorthAmerican(number string) bool {
	number = strings.TrimLeft(strings.TrimPrefix(number, "1"), " -.")
	switch {
	case len(number) == 10:
		return digitsOf(number) == number
	case strings.HasPrefix(number, "("):
		area, rest, ok := strings.Cut(number[1:], ")")
		rest = strings.TrimLeft(rest, " -.")
		return ok && len(area) == 3 && len(rest) == 8 && len(digitsOf(number)) == 10 && strings.IndexByte("-. ", rest[3]) >= 0
	}
	return len(number) == 12 && number[3] == number[7] && strings.IndexByte("-. ", number[3]) >= 0 && len(digitsOf(number)) == 10
}

// northAmerican checks area code and exchange by form only, for numbers that a word announces.
func northAmerican(digits string) bool {
	digits = digits[len(digits)-10:]
	return digits[0] >= '2' && digits[3] >= '2'
}

// A planCache remembers whether a North American number with these first six digits is valid. The last four make no difference.
type planCache [1 << 8]struct {
	first string
	valid bool
}

// validNorthAmerican asks the library about ten digits, with or without a 1 before them.
func (s *Scan) validNorthAmerican(plain string) bool {
	national := plain
	if len(plain) == 11 && plain[0] == '1' {
		national = plain[1:]
	}
	if len(national) != 10 {
		return s.valid(plain, "US")
	}
	first := national[:6]
	known := &s.plan[(int(first[0])*41+int(first[1])*31+int(first[2])*11+int(first[3])*7+int(first[4])*3+int(first[5]))%len(s.plan)]
	if known.first != first {
		known.first, known.valid = strings.Clone(first), s.valid(national, "US")
	}
	return known.valid
}
