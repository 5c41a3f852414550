package recognise

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var (
	ruleIPv4 = &Label{"ipv4", rules.IPAddress}
	ruleIPv6 = &Label{"ipv6", rules.IPAddress}
	ruleMAC  = &Label{"mac", rules.MACAddress}
)

// macSize is the length of six pairs with a sign between them, eui64Size that of the eight pairs of IEEE's longer form, and
// dottedSize that of three groups of four as Cisco writes them.
const macSize, eui64Size, dottedSize = 17, 23, 14

var (
	ipv4Set   = byteSet(digitBytes + ".")
	ipv6Set   = byteSet(hexDigits + ":")
	mappedSet = byteSet(hexDigits + ":.") // of an IPv6 address that ends with an IPv4 one
	macSet    = byteSet(hexDigits + "-")
	dottedSet = byteSet(hexDigits + ".")
)

// colon finds an address around a colon next to a hexadecimal digit.
func (s *Scan) colon(at int) {
	if s.macBehindName(at) {
		return
	}
	start := back(s.s, at, 40, ipv6Set)
	if i := start; i < at && s.s[i] == ':' && s.after(i+1) != ':' {
		start++
	}
	end := forward(s.s, at, 46-(at-start), mappedSet)
	for end > at && (s.s[end-1] == '.' || s.s[end-1] == ':' && (end < 2 || s.s[end-2] != ':')) {
		end--
	}
	if b := s.before(start); isWordByte(b) || b == '.' || b == '-' || isWordByte(s.after(end)) {
		return
	}
	text := s.s[start:end]
	if strings.HasSuffix(text, "::") && s.after(end) == '/' && !isDigit(s.after(end+1)) {
		return // a line of passwd, before a path
	}
	if isMAC(text, ':') || isEUI64(text, ':') {
		s.add(ruleMAC, rankFormat, start, end)
		return
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || len(text) < 6 || !hasDigit(text) || s.keepAddress(addr) {
		return
	}
	s.add(ruleIPv6, rankFormat, start, end)
}

// macBehindName finds the address whose first colon is at at, right behind a name with a colon of its own, as in device:3c:22:….
// A name has a letter that no pair of hexadecimal digits has.
func (s *Scan) macBehindName(at int) bool {
	start := at - 2
	if start < 2 || s.s[start-1] != ':' || start+macSize > len(s.s) || !isMAC(s.s[start:start+macSize], ':') {
		return false
	}
	name := s.s[back(s.s, start-1, maxRun, wordSet) : start-1]
	if after := s.after(start + macSize); name == "" || strings.Trim(name, hexDigits) == "" || isWordByte(after) || after == ':' {
		return false
	}
	s.add(ruleMAC, rankFormat, start, start+macSize)
	return true
}

// hexAt finds what is written in hexadecimal digits around the decimal ones from at to end: keys, and addresses without colons,
// aa-bb-cc-dd-ee-ff, aabb.ccdd.eeff, and aabbccddeeff and AABB.CCDD.EEFF behind a word or key for it.
func (s *Scan) hexAt(at, end int) {
	if at >= s.hexRun.end {
		s.hexRun.start, s.hexRun.end = at, end
		if hexSet[s.before(at)] || hexSet[s.after(end)] {
			s.hexRun.start, s.hexRun.end = back(s.s, at, len(s.s), hexSet), forward(s.s, end, len(s.s), hexSet)
		}
	}
	switch s.hexRun.end - s.hexRun.start { // digits in a row, of which neither more nor fewer can be one
	case 2:
		start := back(s.s, at, eui64Size, macSet)
		if s.after(start+2) != '-' {
			return
		}
		for _, size := range []int{macSize, eui64Size} {
			if end := start + size; at < end && end <= len(s.s) && s.isApart(start, end, '-') && (isMAC(s.s[start:end], '-') || isEUI64(s.s[start:end], '-')) {
				s.add(ruleMAC, rankFormat, start, end)
				return
			}
		}
	case 4:
		start := back(s.s, at, dottedSize, dottedSet)
		if end := start + dottedSize; s.after(start+4) == '.' && at < end && end <= len(s.s) && s.isApart(start, end, '.') && isDottedMAC(s.s[start:end]) &&
			(isLowerHex(s.s[start:end]) || s.behindWord(start, rules.MACKey, rules.Cues().MAC)) {
			s.add(ruleMAC, rankFormat, start, end)
		}
	case 12:
		start := back(s.s, at, 12, hexSet)
		if end := start + 12; end <= len(s.s) && s.isApart(start, end, '-') && strings.Trim(s.s[start:end], hexDigits) == "" && s.behindWord(start, rules.MACKey, rules.Cues().MAC) {
			s.add(ruleMAC, rankContext, start, end)
		}
	case 32:
		s.mailgunKey(at)
	}
}

// mayBeHex reports whether so many digits between two bytes can be what hexAt looks for: they go on with letters, or are as many as a group
// of an address.
func mayBeHex(before byte, run int, after byte) bool {
	return hexSet[before] || hexSet[after] || run == 12 || run == 2 && (before == '-' || after == '-') || run == 4 && (before == '.' || after == '.')
}

// isLowerHex reports whether a text has a hexadecimal letter and all of them are small, as Cisco writes them.
func isLowerHex(v string) bool {
	return strings.ContainsAny(v, "abcdef") && !strings.ContainsAny(v, "ABCDEF")
}

// isApart reports whether s[start:end] has no word and no more of its separator on either side.
func (s *Scan) isApart(start, end int, separator byte) bool {
	before, after := s.before(start), s.after(end)
	return !isWordByte(before) && before != separator && !isWordByte(after) && (after != separator || !isWordByte(s.after(end+1)))
}

// isMAC reports whether s is six pairs of hexadecimal digits, not all of them zeros or ones.
func isMAC(s string, sep byte) bool { return len(s) == macSize && arePairs(s, sep) }

// isEUI64 reports whether s is eight pairs whose middle ones say that six were made eight, as in no dump of bytes but by chance.
func isEUI64(s string, sep byte) bool {
	return len(s) == eui64Size && arePairs(s, sep) && (strings.EqualFold(s[9:11]+s[12:14], "fffe") || strings.EqualFold(s[9:11]+s[12:14], "ffff"))
}

// arePairs reports whether s is pairs of hexadecimal digits with a separator between them, and not one digit repeated.
func arePairs(s string, sep byte) bool {
	same := true
	for i := range len(s) {
		if i%3 == 2 && s[i] != sep || i%3 != 2 && !isHex(s[i]) {
			return false
		}
		same = same && (i%3 == 2 || s[i] == s[0])
	}
	return !same
}

// isDottedMAC reports whether s is three groups of four hexadecimal digits, not one digit repeated.
func isDottedMAC(s string) bool {
	if len(s) != dottedSize || s[4] != '.' || s[9] != '.' {
		return false
	}
	digits := s[:4] + s[5:9] + s[10:]
	return strings.Trim(digits, hexDigits) == "" && !allSame(digits)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, digitBytes) }

