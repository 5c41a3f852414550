package recognise

import "github.com/sluicehq/sluice/plugins/privacy/rules"

var ruleIBAN = &Label{"iban-mod97", rules.IBANCode}

// iban finds two letters and digits whose remainder by 97 is 1, in one piece or in groups of four.
func (s *Scan) iban(at int) {
	if at < 2 || !isUpper(s.s[at-1]) || !isUpper(s.s[at-2]) || isWordByte(s.before(at-2)) || !isDigit(s.after(at+1)) {
		return
	}
	start := at - 2
	size, ok := s.ibanSizes[s.s[start:at]]
	if !ok {
		return
	}
	i, n, rest := start, 0, 0
	for ; i < len(s.s) && n < size; i++ {
		c := s.s[i]
		if (c == ' ' || c == '-') && n%4 == 0 && n > 0 {
			continue
		}
		if !isDigit(c) && !isUpper(c) {
			return
		}
		if n >= 4 {
			rest = mod97(rest, c)
		}
		n++
	}
	if n < size || isWordByte(s.after(i)) {
		return
	}
	for _, c := range []byte(s.s[start : start+4]) {
		rest = mod97(rest, c)
	}
	if rest == 1 {
		s.add(ruleIBAN, rankChecked, start, i)
	}
}

func mod97(rest int, c byte) int {
	if isDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c-'A') + 10) % 97
}
