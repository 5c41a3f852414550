package privacy

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	ruleEmail  = &rule{name: "email", entity: emailAddress}
	ruleHandle = &rule{name: "social-handle", entity: socialHandle}
	ruleURL    = &rule{name: "url-credentials", entity: urlCredentials}
)

// at looks at an @: credentials of a URL, an address, or a handle.
func (s *scan) at(at int) {
	if s.urlCredentials(at) || s.email(at) {
		return
	}
	s.handle(at)
}

// urlCredentials finds user:password in scheme://user:password@host.
func (s *scan) urlCredentials(at int) bool {
	start := at
	for start > 0 && at-start < 300 && s.s[start-1] > ' ' && strings.IndexByte(`/"'<>@`+"`", s.s[start-1]) < 0 {
		start--
	}
	colon := strings.IndexByte(s.s[start:at], ':')
	if colon < 0 || start+colon+1 == at || start < 4 || s.s[start-3:start] != "://" || !isAlnum(s.s[start-4]) {
		return false
	}
	if c := s.after(at + 1); !isAlnum(c) && c != '[' && c < utf8.RuneSelf && c != '_' && c != '<' && c != '$' && c != '{' {
		return false
	}
	if isPlaceholder(s.s[start+colon+1 : at]) {
		return true // shows where credentials go
	}
	s.add(ruleURL, rankProvider, start, at)
	return true
}

// email finds local@domain, with letters of any script. What is local to a host (user@localhost, user@[10.0.0.1]) is one.
func (s *scan) email(at int) bool {
	start := at
	for start > 0 && at-start < 64 {
		r, size := utf8.DecodeLastRuneInString(s.s[:start])
		if r < utf8.RuneSelf && !isAlnum(byte(r)) && strings.IndexByte("._%+-'", byte(r)) < 0 || r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		start -= size
	}
	for start < at && strings.IndexByte(".'-%", s.s[start]) >= 0 {
		start++
	}
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
	if dot := strings.LastIndexByte(domain, '.'); dot >= 0 && (fileTypes[domain[dot+1:]] || isUpper(domain[dot+1]) && !isUpper(domain[dot+2]) && !isUpper(domain[0])) {
		return false // a file, or a field as in p.Path@p.Version
	}
	s.add(ruleEmail, rankFormat, start, end)
	return true
}

// escape gives the size of what is left of an escape, as in \n or \u003c, that source code and logs have at start.
func (s *scan) escape(start, end int) int {
	if s.before(start) != '\\' || start > 1 && s.s[start-2] == '\\' {
		return 0
	}
	switch s.after(start) {
	case 'n', 'r', 't':
		return 1
	case 'u':
		if end-start > 5 && strings.Trim(s.s[start+1:start+5], hexDigits) == "" {
			return 5
		}
	}
	return 0
}

// fileTypes are endings of files that look like domains, as in logo@2x.png.
var fileTypes = map[string]bool{"png": true, "jpg": true, "jpeg": true, "gif": true, "svg": true, "webp": true, "js": true, "jsx": true,
	"ts": true, "tsx": true, "css": true, "scss": true, "json": true, "go": true, "md": true, "html": true, "yml": true,
	"yaml": true, "tgz": true, "zip": true, "pdf": true, "mjs": true, "cjs": true, "vue": true, "exe": true, "service": true}

// domain gives the end of the host that begins at at, or -1.
func (s *scan) domain(at int) int {
	rest := s.s[at:]
	if strings.HasPrefix(rest, "localhost") && !isWordByte(s.after(at+len("localhost"))) && s.after(at+len("localhost")) != '.' {
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
		if i < len(s.s) && (r < utf8.RuneSelf && (isAlnum(byte(r)) || r == '-') || r >= utf8.RuneSelf && unicode.IsLetter(r)) {
			i += size
			continue
		}
		if i == label || s.s[label] == '-' {
			break
		}
		if dot && isTopLevel(s.s[label:i]) && r != '_' {
			end = i
		}
		if r != '.' || size == 0 {
			break
		}
		i++
		dot, label = true, i
	}
	return end
}

// isTopLevel tells whether a label can end a domain: two letters or more, or punycode.
func isTopLevel(label string) bool {
	if strings.HasPrefix(label, "xn--") {
		return true
	}
	for _, r := range label {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return utf8.RuneCountInString(label) >= 2
}

var handleCues = []string{"twitter", "x.com", "instagram", "insta", "telegram", "discord", "slack", "tiktok", "mastodon", "threads",
	"bluesky", "snapchat", "handle", "username", "user name", "follow", "ping", "dm", "cc", "mention", "tweet", "tweeted", "message",
	"contact", "thanks", "hey", "hi", "hello", "ask", "via", "add me", "tagged", "shoutout", "profile", "account", "ig", "tg"}

// handle finds @name where people speak of people. Decorators, package scopes, versions and what is left of an
// address are none.
func (s *scan) handle(at int) {
	if s.handles == handlesOff {
		return
	}
	if c := s.before(at); c != 0 && strings.IndexByte(" \n\t([\"',;:>", c) < 0 {
		return
	}
	end := at + 1
	for end < len(s.s) && (isWordByte(s.s[end]) || s.s[end] == '.' && isWordByte(s.after(end+1))) && end-at < 33 {
		end++
	}
	name := s.s[at+1 : end]
	if len(name) < 3 || isWordByte(s.after(end)) || strings.IndexByte("/(@=", s.after(end)) >= 0 && s.after(end) != 0 || isDigit(name[0]) ||
		codeWords[name] || s.after(end) == ':' && s.after(end+1) != ' ' {
		return
	}
	if s.handles == handlesAll || s.class&handleKey != 0 || s.cueWithin(at, 24, handleCues, true) && !s.lineStart(at) {
		s.add(ruleHandle, rankContext, at, end)
	}
}

func (s *scan) lineStart(at int) bool {
	line := s.s[strings.LastIndexByte(s.s[:at], '\n')+1 : at]
	return strings.TrimLeft(line, " \t*/#") == ""
}

// codeWords follow an @ in code: decorators, annotations, tags of documentation, rules of style sheets.
var codeWords = map[string]bool{"param": true, "return": true, "returns": true, "property": true, "override": true, "Override": true,
	"deprecated": true, "media": true, "import": true, "type": true, "types": true, "see": true, "throws": true, "staticmethod": true,
	"classmethod": true, "dataclass": true, "Test": true, "Bean": true, "Component": true, "Injectable": true, "Input": true,
	"Output": true, "Autowired": true, "author": true, "since": true, "version": true, "example": true, "everyone": true, "here": true,
	"channel": true, "keyframes": true, "typedef": true,
	"callback": true, "overload": true, "template": true, "link": true, "linkcode": true, "inheritdoc": true, "internal": true,
	"extends": true, "implements": true, "satisfies": true, "supports": true, "app.route": true, "context": true, "id": true, "latest": true, "next": true}
