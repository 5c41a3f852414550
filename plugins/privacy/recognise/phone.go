package recognise

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/phone"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var rulePhone = &Label{"phone", rules.PhoneNumber}

// phoneSeparators are what people put between the groups of a number. U+00A0 and the narrow U+202F count as spaces.
const phoneSeparators = " -./()"

var phoneSeparatorSet = byteSet(phoneSeparators)

// leastPhone is the fewest digits of a telephone number.
const leastPhone = 7

// phone finds a telephone number at at, which is a plus, an opening bracket or a digit. Package phone decides by the plan of the
// country; the rules here keep ids, dates, versions and lists of numbers away from it.
func (s *Scan) phone(at int) {
	if !s.phoneBegins(at) {
		return
	}
	number, digits, breaks := s.phoneExtent(at)
	if digits < leastPhone || digits > 15 {
		return
	}
	end := s.withExtension(number)
	if end == number && !s.clear(end) && !(s.after(end) == '-' && s.phoneBehind(end)) || s.listGoesOn(end) {
		return
	}
	if s.class&rules.PhoneKey == 0 && isLimit(s.s[at:number]) {
		return
	}
	if isTime(s.s[at:number]) && s.class&rules.PhoneKey == 0 && !s.phoneSaid(s.dialing.names, at) {
		return
	}
	if rank, ok := s.isPhone(s.s[at:number], breaks, s.phoneNamed(at, end)); ok && (rank == rankFormat || !s.inDump(at, end)) {
		s.add(rulePhone, rank, at, end)
	}
}

// notBeforePhone are the bytes behind which no number begins.
var notBeforePhone = byteSet(rules.Bytes("A-Za-z0-9") + "_.-/,#$+(@%&~^*\\")

