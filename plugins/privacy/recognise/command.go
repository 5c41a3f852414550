package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleCommand = &Label{"command-option", rules.Password}
var ruleCurl = &Label{"curl-user", rules.URLCredentials}

// A command is a program with its options for a password, or for user and password.
type command struct {
	program string
	options []string
	user    bool // the value is user:password
}

const (
	commandReach = 2000 // the most bytes of the options of a program
	commandWords = 64   // the most words
)

// commands reads the commands of words.json: a program, then its options, one with a colon when its value is user:password.
func commands() (all []command) {
	for _, row := range rules.Words().Commands {
		fields := strings.Fields(row)
		c := command{program: fields[0]}
		for _, option := range fields[1:] {
			c.user = c.user || strings.HasSuffix(option, ":")
			c.options = append(c.options, strings.TrimSuffix(option, ":"))
		}
		all = append(all, c)
	}
	return all
}

func (c command) tryAt(s *Scan, at int) {
	if b := s.before(at); isWordByte(b) || b == '-' || b == '.' {
		return
	}
	limit := min(len(s.s), at+commandReach)
	i := at + len(c.program)
	if s.after(i) != ' ' && s.after(i) != '\t' && s.after(i) != '\\' {
		return
	}
	for range commandWords {
		for i < limit && (isBlank(s.s[i]) && s.s[i] != '\n' || s.s[i] == '\\' && isBlank(s.after(i+1))) {
			if s.s[i] == '\\' {
				i++ // the line goes on behind it
			}
			i++
		}
		if i >= limit || s.s[i] == '\n' || s.s[i] == ';' || s.s[i] == '|' || strings.HasPrefix(s.s[i:], c.program+" ") {
			return
		}
		for _, option := range c.options {
			if strings.HasPrefix(s.s[i:], option) && s.option(c, i+len(option), option) {
				return
			}
		}
		for i = s.wordEnd(i); i < limit && !isBlank(s.s[i]) && s.s[i] != '\\'; i++ {
		}
	}
}

// wordEnd returns the end of a word of a command, which goes on between quotation marks.
func (s *Scan) wordEnd(at int) int {
	if open := s.quote(at); open >= 0 {
		if end := s.closing(open, open-at-1); end >= 0 && end-at < commandReach {
			return end + 1
		}
	}
	return at + 1
}

// option adds the value of an option whose name ends at at, and reports whether there is one.
func (s *Scan) option(c command, at int, option string) bool {
	short := !strings.HasPrefix(option, "--")
	start := at
	switch b := s.after(at); {
	case b == ' ' || b == '\t':
		start = s.spaces(at)
	case b == '=':
		start++
	case !short:
		return false
	}
	end := start
	if open := s.quote(start); open >= 0 {
		if end = s.closing(open, open-start-1); end < 0 {
			return false
		}
		start = open
	} else {
		for end < len(s.s) && s.s[end] > ' ' && (end == start || !isQuote(s.s[end])) {
			end++
			if c.user && isQuote(s.after(end)) && s.s[end-1] == ':' { // user:"password"
				if closed := s.closing(end+1, 0); closed >= 0 {
					end = closed + 1
					break
				}
			}
		}
	}
	text := s.s[start:end]
	secret := text
	if c.user {
		var ok bool
		if _, secret, ok = strings.Cut(text, ":"); !ok {
			return false
		}
		secret = strings.Trim(secret, "\"'")
	}
	switch {
	case text == "" || text[0] == '-':
		return false
	case c.user && secret == "": // the user is a key
		if secret = strings.TrimSuffix(text, ":"); len(secret) < 12 || !looksLikePassword(secret, true) {
			return false
		}
		s.add(ruleCurl, rankFormat, start, end)
	case isPlaceholder(secret), c.user && len(secret) < 3:
		return false
	case c.user:
		s.add(ruleCurl, rankFormat, start, end)
	case looksLikePassword(text, true):
		s.add(ruleCommand, rankContext, start, end)
	default:
		return false
	}
	return true
}
