package recognise

import (
	"net/netip"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// requiredForm is the end of a text before the version of a package that is needed, as in opencv-python>=4.5.5.64 and opencv = "^4.9.0.80".
// Code that compares addresses has quotation marks between.
var requiredForm = shape.Compiled(`(?:(?:[=!~<>]=|===|~>|,[ ]?[<>])[ ]?|(?:[=:,][ ]?["']?|@|\|\|[ ])[\^~])$`)

// isRequired reports whether an operator before four numbers says which version is needed. A filter of packets has the name of an address
// before its operator.
func (s *Scan) isRequired(at int) bool {
	operator := ascii.Back(s.s, at, 8, operatorSet)
	if !strings.ContainsAny(s.s[operator:at], "=<>~^") || !requiredForm().MatchString(s.s[max(0, at-8):at]) {
		return false
	}
	name := ascii.Back(s.s, operator, maxName, tokenSet)
	return !s.cueWithin(operator, operator-name, rules.Cues().HostName, true)
}

// operatorSet are the bytes that may be between a name and its version.
var operatorSet = ascii.Set(" \t\"'=<>~^!,|(")

// packageForm is the name of a package with a hyphen, and what is between it and its version in a table, a file of requirements or JSON.
var packageForm = shape.Compiled(`(?:^|["'\s])([A-Za-z][A-Za-z0-9_.]*-[a-z]{2}[A-Za-z0-9_.-]*)([ \t]+|[ ]?=[ ]?["']?|["'][ ]?:[ ]?["'])$`)

var behindPackageSet = ascii.Set(" \t=:\"'")

// isPackage reports whether the name of a package is right before four numbers that are its version.
func (s *Scan) isPackage(at, end int, addr netip.Addr) bool {
	if s.before(at) == '=' && s.after(end) == '=' {
		return true // of Conda, before the build
	}
	from := max(0, at-64)
	behind := ascii.Back(s.s, at, at-from, behindPackageSet)
	if behind == at || !strings.Contains(s.s[ascii.Back(s.s, behind, behind-from, nameSet):behind], "-") {
		return false
	}
	loc := packageForm().FindStringSubmatchIndex(s.s[from:at])
	if loc == nil {
		return false
	}
	start, size := from+loc[2], loc[3]-loc[2]
	if strings.TrimSpace(s.s[start+size:at]) == "" && !s.fillsLine(start, end) || s.cueWithin(start+size, size, rules.Cues().HostName, true) {
		return false
	}
	return isSmallVersion(addr) || s.besideVersion(start, end)
}

// isSmallVersion reports whether a number begins as most versions do and few addresses.
func isSmallVersion(addr netip.Addr) bool {
	first := addr.As4()[0]
	return first < 13 && !addr.IsPrivate()
}

// fillsLine reports whether nothing else is in the line of s.s[start:end].
func (s *Scan) fillsLine(start, end int) bool {
	end = s.spaces(end)
	return (start == 0 || s.s[start-1] == '\n') && (end == len(s.s) || s.s[end] == '\n' || s.s[end] == '\r')
}

// rowForm is a row of a table of packages whose version has three numbers, or four of which the first is small.
var rowForm = shape.Compiled(`^[A-Za-z][A-Za-z0-9_.-]*[ \t]+(?:[0-9]+\.[0-9]+(?:\.[0-9]+)?|(?:[1-9]|1[12])(?:\.[0-9]+){3})[ \t]*$`)

// besideVersion reports whether the line before or behind that of a package is one of a table of packages.
func (s *Scan) besideVersion(start, end int) bool {
	if !s.fillsLine(start, end) {
		return false
	}
	behind := s.s[min(len(s.s), end+1):min(len(s.s), end+80)]
	before := strings.TrimSuffix(s.s[max(0, start-80):start], "\n")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ = strings.Cut(behind, "\n")
	return rowForm().MatchString(before) || rowForm().MatchString(behind)
}
