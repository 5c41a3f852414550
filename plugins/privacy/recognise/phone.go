package recognise

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/phone"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var rulePhone = &Label{"phone", rules.PhoneNumber}

// phoneSeparators are what people put between the groups of a number. U+00A0 and the narrow U+202F count as spaces.
const phoneSeparators = " -./()"

var phoneSeparatorSet = ascii.Set(phoneSeparators)

// leastPhone is the fewest digits of a telephone number.
const leastPhone = 7

// phone finds a telephone number at at, which is a plus, an opening bracket or a digit. Package phone decides by the plan of the
// country; the rules here keep ids, dates, versions and lists of numbers away from it.
func (s *Scan) phone(at int) (found bool) {
	written := s.northAmericanEnd(at)
	if !s.phoneBegins(at, written > 0) {
		return false
	}
	number, digits, breaks := s.phoneExtent(at)
	if beginsDate(s.s[at:number]) {
		return false
	}
	return digits >= leastPhone && (digits <= 15 && s.phoneTo(at, number, breaks, written == number) || s.phoneBefore(at, number, written))
}

// phoneTo finds the telephone number s[at:number], which has so many breaks between its groups and may be written as in North America with
// signs that lists of numbers do not have.
func (s *Scan) phoneTo(at, number, breaks int, written bool) bool {
	end := s.withExtension(number)
	if end == number && !s.clear(end) && !(s.after(end) == '-' && s.phoneBehind(end)) {
		return false
	}
	if s.listGoesOn(end) && !written && s.s[at] != '+' && !(breaks > 0 && s.phoneSaid(s.dialing.before, at)) && !s.isPhoneList(at) &&
		!(s.isNational(at) && s.isShaped(s.s[at:number], digitsOf(s.s[at:number])) && s.endsAt(s.s[at:number], end)) {
		return false
	}
	if s.class&rules.PhoneKey == 0 && isLimit(s.s[at:number]) {
		return false
	}
	if isTime(s.s[at:number]) && s.class&rules.PhoneKey == 0 && !s.phoneSaid(s.dialing.names, at) {
		return false
	}
	rank, ok := s.isPhone(s.s[at:number], breaks, s.phoneNamed(at, end))
	if !ok && s.isLinked(at) {
		rank, ok = rankFormat, s.valid("+"+digitsOf(s.s[at:number]), "")
	}
	if ok = ok && (rank == rankFormat || !s.inDump(at, end)); ok {
		s.add(rulePhone, rank, at, end)
	}
	return ok
}

// isPhoneList reports whether the numbers in a list are those of telephones, by their key or the noun before at.
func (s *Scan) isPhoneList(at int) bool {
	return s.class&rules.PhoneKey != 0 || s.phoneSaid(s.dialing.names, at)
}

// phoneBefore finds the telephone number that digits from at to end begin with, behind which others follow after a blank: a date, an amount,
// the number of a house. It has a plus, is written as in North America, or a word names it.
func (s *Scan) phoneBefore(at, end, written int) bool {
	switch {
	case s.s[at] == '+':
		for end = s.groupBefore(at, end); end > at; end = s.groupBefore(at, end) {
			if s.international(s.s[at:end]) {
				s.add(rulePhone, rankFormat, at, end)
				return true
			}
		}
	case written > 0 && written < end:
		if s.isBlankAt(written) && s.validNorthAmerican(digitsOf(s.s[at:written])) {
			s.add(rulePhone, rankFormat, at, written)
			return true
		}
	case s.groupBefore(at, end) > at:
		named := s.class&rules.PhoneKey != 0 || s.phoneSaid(s.dialing.before, at)
		if !named && !s.isNational(at) {
			return false
		}
		for end = s.groupBefore(at, end); end-at >= leastPhone; end = s.groupBefore(at, end) {
			number := s.s[at:end]
			plain := digitsOf(number)
			shaped := s.isShaped(number, plain) && (named || s.endsAt(number, end)) && !s.inDump(at, end)
			if shaped || named && s.isOfRegion(number, plain) {
				s.add(rulePhone, rankContext, at, end)
				return true
			}
		}
	}
	return false
}

// isOfRegion reports whether a number that a word names is one of North America as people there write it, or one of the regions.
func (s *Scan) isOfRegion(number, plain string) bool {
	return isNorthAmerican(number) && s.validNorthAmerican(plain) || len(plain) >= leastPhone && s.national(plain, 1)
}

