package recognise

import (
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var (
	ruleEmail  = &Label{"email", rules.EmailAddress}
	ruleHandle = &Label{"social-handle", rules.SocialHandle}
	ruleURL    = &Label{"url-credentials", rules.URLCredentials}
)

// at finds credentials of a URL, an e-mail address or a handle around an @.
func (s *Scan) at(at int) {
	if s.urlCredentials(at) || s.email(at) {
		return
	}
	s.handle(at)
}

var notInCredentials = controls + ascii.Quotes + "/<>@"

// urlCredentials finds user:password in scheme://user:password@host.
func (s *Scan) urlCredentials(at int) bool {
	from := max(0, at-300)
	if !strings.Contains(s.s[max(0, from-len("://")):at], "://") {
		return false
	}
	start := from + strings.LastIndexAny(s.s[from:at], notInCredentials) + 1
	colon := strings.IndexByte(s.s[start:at], ':')
	if colon < 0 || start+colon+1 == at || start < 4 || s.s[start-3:start] != "://" || !ascii.IsAlnum(s.s[start-4]) {
		return false
	}
	if c := s.after(at + 1); !ascii.IsAlnum(c) && c != '[' && c < utf8.RuneSelf && c != '_' && c != '<' && c != '$' && c != '{' {
		return false
	}
	if shape.IsPlaceholder(s.s[start+colon+1 : at]) {
		return true // shows where credentials go
	}
	s.add(ruleURL, rankProvider, start, at)
	return true
}

// email finds local@domain, with letters of any script. What is local to a host (user@localhost, user@[10.0.0.1]) is one.
func (s *Scan) email(at int) bool {
	start := at
	for start > 0 && at-start < 64 {
		r, size := utf8.DecodeLastRuneInString(s.s[:start])
		if !inLocalPart(r) {
			break
		}
		start -= size
	}
	start = at - len(strings.TrimLeft(s.s[start:at], ".'-%"))
	start += s.escape(start, at)
	if start == at || s.s[at-1] == '.' {
		return false
	}
	end := s.domain(at + 1)
	if end < 0 {
		return false
	}
	local, domain := s.s[start:at], s.s[at+1:end]
	if (local == "git" || local == "hg" || local == "svn") && (s.after(end) == ':' || s.after(end) == '/') {
		return false
	}
	if isFileOrField(domain) || s.inCode(local, domain, end) {
		return false
	}
	s.add(ruleEmail, rankFormat, start, end)
	return true
}

// inLocalPart reports whether a character may be in what precedes the @ of an address.
func inLocalPart(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii.IsAlnum(byte(r)) || strings.IndexByte("._%+-'", byte(r)) >= 0
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// isFileOrField reports whether what looks like a host is the name of a file, or a field as in p.Path@p.Version.
func isFileOrField(domain string) bool {
	dot := strings.LastIndexByte(domain, '.')
	if dot < 0 {
		return false
	}
	last := domain[dot+1:]
	if slices.Contains(rules.Words().FileTypes, last) {
		return true
	}
	return ascii.IsUpper(last[0]) && !ascii.IsUpper(last[1]) && !ascii.IsUpper(domain[0])
}

// inCode reports whether an @ joins names of a program: matrices before a call, a label of Kotlin, a procedure that the linker calls, a
// formula with its version.
func (s *Scan) inCode(local, domain string, end int) bool {
	words, labels := rules.Words(), strings.Split(domain, ".")
	switch {
	case slices.Contains(words.CommonDomains, strings.ToLower(labels[len(labels)-1])):
		return false
	case s.after(end) == '(', slices.Contains(words.CodeHosts, labels[0]), (local == "this" || local == "super") && ascii.IsUpper(domain[0]):
		return true
	}
	return len(labels) > 2 && strings.Trim(labels[0]+labels[1], ascii.DigitBytes) == ""
}

// escape returns the size of the rest of an escape, as in \n or \u003c, that source code and logs have at start.
func (s *Scan) escape(start, end int) int {
	if s.before(start) != '\\' || start > 1 && s.s[start-2] == '\\' {
		return 0
	}
	switch s.after(start) {
	case 'n', 'r', 't':
		return 1
	case 'u':
		if end-start > 5 && strings.Trim(s.s[start+1:start+5], ascii.HexDigits) == "" {
			return 5
		}
	}
	return 0
}

// domain returns the end of the host that begins at at, or -1.
func (s *Scan) domain(at int) int {
	rest := s.s[at:]
	if strings.HasPrefix(rest, "localhost") && !ascii.IsWord(s.after(at+len("localhost"))) && s.after(at+len("localhost")) != '.' {
		return at + len("localhost")
	}
	if strings.HasPrefix(rest, "[") {
		inside, _, ok := strings.Cut(rest[1:min(len(rest), 60)], "]")
		if _, err := netip.ParseAddr(strings.TrimPrefix(inside, "IPv6:")); ok && err == nil {
			return at + len(inside) + 2
		}
		return -1
	}
	end, dot, label := -1, false, at
	for i := at; i <= len(s.s); {
		r, size := utf8.DecodeRuneInString(s.s[i:])
		if i < len(s.s) && (r < utf8.RuneSelf && (ascii.IsAlnum(byte(r)) || r == '-') || r >= utf8.RuneSelf && unicode.IsLetter(r)) {
			i += size
			continue
		}
		if i == label || s.s[label] == '-' {
			break
		}
		if last := strings.TrimRight(s.s[label:i], "-"); dot && isTopLevel(last) && r != '_' && (r != '.' || label+len(last) == i) {
			end = label + len(last)
		}
		if r != '.' || size == 0 {
			break
		}
		i++
		dot, label = true, i
	}
	return end
}

// isTopLevel reports whether a label can end a domain: two letters or more, or punycode.
func isTopLevel(label string) bool {
	return strings.HasPrefix(label, "xn--") ||
		utf8.RuneCountInString(label) >= 2 && !strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) })
}

