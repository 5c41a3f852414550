package privacy

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	ruleCard     = &rule{name: "card-luhn", entity: creditCard}
	ruleSSN      = &rule{name: "us-ssn", entity: usSSN}
	ruleITIN     = &rule{name: "us-itin", entity: usITIN}
	ruleNHS      = &rule{name: "uk-nhs", entity: ukNHS}
	ruleAadhaar  = &rule{name: "in-aadhaar", entity: inAadhaar}
	ruleNINO     = &rule{name: "uk-nino", entity: ukNINO}
	rulePassport = &rule{name: "us-passport", entity: usPassport}
	ruleIBAN     = &rule{name: "iban-mod97", entity: ibanCode}
	ruleBirth    = &rule{name: "date-of-birth", entity: dateOfBirth}
	ruleIPv4     = &rule{name: "ipv4", entity: ipAddress}
)

// A cluster is digits with what may stand between them in a number that people write in groups.
type cluster struct {
	end    int
	digits [40]byte
	n      int // digits
	groups [8]int
	ng     int    // groups
	seps   string // the first byte of what stands between the groups, in order
}

// clusterAt reads the digits from at on, up to 8 groups of them with one of the separators between each. Of more than
// 40 digits it gives none.
func (s *scan) clusterAt(at int, separators string) (c cluster) {
	i := at
	var seps [8]byte
	for {
		start := i
		for i < len(s.s) && isDigit(s.s[i]) {
			if c.n == len(c.digits) {
				c.n, c.end = 0, i // too many for anything
				return c
			}
			c.digits[c.n] = s.s[i]
			c.n++
			i++
		}
		c.groups[c.ng] = i - start
		c.ng++
		c.end = i
		if c.ng == len(c.groups) || i+1 >= len(s.s) || !isDigit(s.s[i+1]) || strings.IndexByte(separators, s.s[i]) < 0 {
			break
		}
		seps[c.ng-1] = s.s[i]
		i++
	}
	c.seps = string(seps[:c.ng-1])
	return c
}

func (c *cluster) text() string { return string(c.digits[:c.n]) }

// shape tells whether the groups have these sizes, with the same separator everywhere.
func (c *cluster) shape(sizes ...int) bool {
	if c.ng != len(sizes) {
		return false
	}
	for i, n := range sizes {
		if c.groups[i] != n || i > 0 && c.seps[i-1] != c.seps[0] {
			return false
		}
	}
	return true
}

// number looks at a run of digits that begins at at.
func (s *scan) number(at int) {
	if c := s.before(at); isDigit(c) {
		return
	}
	s.iban(at)
	s.nino(at)
	if b := s.before(at); isWordByte(b) {
		return
	}
	c := s.clusterAt(at, " -./:")
	if c.n < 4 {
		return
	}
	s.ipv4(at)
	if before := s.before(at); before == '.' || before == '#' && c.ng == 1 {
		return
	}
	s.birth(at, &c)
	if c.n < 9 {
		return
	}
	s.nationalNumber(at)
	s.card(at)
}

// clear tells whether no number or word goes on at end.
func (s *scan) clear(end int) bool {
	switch c := s.after(end); {
	case isWordByte(c) || c == '%':
		return false
	case c == '-' || c == '.' || c == ':' || c == '/' || c == ',':
		return !isWordByte(s.after(end + 1))
	}
	return true
}

// cardGroups are the ways in which cards are written.
var cardGroups = [][]int{{4, 4, 4, 4, 3}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}}

// card finds payment cards: a known issuer range and length, Luhn's check digit, in one group or those of a card.
func (s *scan) card(at int) {
	c := s.clusterAt(at, " -")
	if b := s.before(at); b == '-' || b == '/' {
		return
	}
	for _, sizes := range cardGroups {
		if part, ok := c.beginning(sizes); ok && s.clear(part.end) && isCard(part.digits[:part.n]) {
			s.add(ruleCard, rankChecked, at, part.end)
			return
		}
	}
	one := s.clusterAt(at, "")
	if said := one.n == 16 || one.n == 15 || one.n == 14 || s.class&cardKey != 0 || s.cue(at, cardCues); said && s.clear(one.end) && isCard(one.digits[:one.n]) {
		s.add(ruleCard, rankChecked, at, one.end)
	}
}