// isNational reports whether a number begins as one that is dialled within a country.
func (s *Scan) isNational(at int) bool { return s.s[at] == '0' || s.s[at] == '(' }

// endsAt reports whether a number in groups ends at end, and what follows is no further group of the same kind, as in a row of numbers.
func (s *Scan) endsAt(number string, end int) bool {
	if s.after(end) != ' ' || strings.ContainsAny(number, "(-/") {
		return true
	}
	next := ascii.Forward(s.s, end+1, maxRun, ascii.DigitSet)
	return next-end-1 != len(number)-ascii.Back(number, len(number), maxRun, ascii.DigitSet) || s.after(next) == ':'
}

// groupBefore returns the end of the group of digits before the last one of s[at:end], if a blank follows it, or at.
func (s *Scan) groupBefore(at, end int) int {
	for end = ascii.Back(s.s, end, end-at, ascii.DigitSet); end > at; {
		group := end
		for group > at && !ascii.IsDigit(s.s[group-1]) {
			group--
		}
		if s.isBlankAt(group) {
			return group
		}
		end = ascii.Back(s.s, group, group-at, ascii.DigitSet)
	}
	return at
}

// isBlankAt reports whether a blank follows at at, behind a dot or not.
func (s *Scan) isBlankAt(at int) bool {
	if s.after(at) == '.' {
		at++
	}
	return s.after(at) == ' ' || strings.HasPrefix(s.s[at:], "\u00a0") || strings.HasPrefix(s.s[at:], "\u202f")
}

// notBeforePhone are the bytes behind which no number begins.
var notBeforePhone = ascii.Set(ascii.Bytes("A-Za-z0-9") + "_.-/,#$+(@%&~^*\\")

// phoneBegins reports whether a number may begin at at, by what precedes it. One that is written as in North America, or under a key for
// it, begins behind other numbers too.
func (s *Scan) phoneBegins(at int, written bool) bool {
	c := s.before(at)
	switch {
	case c == 0 || c == ':' || c == '=' || c == ',' || c == '(' && (s.s[at] != '(' || written):
	case c == '.' && at > 1 && ascii.IsAlnum(s.s[at-2]) && !ascii.IsDigit(s.s[at-2]): // Tel.030
	case c == '/' && (s.s[at] == '+' && s.isGlued(at) || s.isLinked(at)):
	case notBeforePhone[c]:
		return false
	}
	if at < 2 {
		return true
	}
	free := written || s.class&rules.PhoneKey != 0
	if (c == ' ' || c == ',') && ascii.IsDigit(s.s[at-2]) && s.s[at] != '+' && s.s[at] != '(' && !free {
		return false // goes on from a number before
	}
	if c == ':' && ascii.IsDigit(s.s[at-2]) {
		return false
	}
	operand := c == ' ' && ascii.IsDigit(s.s[at]) && !free && strings.IndexByte("+*|^<&", s.s[at-2]) >= 0
	return !operand
}

// isLinked reports whether a link to a chat begins with the number at at.
func (s *Scan) isLinked(at int) bool { return strings.HasSuffix(s.s[:at], "wa.me/") }

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
	if !named || beginsDate(number) || yearsForm().MatchString(number) {
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
		case ascii.IsDigit(c):
			if gap > 0 && digits > 0 {
				breaks++
			}
			digits, gap = digits+1, 0
			end = i + 1
		case phoneSeparatorSet[c] && gap < 3:
			gap++
		case c < utf8.RuneSelf:
			return end, digits, breaks
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
	if len(rest) < 3 || !ascii.IsDigit(rest[2]) {
		return false
	}
	switch rest[0] {
	case ' ':
		return ascii.IsDigit(rest[1])
	case ',':
		return rest[1] == ' ' && !strings.Contains(rest[2:min(len(rest), 20)], "-")
	}
	return false
}

// isLimit reports whether the last group of a number is a power of two, or one less: what programs have many of.
func isLimit(number string) bool {
	group := number[strings.LastIndexByte(number, ' ')+1:]
	if len(group) < len("1000000") || ascii.Forward(group, 0, len(group), ascii.DigitSet) < len(group) {
		return false
	}
	n, err := strconv.ParseUint(group, 10, 64)
	return err == nil && n >= 1e6 && (n&(n-1) == 0 || n&(n+1) == 0)
}

// isTime reports whether ten digits are the seconds from 1970 to a time from 2014 to 2033, which logs are full of. Behind a verb
// such as call they are no number to dial.
func isTime(number string) bool {
	return len(number) == 10 && number >= "1400000000" && number < "2000000000" && strings.Trim(number, ascii.DigitBytes) == ""
}

