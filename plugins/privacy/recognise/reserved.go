package recognise

import (
	"net/netip"
	"slices"
	"strings"
)

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
	case rulePhone:
		return isFictional(digitsOf(v))
	}
	return false
}

// isReservedHost follows RFC 2606 and RFC 6761.
func isReservedHost(host string) bool {
	for _, domain := range []string{"example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
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