// beginning gives the first groups of a cluster when they have these sizes and one separator between them.
func (c cluster) beginning(sizes []int) (cluster, bool) {
	if c.ng < len(sizes) {
		return c, false
	}
	for c.ng > len(sizes) {
		c.ng--
		c.n -= c.groups[c.ng]
		c.end -= c.groups[c.ng] + 1
	}
	c.seps = c.seps[:c.ng-1]
	return c, c.shape(sizes...)
}

// isCard checks issuer, length and Luhn's digit.
func isCard(d []byte) bool {
	if len(d) < 13 || len(d) > 19 || !luhn(d) {
		return false
	}
	two := int(d[0]-'0')*10 + int(d[1]-'0')
	four := two*100 + int(d[2]-'0')*10 + int(d[3]-'0')
	switch n := len(d); {
	case d[0] == '4':
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38 || two == 39, four/10 >= 300 && four/10 <= 305:
		return n == 14 || n == 16
	case four == 6011, two == 65, four/10 >= 644 && four/10 <= 649, four >= 3528 && four <= 3589:
		return n == 16
	case two == 62:
		return n >= 16
	}
	return false
}

func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// nationalNumber finds numbers of persons: by their form, or by the word for them before a bare one.
func (s *scan) nationalNumber(at int) {
	c := s.clusterAt(at, " -")
	before := s.before(at)
	if before == '-' || before == '/' || !s.clear(c.end) {
		return
	}
	d := c.text()
	switch {
	case c.n == 9 && (c.shape(3, 2, 4) && (c.seps[0] == '-' || s.cue(at, ssnCues)) || c.ng == 1 && (s.class&ssnKey != 0 || s.cue(at, ssnCues))):
		switch {
		case isSSN(d):
			s.add(ruleSSN, rankFormat, at, c.end)
		case d[0] == '9' && (d[3:5] >= "50" && d[3:5] <= "65" || d[3:5] >= "70" && d[3:5] <= "88" || d[3:5] >= "90" && d[3:5] <= "92" || d[3:5] >= "94"):
			s.add(ruleITIN, rankFormat, at, c.end)
		}
	case c.n == 9 && c.ng == 1 && s.cue(at, passportCues):
		s.add(rulePassport, rankContext, at, c.end)
	case c.n == 10 && (c.ng == 1 || c.shape(3, 3, 4)) && isNHS(d) && s.cue(at, nhsCues):
		s.add(ruleNHS, rankChecked, at, c.end)
	case c.n == 12 && (c.ng == 1 || c.shape(4, 4, 4)) && verhoeff(d) && s.cue(at, aadhaarCues):
		s.add(ruleAadhaar, rankChecked, at, c.end)
	}
}

// isSSN follows the rules of the Social Security Administration for area, group and serial number.
func isSSN(d string) bool {
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" &&
		d != "123456789" && d != "111111111"
}

func isNHS(d string) bool {
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := (11 - sum%11) % 11
	return check == int(d[9]-'0')
}

// verhoeff checks the last digit in the dihedral group of order ten.
func verhoeff(d string) bool {
	multiply := func(a, b int) int {
		switch {
		case a < 5 && b < 5:
			return (a + b) % 5
		case a < 5:
			return (a+b-5)%5 + 5
		case b < 5:
			return (a-5-b+5)%5 + 5
		}
		return (a - b + 5) % 5
	}
	permute := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	c := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			n = permute[n]
		}
		c = multiply(c, n)
	}
	return c == 0
}

// ipv4 finds four numbers up to 255 that are no version.
func (s *scan) ipv4(at int) {
	end := at
	for end < len(s.s) && (isDigit(s.s[end]) || s.s[end] == '.') && end-at < 16 {
		end++
	}
	for end > at && s.s[end-1] == '.' {
		end--
	}
	addr, err := netip.ParseAddr(s.s[at:end])
	if err != nil || isWordByte(s.after(end)) || s.after(end) == '-' && isWordByte(s.after(end+1)) {
		return
	}
	if b := s.before(at); b == '.' || b == '-' || b == '+' {
		return
	}
	if s.keepAddress(addr) || s.cue(at, versionCues) || looksLikeSection(addr) && s.after(end) != ':' && !s.cue(at, hostCues) {
		return
	}
	s.add(ruleIPv4, rankFormat, at, end)
}

