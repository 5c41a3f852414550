package recognise

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// isWrong reports whether a match is false, by its text and what is around it.
func (s *Scan) isWrong(label *Label, rank, start, end int) bool {
	switch {
	case label == ruleIPv4:
		return s.cueWithin(start, 40, rules.Cues().NoAddress, true) && !s.isNamedHost(start) // an object identifier, or the end of a range of versions
	case label == ruleIPv6:
		return isHexDump(s.s[start:end])
	case label == ruleBirth:
		return nanosecondForm().MatchString(s.s[start:min(len(s.s), end+40)])
	case label == ruleMAC:
		return s.goesOnFromDump(start)
	case label == ruleDecimalPair:
		return s.isRow(start, end)
	case label == ruleLabelled:
		return strings.Trim(s.s[start:end], "+-0.") == ""
	case label == ruleCard:
		return s.inHexDump(start)
	case label == ruleHandle:
		return strings.Contains(s.s[max(0, start-24):start], "andle to ") // of a program: a handle to a structure
	case label == rulePhone:
		return s.isNoPhone(start, end)
	case label == ruleEmail:
		return isAlgorithm(s.s[start:end])
	case label.Entity == rules.PrivateKey && strings.HasPrefix(s.s[start:], "-----BEGIN"):
		return !hasKeyBody(s.s[start:end])
	case rank == rankProvider && label != ruleURL && label != ruleJWT:
		return s.isPart(start, end)
	}
	return false
}

// isHexDump reports whether an address is eight pairs of digits, or short decimal numbers with nothing after them.
func isHexDump(v string) bool {
	groups := strings.Split(v, ":")
	pairs, short := len(groups) == 8, strings.HasSuffix(v, "::")
	for _, g := range groups {
		pairs = pairs && len(g) == 2
		short = short && (len(g) < 3 || len(groups) == 3 && groups[1] == "") && strings.Trim(g, ascii.DigitBytes) == ""
	}
	return pairs || short
}

// inHexDump reports whether an address and groups of hexadecimal digits are before at, as xxd writes them.
func (s *Scan) inHexDump(at int) bool {
	from := max(0, at-64)
	colon := strings.LastIndexByte(s.s[from:at], ':') + from
	return colon >= from && colon-ascii.Back(s.s, colon, 8, ascii.HexSet) >= 7 && strings.Trim(s.s[colon+1:at], ascii.HexDigits+" ") == ""
}

// isNoPhone reports whether what looks like a telephone number is a measure, a fraction that is assigned, or what a word before it says is none.
func (s *Scan) isNoPhone(start, end int) bool {
	if s.isMeasure(start, end) || s.before(start-1) == '=' && isFraction(s.s[start:end]) {
		return true
	}
	return s.s[start] != '+' && s.cueWithin(start, 12, rules.Cues().NoPhone, true)
}

// isFraction reports whether a number is digits, a dot and digits, as a measure is.
func isFraction(v string) bool {
	whole, rest, ok := strings.Cut(v, ".")
	return ok && strings.Trim(whole+rest, ascii.DigitBytes) == ""
}

// nanosecondForm is in the time of a file: no birth is known to the nanosecond.
var nanosecondForm = shape.Compiled(`[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9}`)

// goesOnFromDump reports whether a pair with a colon ends the line before, as in a dump of a certificate.
func (s *Scan) goesOnFromDump(start int) bool {
	near := s.s[max(0, start-40):start]
	before := strings.TrimRight(near, " \t\r\n")
	n := len(before)
	return strings.Contains(near[n:], "\n") && n > 2 && before[n-1] == ':' && ascii.IsHex(before[n-2]) && ascii.IsHex(before[n-3]) && (n == 3 || !ascii.IsWord(before[n-4]))
}

// isRow reports whether a pair of decimals belongs to a row of numbers, or is too coarse for a place without a word for it.
func (s *Scan) isRow(start, end int) bool {
	if s.class&rules.CoordinatesKey != 0 || s.cueWithin(start, 32, rules.Cues().Place, true) && !s.isArgument(start) {
		return false
	}
	left := strings.TrimRight(s.s[max(0, start-8):start], " \t\r\n,;|")
	right := strings.TrimLeft(s.s[end:min(len(s.s), end+8)], " \t\r\n,;|")
	if left != "" && ascii.IsDigit(left[len(left)-1]) || len(right) > 1 && (ascii.IsDigit(right[0]) || strings.IndexByte("-+.", right[0]) >= 0 && ascii.IsDigit(right[1])) {
		return true
	}
	for _, number := range strings.FieldsFunc(s.s[start:end], func(r rune) bool { return strings.ContainsRune(" ,;/°NSEWnsew", r) }) {
		if _, fraction, _ := strings.Cut(number, "."); len(fraction) < 4 || len(fraction) > 9 { // or the result of a calculation
			return true
		}
	}
	return false
}

// isArgument reports whether a number is the first of a call that names no place.
func (s *Scan) isArgument(start int) bool {
	before := s.s[max(0, start-24):start]
	open := strings.TrimRight(before, "([{\"' ")
	if open == before || !ascii.IsWord(open[max(0, len(open)-1):][0]) {
		return false
	}
	call := open[strings.LastIndexFunc(open, func(r rune) bool { return !isWord(r) })+1:]
	low := strings.ToLower(call)
	names := strings.Contains(low, "point") || slices.ContainsFunc(rules.Cues().Place, func(word string) bool { return strings.Contains(low, word) })
	return !names && strings.ContainsAny(before[len(open):], "([{")
}

