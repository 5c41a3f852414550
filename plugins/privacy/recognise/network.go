package recognise

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/checkdigit"
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
	ipv4Set   = ascii.Set(ascii.DigitBytes + ".")
	ipv6Set   = ascii.Set(ascii.HexDigits + ":")
	mappedSet = ascii.Set(ascii.HexDigits + ":.") // of an IPv6 address that ends with an IPv4 one
	macSet    = ascii.Set(ascii.HexDigits + "-")
	dottedSet = ascii.Set(ascii.HexDigits + ".")
)

// colon finds an address around a colon next to a hexadecimal digit.
func (s *Scan) colon(at int) {
	if s.macBehindName(at) {
		return
	}
	start := ascii.Back(s.s, at, 40, ipv6Set)
	if i := start; i < at && s.s[i] == ':' && s.after(i+1) != ':' {
		start++
	}
	end := ascii.Forward(s.s, at, 46-(at-start), mappedSet)
	for end > at && (s.s[end-1] == '.' || s.s[end-1] == ':' && (end < 2 || s.s[end-2] != ':')) {
		end--
	}
	if b := s.before(start); ascii.IsWord(b) || b == '.' || b == '-' || ascii.IsWord(s.after(end)) {
		return
	}
	text := s.s[start:end]
	if strings.HasSuffix(text, "::") && s.after(end) == '/' && !ascii.IsDigit(s.after(end+1)) {
		return // a line of passwd, before a path
	}
	if isMAC(text, ':') || isEUI64(text, ':') {
		s.add(ruleMAC, rankFormat, start, end)
		return
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || len(text) < 6 || !ascii.HasDigit(text) || s.keepAddress(addr) {
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
	name := s.s[ascii.Back(s.s, start-1, maxRun, ascii.WordSet) : start-1]
	if after := s.after(start + macSize); name == "" || strings.Trim(name, ascii.HexDigits) == "" || ascii.IsWord(after) || after == ':' {
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
		if ascii.HexSet[s.before(at)] || ascii.HexSet[s.after(end)] {
			s.hexRun.start, s.hexRun.end = ascii.Back(s.s, at, len(s.s), ascii.HexSet), ascii.Forward(s.s, end, len(s.s), ascii.HexSet)
		}
	}
	switch s.hexRun.end - s.hexRun.start { // digits in a row, of which neither more nor fewer can be one
	case 2:
		start := ascii.Back(s.s, at, eui64Size, macSet)
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
		start := ascii.Back(s.s, at, dottedSize, dottedSet)
		if end := start + dottedSize; s.after(start+4) == '.' && at < end && end <= len(s.s) && s.isApart(start, end, '.') && isDottedMAC(s.s[start:end]) &&
			(isLowerHex(s.s[start:end]) || s.behindWord(start, rules.MACKey, rules.Cues().MAC)) {
			s.add(ruleMAC, rankFormat, start, end)
		}
	case 12:
		start := ascii.Back(s.s, at, 12, ascii.HexSet)
		if end := start + 12; end <= len(s.s) && s.isApart(start, end, '-') && strings.Trim(s.s[start:end], ascii.HexDigits) == "" && s.behindWord(start, rules.MACKey, rules.Cues().MAC) {
			s.add(ruleMAC, rankContext, start, end)
		}
	case 32:
		s.mailgunKey(at)
	}
}

// mayBeHex reports whether so many digits between two bytes can be what hexAt looks for: they go on with letters, or are as many as a group
// of an address.
func mayBeHex(before byte, run int, after byte) bool {
	return ascii.HexSet[before] || ascii.HexSet[after] || run == 12 || run == 2 && (before == '-' || after == '-') || run == 4 && (before == '.' || after == '.')
}

// isLowerHex reports whether a text has a hexadecimal letter and all of them are small, as Cisco writes them.
func isLowerHex(v string) bool {
	return strings.ContainsAny(v, "abcdef") && !strings.ContainsAny(v, "ABCDEF")
}

// isApart reports whether s[start:end] has no word and no more of its separator on either side.
func (s *Scan) isApart(start, end int, separator byte) bool {
	before, after := s.before(start), s.after(end)
	return !ascii.IsWord(before) && before != separator && !ascii.IsWord(after) && (after != separator || !ascii.IsWord(s.after(end+1)))
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
		if i%3 == 2 && s[i] != sep || i%3 != 2 && !ascii.IsHex(s[i]) {
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
	return strings.Trim(digits, ascii.HexDigits) == "" && !checkdigit.AllSame(digits)
}

// ipv4 finds four numbers up to 255 that are no version.
func (s *Scan) ipv4(at int) {
	text := s.s[at:ascii.Forward(s.s, at, 16, ipv4Set)]
	if strings.Count(text, ".") < 3 {
		return
	}
	end := at + len(strings.TrimRight(text, "."))
	addr, err := netip.ParseAddr(s.s[at:end])
	if err != nil || ascii.IsWord(s.after(end)) || s.after(end) == '-' && ascii.IsWord(s.after(end+1)) {
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
	return endsInWord(s.beforeSigns(at), rules.Cues().HostAt) && !(ranged && rest != "" && ascii.IsDigit(rest[0]))
}

// isNamedHost reports whether the name of a host's address, or a user's name and @, is right before an address.
func (s *Scan) isNamedHost(at int) bool {
	return s.before(at) == '@' || s.behindWord(at, 0, rules.Cues().HostName)
}

// isHostBefore reports whether a colon behind an address ends the name of a host or precedes its port, and no title of a section.
func (s *Scan) isHostBefore(end int, addr netip.Addr) bool {
	return s.after(end) == ':' && (addr.IsPrivate() || s.after(end+1) != ' ' || !ascii.IsUpper(s.after(end+2)))
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