// looksLikeSection tells whether all numbers are as small as those of sections and versions.
func looksLikeSection(a netip.Addr) bool {
	for _, n := range a.As4() {
		if n >= 40 {
			return false
		}
	}
	return true
}

// keepAddress tells whether an address is nobody's: loopback, unspecified, a mask, or multicast.
func (s *scan) keepAddress(a netip.Addr) bool {
	if a.Is4() && (a.As4()[0] == 0 || a.As4()[0] >= 240) || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
		return true
	}
	return s.keepDocumentation && isDocumentation(a)
}

var documentation = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20"),
}

// isDocumentation tells whether an address is of RFC 5737, 3849 or 9637.
func isDocumentation(a netip.Addr) bool {
	for _, p := range documentation {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

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

var ninoForm = regexp.MustCompile(`^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]`)

// nino finds a UK national insurance number after a word for it.
func (s *scan) nino(at int) {
	start := at - 2
	if start > 0 && s.s[at-1] == ' ' {
		start--
	}
	if start < 0 || !isUpper(s.s[start]) || !isUpper(s.s[start+1]) || isWordByte(s.before(start)) {
		return
	}
	if end := len(ninoForm.FindString(s.s[start:])); end > 0 && !isWordByte(s.after(start+end)) && s.cue(start, ninoCues) {
		s.add(ruleNINO, rankFormat, start, start+end)
	}
}

var dateForm = regexp.MustCompile(`^(?:(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])[-/.](?:3[01]|[12][0-9]|0?[1-9])|[0-3]?[0-9]([-/.])[0-3]?[0-9][-/.](?:19|20)[0-9]{2})`)

// birth finds a date that is said to be of birth.
func (s *scan) birth(at int, c *cluster) {
	near := at // a cue for another number before this one is not for this one
	for near > 0 && at-near < 28 && !isDigit(s.s[near-1]) {
		near--
	}
	if c.ng < 3 || s.class&birthKey == 0 && !s.cueWithin(at, at-near, birthCues, false) {
		return
	}
	if end := len(dateForm.FindString(s.s[at:])); end > 0 && !isDigit(s.after(at+end)) {
		s.add(ruleBirth, rankContext, at, at+end)
	}
}

// Cues are words, in lower case, that say what a number behind them is.
var (
	ssnCues      = []string{"ssn", "social security", "soc sec"}
	passportCues = []string{"passport"}
	nhsCues      = []string{"nhs"}
	aadhaarCues  = []string{"aadhaar", "aadhar", "uidai"}
	ninoCues     = []string{"national insurance", "nino", "ni number", "ni no"}
	birthCues    = []string{"born", "birth", "dob", "d.o.b"}
	cardCues     = []string{"card", "visa", "mastercard", "amex", "credit", "debit", "pan"}
	hostCues     = []string{"ip", "addr", "host", "server", "dns", "ping", "from", "network", "gateway", "subnet", "proxy", "client", "remote", "connect", "resolver", "http", "ssh", "peer"}
	versionCues  = []string{"version", "ver.", "release", "build", "oid", "section", "sec", "rfc", "chapter", "appendix", "firmware"}
)

// cue tells whether one of the words stands shortly before at, in the same line.
func (s *scan) cue(at int, words []string) bool { return s.cueWithin(at, 28, words, false) }

// cueWithin looks reach bytes back. Unless whole is set, a cue may be the beginning of a longer word.
func (s *scan) cueWithin(at, reach int, words []string, whole bool) bool {
	from := max(0, at-reach)
	if nl := strings.LastIndexByte(s.s[from:at], '\n'); nl >= 0 {
		from += nl + 1
	}
	if end := strings.LastIndexByte(s.s[from:at], '>'); end >= 0 && s.inMarker(from+end, from+end+1, false) {
		from += end + 1 // a cue in front of something taken out was for that
	}
	for from < at && !utf8.RuneStart(s.s[from]) {
		from++
	}
	near := strings.ToLower(s.s[from:at])
	for _, w := range words {
		for i := 0; i < len(near); i++ {
			n := strings.Index(near[i:], w)
			if n < 0 {
				break
			}
			i += n
			end := i + len(w)
			begins := i > 0 && !isAlnum(near[i-1]) || i == 0 && !isAlnum(s.before(from))
			if begins && (!whole || end == len(near) || !isAlnum(near[end])) {
				return true
			}
		}
	}
	return false
}
