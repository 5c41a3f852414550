package recognise

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/phone"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// Canonical returns the form in which all spellings of one value of an entity are equal: an address of mail in small letters, a
// number without what separates its groups, a telephone number with the code of its country. A secret has one spelling.
func (e *Engine) Canonical(entity, value string) string { return e.Meanings(entity, value)[0] }

// Meanings returns the canonical forms of what a value can be, the likeliest first. Only a national telephone number, which may
// be one of several countries, has more than one.
func (e *Engine) Meanings(entity, value string) []string {
	switch {
	case entity == rules.PhoneNumber:
		var all []string
		for _, n := range e.telephones(value) {
			all = append(all, dialled(n))
		}
		if len(all) > 0 {
			return all
		}
		return []string{lettersAndDigits(value)}
	case entity == rules.IPAddress:
		if ip, err := netip.ParseAddr(value); err == nil {
			return []string{ip.String()}
		}
	case entity == rules.CryptoWallet && (strings.HasPrefix(value, "0x") || strings.EqualFold(value[:min(len(value), 3)], "bc1")),
		entity == rules.MACAddress:
		return []string{strings.ToLower(lettersAndDigits(value))}
	case IsNumbered(entity):
		return []string{strings.ToUpper(lettersAndDigits(value))}
	case rules.Entities()[entity] == "contact" && entity != rules.CryptoWallet:
		return []string{strings.ToLower(strings.Join(strings.Fields(value), " "))}
	}
	return []string{value}
}

// IsNumbered reports whether the values of a built-in entity are numbers that people write with and without separators.
func IsNumbered(entity string) bool {
	switch entity {
	case rules.EmailAddress, rules.Person, rules.SocialHandle, rules.StreetAddress, rules.DateOfBirth, rules.IPAddress, rules.MACAddress,
		rules.CryptoWallet:
		return false
	}
	return rules.Entities()[entity] == "contact"
}

func lettersAndDigits(value string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && ascii.IsAlnum(byte(r)) {
			return r
		}
		return -1
	}, value)
}

// dialled returns a telephone number with the code of its country and its extension.
func dialled(n phone.Number) string {
	number := n.E164()
	if n.Extension != "" {
		number += "x" + n.Extension
	}
	return number
}

// telephones returns what a telephone number can be: a national one may be of any region, and of those that write numbers in its
// shape first.
func (e *Engine) telephones(value string) (all []phone.Number) {
	if strings.HasPrefix(value, "00") {
		value = "+" + value[2:]
	}
	if strings.HasPrefix(value, "+") {
		if n, ok := phone.Parse(strings.Replace(value, "(0)", "", 1), ""); ok {
			return []phone.Number{n}
		}
		return nil
	}
	regions := slices.Clone(e.dialing.shapes[phoneShape(value)])
	for _, r := range e.dialing.regions {
		if !slices.Contains(regions, r.Region) {
			regions = append(regions, r.Region)
		}
	}
	for _, region := range regions {
		if n, ok := phone.Parse(value, region); ok && n.Valid() {
			all = append(all, n)
		}
	}
	return all
}

// leastDigits is the size of the shortest number whose copies count: a shorter one may count something, or be a date.
const leastDigits = 9

// Spellings returns the letters and digits of the ways to write a number of an entity, for Numbers.
func (e *Engine) Spellings(entity, value string) []string {
	if !IsNumbered(entity) {
		return nil
	}
	all := []string{strings.ToUpper(lettersAndDigits(value))}
	if entity == rules.PhoneNumber {
		for _, n := range e.telephones(value) {
			code, national := strconv.Itoa(n.Code), n.National
			all = append(all, national, "0"+national, code+national, code+"0"+national, "00"+code+national, "00"+code+"0"+national)
		}
	}
	return slices.DeleteFunc(all, func(v string) bool { return len(v) < leastDigits || len(v) > longestNumber })
}

// Ends are the last letters and digits of numbers. A text without them holds no number in another spelling, which is known
// without the plans of all countries.
type Ends struct {
	last  map[uint64]bool
	maybe [1 << 6]uint64 // a bit for each hash of one
	open  bool           // one may end otherwise
}

// Add adds the end of a number. Only a telephone number can have something behind it that is not in all of its spellings.
func (e *Ends) Add(entity, value string) {
	written := strings.ToUpper(lettersAndDigits(value))
	e.open = e.open || len(written) < lastOfNumber || entity == rules.PhoneNumber && strings.Trim(value, ascii.DigitBytes+"+"+phoneSeparators) != ""
	if e.open {
		return
	}
	if e.last == nil {
		e.last = map[uint64]bool{}
	}
	end := uint64(0)
	for _, c := range []byte(written[len(written)-lastOfNumber:]) {
		end = end<<8 | uint64(c)
	}
	h := hashOfEnd(end)
	e.last[end], e.maybe[h/64] = true, e.maybe[h/64]|1<<(h%64)
}

