package recognise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A dialing holds the telephone numbering of some regions.
type dialing struct {
	regions        []rules.Region
	before, behind *cueSet
	shapes         map[string][]string // the regions that write a national number so
}

// newDialing returns the words and shapes of regions, with the words for all regions.
func newDialing(regions []string) *dialing {
	d := &dialing{shapes: map[string][]string{}}
	before, behind := slices.Clone(rules.Cues().Phone), slices.Clone(rules.Cues().PhoneBehind)
	for _, name := range regions {
		region := rules.Regions()[name]
		region.Region = name // without words
		d.regions = append(d.regions, region)
		before, behind = append(before, region.Phone...), append(behind, region.Behind...)
		for _, shape := range region.Shapes {
			d.shapes[shape] = append(d.shapes[shape], name)
		}
	}
	d.before, d.behind = newCueSet(before), newCueSet(behind)
	return d
}

// reachOfPhone is the most letters between the beginning of a word for a telephone and the number.
const reachOfPhone = 28

// phoneNamed reports whether the key, a word before the number or a word right after it names a telephone.
func (s *Scan) phoneNamed(at, end int) bool {
	if s.class&rules.PhoneKey != 0 || s.phoneBehind(end) {
		return true
	}
	return s.dialing.before.in(s.lead(at, reachOfPhone))
}

// phoneBehind reports whether the next word after end names a telephone, as in 555-0199 (office).
func (s *Scan) phoneBehind(end int) bool {
	rest := s.s[end:min(len(s.s), end+32)]
	next := strings.TrimLeft(rest, " -,([/\u00a0")
	for _, open := range []string{"（", "「", "–"} {
		next = strings.TrimPrefix(next, open)
	}
	if len(rest)-len(next) > 4 || next == "" {
		return false
	}
	return s.dialing.behind.at(strings.ToLower(next), ' ') > 0
}

// extensionForm is what separates a number from its extension.
var extensionForm = compiled(`^(?i:[ ,;]{0,2}(?:extension|extn?\.?|ext\.?:|durchwahl|poste|interno|int\.|ramal|wew\.?|內線|内線|分机|分機|toestel)[ .:]{0,2}|[ ]?x[ ]?\.?[ ]?|[ ]?#[ ]?)[0-9]{1,6}`)

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
		case c == '#', c >= 0x80, strings.IndexByte("xXeEdDpPiIrRwWtT", c) >= 0:
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

// isShaped reports whether a number has the shape of a region and is valid by its plan. Numbers with few different digits are
// those of programs.
func (s *Scan) isShaped(number, plain string) bool {
	regions := s.dialing.shapes[phoneShape(number)]
	if len(regions) == 0 {
		return false
	}
	var seen [10]bool
	different := 0
	for i := range len(plain) {
		if d := plain[i] - '0'; !seen[d] {
			seen[d] = true
			different++
		}
	}
	return different >= 4 && !isCounting(number) && slices.ContainsFunc(regions, func(r string) bool { return s.valid(plain, r) })
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

// yearsForm is two years.
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
	for i := range s.dialing.regions {
		r := &s.dialing.regions[i]
		if breaks == 0 && r.Begins != "" && strings.IndexByte(r.Begins, plain[0]) < 0 && s.class&rules.PhoneKey == 0 {
			continue
		}
		if s.valid(plain, r.Region) {
			return true
		}
	}
	return false
}

// international reports whether a number that begins with a country's code is one of its plan. A zero in brackets is
// dialled at home only.
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
	n, err := phonenumbers.Parse(number, region)
	return err == nil && phonenumbers.IsValidNumber(n)
}

func possible(number string) bool {
	n, err := phonenumbers.Parse(strings.Replace(number, "(0)", "", 1), "")
	return err == nil && phonenumbers.IsPossibleNumber(n)
}