func digitsOf(s string) string {
	if ascii.Forward(s, 0, len(s), ascii.DigitSet) == len(s) {
		return s
	}
	digits := make([]byte, 0, 24)
	for i := range len(s) {
		if ascii.IsDigit(s[i]) {
			digits = append(digits, s[i])
		}
	}
	return string(digits)
}

// phoneShape returns a number with each digit but a leading zero as d, and each space as a blank.
func phoneShape(number string) string {
	var b [24]byte
	n := 0
	for _, r := range number {
		switch {
		case n == len(b):
			return ""
		case r >= '0' && r <= '9':
			b[n] = 'd'
			if r == '0' && strings.Trim(string(b[:n]), "(") == "" {
				b[n] = '0'
			}
		case r == '\u00a0' || r == '\u202f':
			b[n] = ' '
		case r == '\u2011':
			b[n] = '-'
		default:
			b[n] = byte(r)
		}
		n++
	}
	return string(b[:n])
}

// isShaped reports whether a number has the shape of a region and is valid by its plan. Few different digits come from programs.
func (s *Scan) isShaped(number, plain string) bool {
	regions := s.dialing.shapes[phoneShape(number)]
	if len(regions) == 0 {
		return false
	}
	var seen uint16
	for i := range len(plain) {
		seen |= 1 << (plain[i] - '0')
	}
	return bits.OnesCount16(seen) >= 4 && !isCounting(number) && slices.ContainsFunc(regions, func(r string) bool { return s.valid(plain, r) })
}

// isCounting reports whether the groups of a number count up one by one.
func isCounting(number string) bool {
	groups := strings.FieldsFunc(number, func(r rune) bool { return r < '0' || r > '9' })
	for i := 1; i < len(groups); i++ {
		last, _ := strconv.Atoi(groups[i-1])
		if n, _ := strconv.Atoi(groups[i]); n != last+1 {
			return false
		}
	}
	return len(groups) > 2
}

var yearsForm = shape.Compiled(`^(?:19|20)[0-9]{2}[-–/ ]{1,3}(?:19|20)[0-9]{2}$`)

// inDump reports whether s[start:end] is next to two pairs of hexadecimal digits, or to the address of a line of a dump.
func (s *Scan) inDump(start, end int) bool {
	pairs := func(v string) bool {
		return len(v) >= 6 && v[0] == ' ' && ascii.IsHex(v[1]) && ascii.IsHex(v[2]) && v[3] == ' ' && ascii.IsHex(v[4]) && ascii.IsHex(v[5]) && (len(v) == 6 || !ascii.IsWord(v[6]))
	}
	left := strings.TrimRight(s.s[max(0, start-12):start], " ")
	if n := len(left); n >= 5 && ascii.IsHex(left[n-1]) && ascii.IsHex(left[n-2]) && left[n-3] == ' ' && ascii.IsHex(left[n-4]) && ascii.IsHex(left[n-5]) ||
		n >= 7 && strings.Trim(left[n-7:], ascii.HexDigits) == "" {
		return true
	}
	return pairs(s.s[end:min(len(s.s), end+7)])
}

// national reports whether digits are a number of one of the regions. Without spaces, unless its key names a telephone, it must
// begin as people write it, mostly with the zero to dial first.
func (s *Scan) national(plain string, breaks int) bool {
	return slices.ContainsFunc(s.dialing.regions, func(r rules.Region) bool {
		begins := breaks > 0 || r.Begins == "" || strings.IndexByte(r.Begins, plain[0]) >= 0 || s.class&rules.PhoneKey != 0
		return begins && s.valid(plain, r.Region)
	})
}

// international reports whether a number is one of the country whose code it begins with. (0) is dialled at home only.
func (s *Scan) international(number string) bool {
	plain := digitsOf(number)
	if number[0] != '+' {
		plain = plain[2:] // 00
	}
	if s.valid("+"+plain, "") {
		return true
	}
	home, rest, ok := strings.Cut(number, "(0)")
	if !ok {
		return false
	}
	plain = digitsOf(home) + digitsOf(rest)
	return s.valid("+"+strings.TrimPrefix(plain, "00"), "")
}

func (s *Scan) valid(number, region string) bool {
	n, ok := phone.Parse(number, region)
	return ok && n.Valid()
}

func possible(number string) bool {
	n, ok := phone.Parse(strings.Replace(number, "(0)", "", 1), "")
	return ok && n.Possible()
}
