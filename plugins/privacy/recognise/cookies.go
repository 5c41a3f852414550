package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// maxCookies is the most bytes of a map of cookies in code.
const maxCookies = 2000

// cookie finds what a header sets, name by name, up to the end of its line, or what code has in a map or list of cookies.
func (s *Scan) cookie(at int) {
	start := at + len("cookie")
	switch c := s.after(start); {
	case c|0x20 == 's':
		s.cookieMap(start + 1)
	case c == '(':
		s.cookieMap(start)
	case ascii.IsQuote(c) || c == '\\':
		s.quotedCookies(start)
	case c == ':' && (!ascii.IsWord(s.before(at)) || s.before(at) == '-'):
		s.parts(start+1, until(s.s, start+1, ascii.Quotes+"\n"))
	}
}

// quotedCookies finds what a header sets that is a member of JSON or of a map in code, whose key ends at at: "Cookie": "sid=x; a=b".
func (s *Scan) quotedCookies(at int) {
	colon := s.spaces(s.pastQuote(at))
	if s.after(colon) != ':' {
		return
	}
	mark := s.spaces(colon + 1)
	if first := s.quote(mark); first >= 0 {
		if last := s.closing(first, first-mark-1); last >= 0 {
			s.parts(first, last)
		}
	}
}

// cookieMap finds the values in a map or list behind an operator or parenthesis at at, as in cookies={'sessionid': 'x'}.
func (s *Scan) cookieMap(at int) {
	start := s.spaces(s.pastQuote(at))
	open := s.lineOn(ascii.Forward(s.s, start, 2, mapSet))
	if open == start || at < s.cookied || s.after(open) != '{' && s.after(open) != '[' {
		return
	}
	end, depth := min(len(s.s), open+maxCookies), 0
	for i := open; i < end; i++ {
		switch s.s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"', '\'', '\\':
			first := s.quote(i)
			if first < 0 {
				continue
			}
			last := s.closing(first, first-i-1)
			if last < 0 {
				return
			}
			i = s.pastQuote(last) - 1
			if c := s.after(s.spaces(i + 1)); c != ':' && c != '=' && HeldClass(s.s[first:last], rules.SecretKey) == rules.SecretKey {
				s.add(ruleSecret, rankContext, first, last)
			}
		}
		if s.cookied = i; depth == 0 {
			return
		}
	}
}

// mapSet are the bytes of the signs between the name of a map, or a call, and the map.
var mapSet = ascii.Set(":=>(")

// cookieFile finds the values in the lines behind the heading of a file of cookies, in the format of Netscape, curl and wget.
func (s *Scan) cookieFile(at int) {
	const fields = 7 // domain, whether of its hosts, path, whether secure, end, name, value
	for start := at + until(s.s[at:], 0, "\n") + 1; start < len(s.s); {
		end := until(s.s, start, "\n")
		line := strings.TrimRight(s.s[start:end], "\r")
		parts := strings.SplitN(line, "\t", fields+1)
		switch {
		case len(parts) == fields:
			if value := parts[fields-1]; shape.LooksLikeSecret(value, true) && !shape.IsPlaceholder(value) {
				s.add(ruleSecret, rankContext, start+len(line)-len(value), start+len(line))
			}
		case line != "" && line[0] != '#':
			return
		}
		start = end + 1
	}
}