// isMeasure reports whether a number has a fraction or an exponent, as numbers of physics that are written in groups.
func (s *Scan) isMeasure(start, end int) bool {
	v := s.s[start:end]
	if whole, rest, ok := strings.Cut(v, "."); ok && len(whole) == 1 && v[0] != '+' && (strings.Contains(rest, " ") || strings.Trim(rest, ascii.DigitBytes) == "") {
		return true
	}
	after := strings.TrimLeft(s.s[end:min(len(s.s), end+4)], " ")
	exponent := len(after) > 1 && after[0]|0x20 == 'e' && (after[1] == '-' || after[1] == '+' || ascii.IsDigit(after[1]))
	return exponent || s.after(end) == '.' && ascii.IsDigit(s.after(end+1)) || strings.HasSuffix(s.s[:start], "Decimal('") ||
		strings.HasSuffix(s.s[:start], `Decimal("`)
}

// isAlgorithm reports whether an address is the name of an SSH extension.
func isAlgorithm(v string) bool {
	local, domain, _ := strings.Cut(v, "@")
	return (domain == "openssh.com" || domain == "libssh.org") && (strings.Contains(local, "-") || local == "zlib")
}

// hasKeyBody reports whether a key has something in base64 between its lines, or behind the first one much of it.
func hasKeyBody(v string) bool {
	_, body, _ := strings.Cut(v[len("-----BEGIN"):], "-----")
	if base64Run().MatchString(body) {
		return true
	}
	body, _, whole := strings.Cut(body, "-----END")
	body = lineEnds.Replace(body)
	return whole && len(body) >= leastKeyBody && ascii.Forward(body, 0, len(body), keySet) == len(body) &&
		(strings.HasPrefix(body, "MI") || !shape.IsNamed(body) && !shape.IsPlaceholder(body)) // all keys in ASN.1 begin with MI
}

// leastKeyBody is the size of the shortest text between the lines of a key that is no sign for one.
const leastKeyBody = 4

// lineEnds removes what separates the lines of a key, as it is or as JSON, code and shells write it.
var lineEnds = strings.NewReplacer("\n", "", "\r", "", "\\n", "", "\\r", "", "\\", "", "\t", "")

var base64Run = shape.Compiled(`[A-Za-z0-9+/]{16}`)

// blob is the least bytes of base64 before a token that make it a part of something larger.
const blob = 64

var blobSet = ascii.Set(ascii.Bytes("A-Za-z0-9+/"))

// isPart reports whether a token is a part of a name, a file name, or something in base64.
func (s *Scan) isPart(start, end int) bool {
	if s.after(end) == '.' && slices.Contains(rules.Words().FileTypes, s.s[end+1:ascii.Forward(s.s, end+1, 5, ascii.AlnumSet)]) {
		return true
	}
	v := s.s[start:end]
	if at := strings.IndexAny(v, "_-"); at >= 0 && at < 8 && shape.IsNamed(v[at+1:]) && (!ascii.HasDigit(v) || len(v) < 24 && !ascii.HasDigit(v[:len(v)-2])) {
		return true // hf_requiredNames, xoxo-words-1
	}
	c := s.before(start)
	return (c == '+' || c == '/') && ascii.Back(s.s, start, blob, blobSet) == start-blob
}

// isReserved reports whether standards reserve an address or a number for documents, tests or private networks.
func (s *Scan) isReserved(label *Label, start, end int) bool {
	v := s.s[start:end]
	switch label {
	case ruleEmail:
		_, host, _ := strings.Cut(v, "@")
		return isReservedHost(strings.ToLower(host))
	case ruleIPv4, ruleIPv6:
		addr, err := netip.ParseAddr(v)
		return err == nil && (addr.IsPrivate() || addr.IsLinkLocalUnicast() || s.isDocumentation(addr))
	case rulePhone, rulePhoneCell:
		return isFictional(digitsOf(v))
	}
	return false
}

// isReservedHost follows RFC 2606 and RFC 6761.
func isReservedHost(host string) bool {
	domains := []string{"example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"}
	return slices.ContainsFunc(domains, func(domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) })
}

// fictional are the beginnings of numbers that the plans of North America and the United Kingdom never assign.
var fictional = []string{"442079460", "447700900", "441134960", "441144960", "441154960", "441164960", "441174960", "441184960",
	"441214960", "441314960", "441414960", "441514960", "441614960", "441632960", "442890180", "442920180", "448081570"}

// isFictional reports whether digits are a 555 number, or a number for drama.
func isFictional(digits string) bool {
	if national := strings.TrimPrefix(digits, "1"); len(national) == 10 && national[3:6] == "555" || len(digits) == 7 && digits[:3] == "555" {
		return true
	}
	international := digits
	if strings.HasPrefix(digits, "0") {
		international = "44" + digits[1:]
	}
	return slices.ContainsFunc(fictional, func(p string) bool { return strings.HasPrefix(international, p) && len(international) == 12 })
}
