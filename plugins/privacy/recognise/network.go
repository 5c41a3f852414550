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

var (
	ipv4Set   = byteSet(digitBytes + ".")
	ipv6Set   = byteSet(hexDigits + ":")
	mappedSet = byteSet(hexDigits + ":.") // of an IPv6 address that ends with an IPv4 one
	macSet    = byteSet(hexDigits + "-")
)

// colon finds an address around a colon next to a hexadecimal digit.
func (s *Scan) colon(at int) {
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
	if isMAC(text, ':') {
		s.add(ruleMAC, rankFormat, start, end)
		return
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || len(text) < 6 || !hasDigit(text) || s.keepAddress(addr) {
		return
	}
	s.add(ruleIPv6, rankFormat, start, end)
}

// macWithHyphens finds aa-bb-cc-dd-ee-ff around a digit, of which it has at least one.
func (s *Scan) macWithHyphens(at int) {
	start := back(s.s, at, 17, macSet)
	if at-start > 16 || start+17 > len(s.s) || isWordByte(s.before(start)) || s.before(start) == '-' || isWordByte(s.after(start+17)) || s.after(start+17) == '-' {
		return
	}
	if isMAC(s.s[start:start+17], '-') {
		s.add(ruleMAC, rankFormat, start, start+17)
	}
}

// isMAC reports whether s is six pairs of hexadecimal digits, not all of them zeros or ones.
func isMAC(s string, sep byte) bool {
	if len(s) != 17 {
		return false
	}
	same := true
	for i := range len(s) {
		if i%3 == 2 && s[i] != sep || i%3 != 2 && !isHex(s[i]) {
			return false
		}
		same = same && (i%3 == 2 || s[i] == s[0])
	}
	return !same
}

func hasDigit(s string) bool { return strings.ContainsAny(s, digitBytes) }

// ipv4 finds four numbers up to 255 that are no version.
func (s *Scan) ipv4(at int) {
	end := at + len(strings.TrimRight(s.s[at:forward(s.s, at, 16, ipv4Set)], "."))
	addr, err := netip.ParseAddr(s.s[at:end])
	if err != nil || isWordByte(s.after(end)) || s.after(end) == '-' && isWordByte(s.after(end+1)) {
		return
	}
	if b := s.before(at); b == '.' || b == '-' || b == '+' {
		return
	}
	if s.keepAddress(addr) || s.cue(at, rules.Cues().Version) || looksLikeSection(addr) && s.after(end) != ':' && !s.cue(at, rules.Cues().Host) {
		return
	}
	s.add(ruleIPv4, rankFormat, at, end)
}

// looksLikeSection reports whether all numbers are as small as in sections and versions.
func looksLikeSection(a netip.Addr) bool {
	numbers := a.As4()
	return slices.Max(numbers[:]) < 40
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
