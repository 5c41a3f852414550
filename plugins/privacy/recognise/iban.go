package recognise

import (
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleIBAN = &Label{"iban-mod97", rules.IBANCode}

// iban finds two letters and digits whose remainder by 97 is 1, in one piece or in groups of four. In lower case it is no
// number in hexadecimal, unless a word before it says what it is.
func (s *Scan) iban(at int) {
	if at < 2 || !isAlnum(s.s[at-1]) || !isAlnum(s.s[at-2]) || isWordByte(s.before(at-2)) || !isDigit(s.after(at+1)) {
		return
	}
	start := at - 2
	country := [2]byte{s.s[start] &^ 0x20, s.s[start+1] &^ 0x20}
	size, ok := s.ibanSizes[string(country[:])]
	if !ok {
		return
	}
	i, n, rest := start, 0, 0
	lower, upper, hex := false, false, true
	for ; i < len(s.s) && n < size; i++ {
		c := s.s[i]
		if (c == ' ' || c == '-') && n%4 == 0 && n > 0 {
			continue
		}
		if !isAlnum(c) {
			return
		}
		letter := !isDigit(c)
		lower, upper = lower || letter && !isUpper(c), upper || isUpper(c)
		hex = hex && isHex(c)
		if n >= 4 {
			rest = mod97(rest, c)
		}
		n++
	}
	if n < size || isWordByte(s.after(i)) || lower && upper {
		return
	}
	for _, c := range []byte(s.s[start : start+4]) {
		rest = mod97(rest, c)
	}
	if rest == 1 && (!lower || !hex || s.ibans.in(s.lead(start, reachOfPhone))) {
		s.add(ruleIBAN, rankChecked, start, i)
	}
}

// mod97 goes on with a remainder by 97; letters of either case count from 10 on.
func mod97(rest int, c byte) int {
	if isDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c&^0x20-'A') + 10) % 97
}