// handle finds @name where people speak of people, but no decorators, package scopes, versions and ends of addresses.
func (s *Scan) handle(at int) {
	if s.Handles == HandlesOff {
		return
	}
	if c := s.before(at); c != 0 && strings.IndexByte(" \n\t([\"',;:", c) < 0 {
		return
	}
	end := at + 1
	for end < len(s.s) && (ascii.IsWord(s.s[end]) || (s.s[end] == '.' || s.s[end] == '-') && ascii.IsWord(s.after(end+1))) && end-at < 40 {
		end++
	}
	name := s.s[at+1 : end]
	if len(name) < 3 || ascii.IsWord(s.after(end)) || strings.IndexByte("/(@=", s.after(end)) >= 0 && s.after(end) != 0 || ascii.IsDigit(name[0]) ||
		slices.Contains(rules.Words().CodeWords, name) || isCodeName(name) || s.after(end) == ':' && s.after(end+1) != ' ' {
		return
	}
	if s.Handles == HandlesAll || s.class&rules.HandleKey != 0 || s.cueWithin(at, 24, rules.Cues().Handle, true) && !s.beginsLine(at) {
		s.add(ruleHandle, rankContext, at, end)
	}
}

// isCodeName reports whether a name is a constant or a method: all capitals, or a dot before a capital.
func isCodeName(name string) bool {
	_, member, dotted := strings.Cut(name, ".")
	return strings.ToUpper(name) == name || dotted && (strings.ToLower(member) != member || strings.HasPrefix(name, "pytest."))
}

// beginsLine reports whether the line has nothing before at but the signs of a comment.
func (s *Scan) beginsLine(at int) bool {
	before := strings.TrimRight(s.s[:at], " \t*/#")
	return before == "" || before[len(before)-1] == '\n'
}
