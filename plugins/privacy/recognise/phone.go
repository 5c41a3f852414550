package recognise

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var rulePhone = &Label{"phone", rules.PhoneNumber}

// phoneSeparators are what people put between the groups of a number. U+00A0 and the narrow U+202F count as spaces.
const phoneSeparators = " -./()"

// phone finds a telephone number at at, which is a plus, an opening bracket or a digit. The library decides by the plan of the
// country; the rules here keep ids, dates, versions and lists of numbers away from it.
func (s *Scan) phone(at int) {
	if !s.phoneBegins(at) {
		return
	}
	number, digits, breaks := s.phoneExtent(at)
	if digits < 7 || digits > 15 {
		return
	}
	end := s.withExtension(number)
	if end == number && !s.clear(end) && !(s.after(end) == '-' && s.phoneBehind(end)) || s.listGoesOn(end) {
		return
	}
	if s.class&rules.PhoneKey == 0 && isLimit(s.s[at:number]) {
		return
	}
	if rank, ok := s.isPhone(s.s[at:number], breaks, s.phoneNamed(at, end)); ok && (rank == rankFormat || !s.inDump(at, end)) {
		s.add(rulePhone, rank, at, end)
	}
}

// phoneBegins reports whether a number may begin at at, by what precedes it.
func (s *Scan) phoneBegins(at int) bool {
	c := s.before(at)
	switch {
	case c == 0 || c == ':' || c == '=' || c == ',' || c == '(' && s.s[at] != '(':
	case c == '.' && at > 1 && isAlnum(s.s[at-2]) && !isDigit(s.s[at-2]): // Tel.030
	case isWordByte(c), strings.IndexByte(".-/,#$+(@%&~^*\\", c) >= 0:
		return false
	}
	if at > 1 && (c == ' ' || c == ',') && isDigit(s.s[at-2]) && s.s[at] != '+' && s.s[at] != '(' {
		return false // goes on from a number before
	}
	if at > 1 && c == ':' && isDigit(s.s[at-2]) {
		return false
	}
	operand := at > 1 && c == ' ' && isDigit(s.s[at]) && strings.IndexByte("+*|^<&", s.s[at-2]) >= 0
	return !operand
}

// isPhone reports whether a number with so many breaks between its groups is a telephone number, and the rank of that.
func (s *Scan) isPhone(number string, breaks int, named bool) (rank int, ok bool) {
	plain := digitsOf(number)
	switch {
	case number[0] == '+':
		return rankFormat, s.international(number) || named && len(plain) >= 8 && possible(number)
	case isNorthAmerican(number):
		if (number[0] == '(' || strings.ContainsAny(number, "-.") || named || !strings.ContainsRune(number, ' ')) && (breaks > 0 || named) &&
			(s.validNorthAmerican(plain) || named && northAmerican(plain)) {
			return rankFormat, true
		}
		if breaks > 1 && s.validNorthAmerican(plain) {
			return rankContext, true
		}
	}
	if s.isShaped(number, plain) {
		return rankContext, true
	}
	if !named || dateForm().MatchString(number) || yearsForm().MatchString(number) {
		return 0, false
	}
	if strings.HasPrefix(plain, "00") && s.international(number) {
		return rankFormat, true
	}
	return rankContext, s.national(plain, breaks)
}

// phoneExtent returns the end of the number at at, the count of its digits and that of the breaks between its groups.
func (s *Scan) phoneExtent(at int) (end, digits, breaks int) {
	i := at
	if s.s[i] == '+' {
		i++
	}
	gap := 0
	for end = i; i < len(s.s) && digits <= 15; {
		size := 1
		switch c := s.s[i]; {
		case isDigit(c):
			if gap > 0 && digits > 0 {
				breaks++
			}
			digits, gap = digits+1, 0
			end = i + 1
		case strings.IndexByte(phoneSeparators, c) >= 0 && gap < 3:
			gap++
		case strings.HasPrefix(s.s[i:], "\u00a0"):
			gap, size = gap+1, 2
		case strings.HasPrefix(s.s[i:], "\u202f"), strings.HasPrefix(s.s[i:], "\u2011"):
			gap, size = gap+1, 3
		default:
			return end, digits, breaks
		}
		i += size
	}
	return end, digits, breaks
}

// listGoesOn reports whether more numbers follow in the manner of a list.
func (s *Scan) listGoesOn(end int) bool {
	rest := s.s[end:]
	return len(rest) > 2 && (rest[0] == ' ' && isDigit(rest[1]) && isDigit(rest[2]) || rest[0] == ',' && rest[1] == ' ' && isDigit(rest[2]) && !strings.Contains(rest[2:min(len(rest), 20)], "-"))
}

// isLimit reports whether the last group of a number is a power of two, or one less: what programs have many of.
func isLimit(number string) bool {
	n, err := strconv.ParseUint(number[strings.LastIndexByte(number, ' ')+1:], 10, 64)
	return err == nil && n >= 1e6 && (n&(n-1) == 0 || n&(n+1) == 0)
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// isNorthAmerican reports whether a number is written (415) 555-0199, 415-555-0199 or 4155550199, with or without a 1,
// with one kind of separator.
func isNorthAmerican(number string) bool {
	number = strings.TrimLeft(strings.TrimPrefix(number, "1"), " -.")
	switch {
	case len(number) == 10:
		return digitsOf(number) == number
	case strings.HasPrefix(number, "("):
		area, rest, ok := strings.Cut(number[1:], ")")
		rest = strings.TrimLeft(rest, " -.")
		return ok && len(area) == 3 && len(rest) == 8 && strings.IndexByte("-. ", rest[3]) >= 0
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