// phoneBegins reports whether a number may begin at at, by what precedes it.
func (s *Scan) phoneBegins(at int) bool {
	c := s.before(at)
	switch {
	case c == 0 || c == ':' || c == '=' || c == ',' || c == '(' && s.s[at] != '(':
	case c == '.' && at > 1 && isAlnum(s.s[at-2]) && !isDigit(s.s[at-2]): // Tel.030
	case notBeforePhone[c]:
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
	return len(rest) > 2 && (rest[0] == ' ' && isDigit(rest[1]) && isDigit(rest[2]) || rest[0] == ',' && rest[1] == ' ' && isDigit(rest[2]) && !strings.Contains(rest[2:min(len(rest), 20)], "-"))
}

// isLimit reports whether the last group of a number is a power of two, or one less: what programs have many of.
func isLimit(number string) bool {
	group := number[strings.LastIndexByte(number, ' ')+1:]
	if len(group) < len("1000000") || forward(group, 0, len(group), digitSet) < len(group) {
		return false
	}
	n, err := strconv.ParseUint(group, 10, 64)
	return err == nil && n >= 1e6 && (n&(n-1) == 0 || n&(n+1) == 0)
}

// isTime reports whether ten digits are the seconds from 1970 to a time from 2014 to 2033, which logs are full of. Behind a verb
// such as call they are no number to dial.
func isTime(number string) bool {
	return len(number) == 10 && number >= "1400000000" && number < "2000000000" && strings.Trim(number, digitBytes) == ""
}

func digitsOf(s string) string {
	if forward(s, 0, len(s), digitSet) == len(s) {
		return s
	}
	digits := make([]byte, 0, 24)
	for i := range len(s) {
		if isDigit(s[i]) {
			digits = append(digits, s[i])
		}
	}
	return string(digits)
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

// A dialing holds the telephone numbering of some regions.
type dialing struct {
	regions        []rules.Region
	names          *cueSet // of a telephone
	before, behind *cueSet
	isBehind       [256]bool           // bytes that begin a cue of behind, in either case
	watched        *watched            // the cues of names and before
	shapes         map[string][]string // the regions that write a national number so
}

// newDialing returns the words and shapes of regions, with the words for all regions.
func newDialing(regions []string) *dialing {
	d := &dialing{shapes: map[string][]string{}}
	names, before, behind := slices.Clone(rules.Cues().PhoneNames), slices.Clone(rules.Cues().Phone), slices.Clone(rules.Cues().PhoneBehind)
	for _, name := range regions {
		region := rules.Regions()[name]
		region.Region = name // without words
		d.regions = append(d.regions, region)
		names, before, behind = append(names, region.Names...), append(before, region.Phone...), append(behind, region.Behind...)
		for _, shape := range region.Shapes {
			d.shapes[shape] = append(d.shapes[shape], name)
		}
	}
	before = append(before, names...)
	d.names, d.before, d.behind, d.watched = newCueSet(names), newCueSet(before), newCueSet(behind), newWatched(before)
	for c := range d.isBehind {
		d.isBehind[c] = len(d.behind[c]) > 0 || isUpper(byte(c)) && len(d.behind[c|0x20]) > 0
	}
	return d
}

// reachOfPhone is the most letters between the beginning of a word for a telephone and the number.
const reachOfPhone = 28

// phoneNamed reports whether the key, a word before the number or a word right after it names a telephone.
func (s *Scan) phoneNamed(at, end int) bool {
	return s.class&rules.PhoneKey != 0 || s.phoneBehind(end) || s.phoneSaid(s.dialing.before, at)
}

// phoneSaid reports whether one of the words for a telephone is before at.
func (s *Scan) phoneSaid(words *cueSet, at int) bool {
	return s.beforePhone.mayHold(s.dialing.watched, s.s, at, reachOfPhone) && words.in(s.lead(at, reachOfPhone))
}

// phoneBehind reports whether the next word after end names a telephone, as in 555-0199 (office).
func (s *Scan) phoneBehind(end int) bool {
	rest := s.s[end:min(len(s.s), end+32)]
	next := strings.TrimLeft(rest, " -,([/\u00a0")
	for _, open := range []string{"（", "「", "–"} {
		next = strings.TrimPrefix(next, open)
	}
	if len(rest)-len(next) > 4 || next == "" || next[0] < utf8.RuneSelf && !s.dialing.isBehind[next[0]] {
		return false
	}
	return s.dialing.behind.at(strings.ToLower(next), ' ') > 0
}

// extensionForm is what separates a number from its extension.
var extensionForm = compiled(`^(?i:[ ,;]{0,2}(?:` + strings.Join(extensionWords, "|") + `)[ .:]{0,2}|[ ]?x[ ]?\.?[ ]?|[ ]?#[ ]?)[0-9]{1,6}`)

// extensionWords are patterns of the words for an extension. Those of ASCII begin with three letters.
var extensionWords = []string{"extension", `extn?\.?`, `ext\.?:`, "durchwahl", "poste", "interno", `int\.`, "ramal", `wew\.?`, "內線", "内线", "分机", "分機", "toestel"}

// withExtension returns the end of a number with its extension.
func (s *Scan) withExtension(end int) int {
	rest := s.s[end:min(len(s.s), end+32)]
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == ' ' || c == ',' || c == ';':
			if i < 2 {
				continue
			}
			return end
		case c == '#', c >= 0x80, c|0x20 == 'x', beginsExtension(rest[i:]):
		default:
			return end
		}
		break
	}
	if loc := extensionForm().FindStringIndex(rest); loc != nil && !isWordByte(s.after(end+loc[1])) {
		return end + loc[1]
	}
	return end
}

// extensionStarts are the first letters of those of ASCII.
var extensionStarts = func() (set [256]bool) {
	for _, word := range extensionWords {
		set[word[0]] = word[0] < utf8.RuneSelf
	}
	return set
}()

// beginsExtension reports whether a text may begin with one of extensionWords.
func beginsExtension(text string) bool {
	if !extensionStarts[text[0]|0x20] {
		return false
	}
	if len(text) > 2 && text[1]|text[2] >= utf8.RuneSelf { // which may be in any case
		return true
	}
	for _, word := range extensionWords {
		if startsSmall(text, word[:3]) {
			return true
		}
	}
	return false
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

var yearsForm = compiled(`^(?:19|20)[0-9]{2}[-–/ ]{1,3}(?:19|20)[0-9]{2}$`)

// inDump reports whether s[start:end] is next to two pairs of hexadecimal digits, or to the address of a line of a dump.
func (s *Scan) inDump(start, end int) bool {
	pairs := func(v string) bool {
		return len(v) >= 6 && v[0] == ' ' && isHex(v[1]) && isHex(v[2]) && v[3] == ' ' && isHex(v[4]) && isHex(v[5]) && (len(v) == 6 || !isWordByte(v[6]))
	}
	left := strings.TrimRight(s.s[max(0, start-12):start], " ")
	if n := len(left); n >= 5 && isHex(left[n-1]) && isHex(left[n-2]) && left[n-3] == ' ' && isHex(left[n-4]) && isHex(left[n-5]) ||
		n >= 7 && strings.Trim(left[n-7:], hexDigits) == "" {
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