// ipv4 finds four numbers up to 255 that are no version.
func (s *Scan) ipv4(at int) {
	text := s.s[at:forward(s.s, at, 16, ipv4Set)]
	if strings.Count(text, ".") < 3 {
		return
	}
	end := at + len(strings.TrimRight(text, "."))
	addr, err := netip.ParseAddr(s.s[at:end])
	if err != nil || isWordByte(s.after(end)) || s.after(end) == '-' && isWordByte(s.after(end+1)) {
		return
	}
	if b := s.before(at); b == '.' || b == '-' || b == '+' {
		return
	}
	if s.keepAddress(addr) || s.isVersion(at, end, addr) {
		return
	}
	s.add(ruleIPv4, rankFormat, at, end)
}

// isVersion reports whether a word or a sign before four numbers, or their size, makes them a version or a section.
func (s *Scan) isVersion(at, end int, addr netip.Addr) bool {
	switch {
	case strings.HasSuffix(s.beforeSigns(at), "version"), // also of a longer name
		s.cueWithin(at, 28, rules.Cues().Version, true) && !s.isOnHost(at, end), s.isRequired(at), s.isPackage(at, end, addr):
		return true
	}
	return looksLikeSection(addr) && !s.isHostBefore(end, addr) && !s.cue(at, rules.Cues().Host)
}

// isOnHost reports whether a word for a host or a preposition is right before an address, so that a word farther away says nothing of it.
// Of versions a preposition says from which one to which.
func (s *Scan) isOnHost(at, end int) bool {
	if s.isNamedHost(at) {
		return true
	}
	rest, ranged := strings.CutPrefix(s.s[end:], " to ")
	return endsInWord(s.beforeSigns(at), rules.Cues().HostAt) && !(ranged && rest != "" && isDigit(rest[0]))
}

// isNamedHost reports whether the name of a host's address, or a user's name and @, is right before an address.
func (s *Scan) isNamedHost(at int) bool {
	return s.before(at) == '@' || s.behindWord(at, 0, rules.Cues().HostName)
}

// isHostBefore reports whether a colon behind an address ends the name of a host or precedes its port, and no title of a section.
func (s *Scan) isHostBefore(end int, addr netip.Addr) bool {
	return s.after(end) == ':' && (addr.IsPrivate() || s.after(end+1) != ' ' || !isUpper(s.after(end+2)))
}

// looksLikeSection reports whether all numbers are as small as in sections and versions. An address of a private
// network with a 0 is none.
func looksLikeSection(a netip.Addr) bool {
	numbers := a.As4()
	return slices.Max(numbers[:]) < 40 && !(a.IsPrivate() && slices.Contains(numbers[:], 0))
}

// keepAddress reports whether an address belongs to no machine: loopback, unspecified, a mask, or multicast.
func (s *Scan) keepAddress(a netip.Addr) bool {
	if a.Is4() && (a.As4()[0] == 0 || a.As4()[0] >= 240) || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
		return true
	}
	if b := a.As16(); !a.Is4() && !a.Is4In6() && b[0]|b[1]|b[2]|b[3] == 0 {
		return true // reserved by RFC 4291
	}
	return s.KeepDocumentation && s.isDocumentation(a)
}

func (e *Engine) isDocumentation(a netip.Addr) bool {
	return slices.ContainsFunc(e.Documentation, func(p netip.Prefix) bool { return p.Contains(a) })
}
