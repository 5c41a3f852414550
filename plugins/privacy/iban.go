package privacy

var ruleIBAN = &rule{name: "iban-mod97", entity: ibanCode}

// iban finds two letters and digits whose remainder by 97 is 1, in one piece or in groups of four.
func (s *scan) iban(at int) {
	if at < 2 || !isUpper(s.s[at-1]) || !isUpper(s.s[at-2]) || isWordByte(s.before(at-2)) || !isDigit(s.after(at+1)) {
		return
	}
	start := at - 2
	size, ok := ibanSizes[s.s[start:at]]
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

// ibanSizes are of the SWIFT registry.
var ibanSizes = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}