// lastOfNumber is how many letters and digits an end is, so that even one of thousands of numbers is rarely seen where none is.
const lastOfNumber = 6

func hashOfEnd(end uint64) uint64 { return end * 0x9e3779b97f4a7c15 >> (64 - 12) }

// In reports whether one of the numbers may be in a text. It may be true in vain.
func (e *Ends) In(text string) bool {
	if e.open {
		return true
	}
	for at := ascii.NextDigit(text, 0); at < len(text); {
		if escape := prefilter.EscapeAround(text, at); escape >= 0 {
			at = ascii.NextDigit(text, escape+6)
			continue
		}
		next, found := e.inRun(text, at)
		if found {
			return true
		}
		at = ascii.NextDigit(text, next)
	}
	return false
}

// inRun looks for the end of a number in the letters and digits around a digit, in groups that signs of numbers separate. It reads on as
// far as a number can go that begins with the last run of digits, and returns where to look on.
func (e *Ends) inRun(text string, digit int) (next int, found bool) {
	end, size := uint64(0), 0
	inDigits, left := false, longestNumber // letters and digits of a number
	for i := ascii.Back(text, digit, maxLead, letterSet); i < len(text) && left > 0; i = next {
		c := text[i]
		if !ascii.IsAlnum(c) {
			if next = separated(text, i); next < 0 {
				return i + 1, false
			}
			inDigits = false
			continue
		}
		if !ascii.IsDigit(c) {
			inDigits = false
			c &^= 0x20
		} else if !inDigits {
			inDigits, left = true, longestNumber
		}
		end = (end<<8 | uint64(c)) & (1<<(8*lastOfNumber) - 1)
		next = i + 1
		left--
		if size++; size >= leastDigits {
			if h := hashOfEnd(end); e.maybe[h/64]>>(h%64)&1 != 0 && e.last[end] {
				return next, true
			}
		}
	}
	return max(next, digit+1), false
}

// Numbers finds numbers by their letters and digits, whatever separates their groups.
type Numbers struct {
	labels  map[string]*Label
	longest int
	first   [1 << 12]bool // by the first three letters and digits
}

const longestNumber = 40

// Add adds a spelling.
func (n *Numbers) Add(spelling string, label *Label) {
	if n.labels == nil {
		n.labels = map[string]*Label{}
	}
	n.labels[spelling], n.longest = label, max(n.longest, len(spelling))
	n.first[three(spelling)] = true
}

func three(v string) int { return (int(v[0])*61 + int(v[1])*17 + int(v[2])) & (1<<12 - 1) }

// Find returns the numbers in a text, from left to right.
func (n *Numbers) Find(text string) (found []Match) {
	for at := ascii.NextDigit(text, 0); at < len(text); {
		start := ascii.Back(text, at, maxLead, letterSet)
		if start < at && start > 0 && text[start-1] == '\\' {
			start++ // the letter of an escape
		}
		end, label := n.at(text, start)
		if label == nil {
			end = ascii.Forward(text, at, len(text), ascii.DigitSet)
		} else {
			found = append(found, Match{Start: start, End: end, Label: label})
		}
		at = ascii.NextDigit(text, end)
	}
	return found
}

// at returns the end and the label of the longest number that begins at start.
func (n *Numbers) at(text string, start int) (end int, label *Label) {
	if start > 0 && (ascii.IsWord(text[start-1]) || text[start-1] >= 0x80) && (text[start-1] != 'n' || start == 1 || text[start-2] != '\\') {
		return 0, nil
	}
	var read [longestNumber]byte
	size := 0
	for i := start; i < len(text) && size < n.longest; {
		c := text[i]
		if !ascii.IsAlnum(c) {
			if i = separated(text, i); i < 0 {
				break
			}
			continue
		}
		if ascii.IsDigit(c) || ascii.IsUpper(c) {
			read[size] = c
		} else {
			read[size] = c - 0x20
		}
		size++
		i++
		if size == 3 && !n.first[three(string(read[:3]))] {
			break
		}
		if i < len(text) && (ascii.IsWord(text[i]) || text[i] >= 0x80 && !strings.HasPrefix(text[i:], "\u00a0")) {
			continue
		}
		if l := n.labels[string(read[:size])]; l != nil {
			end, label = i, l
		}
	}
	return end, label
}

// separated returns where the next group of a number begins behind the sign at i or two of them, or -1.
func separated(text string, i int) int {
	for range 2 {
		switch c := text[i]; {
		case strings.IndexByte(" -./()", c) >= 0:
			i++
		case strings.HasPrefix(text[i:], "\u00a0"):
			i += len("\u00a0")
		case strings.HasPrefix(text[i:], `\u00a0`):
			i += len(`\u00a0`)
		default:
			return -1
		}
		if i == len(text) {
			return -1
		}
		if ascii.IsAlnum(text[i]) {
			return i
		}
	}
	return -1
}
