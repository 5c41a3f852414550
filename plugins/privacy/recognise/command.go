package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleCommand = &Label{"command-option", rules.Password}
var ruleCurl = &Label{"curl-user", rules.URLCredentials}

// A command is a program with its options for a password, or for user and password.
type command struct {
	program  string
	options  []option
	argument int // the number of the argument that is the password, 0 for none
}

// An option has a password as its value.
type option struct {
	name string
	sign byte // what the name ends with in words.json, or 0
}

const (
	commandReach = 2000 // the most bytes of the options of a program
	commandWords = 64   // the most words
)

// commands reads the commands of words.json: a program, then its options, or the number of the argument that is the password. An
// option ends with a colon when its value is user:password, a percent sign when it is user%password, an equals sign when it is
// name=password, a semicolon when it is cookies, and a tilde when the value is never in the same word.
func commands() (all []command) {
	for _, row := range rules.Words().Commands {
		fields := strings.Fields(row)
		c := command{program: strings.ReplaceAll(fields[0], "_", " ")}
		for _, field := range fields[1:] {
			if ascii.IsDigit(field[0]) {
				c.argument = int(field[0] - '0')
				continue
			}
			o := option{name: field}
			if sign := field[len(field)-1]; strings.IndexByte(":%=;~", sign) >= 0 {
				o = option{field[:len(field)-1], sign}
			}
			c.options = append(c.options, o)
		}
		all = append(all, c)
	}
	return all
}

func (c command) tryAt(s *Scan, at int) {
	if b := s.before(at); ascii.IsWord(b) || b == '-' || b == '.' {
		return
	}
	limit := min(len(s.s), at+commandReach)
	i := at + len(c.program)
	if s.after(i) != ' ' && s.after(i) != '\t' && s.after(i) != '\\' {
		return
	}
	argument, flagged := 0, false
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
		for _, o := range c.options {
			if strings.HasPrefix(s.s[i:], o.name) && s.option(o, i+len(o.name)) {
				return
			}
		}
		flagged = flagged || s.s[i] == '-' && strings.IndexByte(s.s[i+1:ascii.Forward(s.s, i+1, 8, ascii.WordSet)], 'b') >= 0
		if c.argument > 0 && flagged && s.s[i] != '-' {
			if argument++; argument == c.argument || s.isLastArgument(c, i, argument) {
				s.option(option{}, i-1)
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

// isLastArgument reports whether the second argument of htpasswd is the password, as with -n, which needs no file.
func (s *Scan) isLastArgument(c command, at, argument int) bool {
	line := s.s[max(0, at-commandReach):at]
	line = line[strings.LastIndex(line, c.program)+len(c.program):]
	return argument == 2 && strings.HasPrefix(strings.TrimLeft(line, " "), "-n")
}

// option adds the value of an option whose name ends at at, and reports whether there is one.
func (s *Scan) option(o option, at int) bool {
	start := at
	switch b := s.after(at); {
	case o.sign == '=' && b == '=':
		start++
	case b == ' ' || b == '\t':
		start = s.spaces(at)
	case b == '=':
		start++
	case strings.HasPrefix(o.name, "--") || o.sign == '~' || o.sign == '=':
		return false
	}
	start, end := s.optionValue(o, start)
	if end <= start {
		return false
	}
	text := s.s[start:end]
	if text[0] == '-' {
		return false
	}
	switch o.sign {
	case ':':
		return s.userOption(text, start, end)
	case ';':
		before := len(s.matches)
		s.parts(start, end)
		return len(s.matches) > before
	case '%', '=':
		_, secret, ok := strings.Cut(text, string(o.sign))
		start, text = end-len(secret), strings.Trim(secret, ascii.Quotes)
		if !ok {
			return false
		}
	case '~':
		if kind, secret, ok := strings.Cut(text, ":"); ok && (kind == "env" || kind == "file" || kind == "fd") {
			return false
		} else if ok && kind == "pass" {
			start, text = end-len(secret), secret
		}
	}
	if shape.IsPlaceholder(text) || !shape.LooksLikePassword(text, true) || o.name == "" && !ascii.HasDigit(text) {
		return false
	}
	s.add(ruleCommand, rankContext, start, end)
	return true
}

// optionValue returns the place of the word that begins at start, without the quotation marks around it.
func (s *Scan) optionValue(o option, start int) (from, to int) {
	if open := s.quote(start); open >= 0 {
		return open, s.closing(open, open-start-1)
	}
	end := start
	for end < len(s.s) && s.s[end] > ' ' && (end == start || !ascii.IsQuote(s.s[end])) && s.s[end] != ';' {
		end++
		if o.sign == ':' && ascii.IsQuote(s.after(end)) && s.s[end-1] == ':' { // user:"password"
			if closed := s.closing(end+1, 0); closed >= 0 {
				return start, closed + 1
			}
		}
	}
	return start, end
}

// userOption adds user:password, or a user that is a key, and reports whether it is one of them.
func (s *Scan) userOption(text string, start, end int) bool {
	_, secret, ok := strings.Cut(text, ":")
	secret = strings.Trim(secret, "\"'")
	switch {
	case !ok:
		return false
	case secret == "": // the user is a key
		if secret = strings.TrimSuffix(text, ":"); len(secret) < 12 || !shape.LooksLikePassword(secret, true) {
			return false
		}
	case shape.IsPlaceholder(secret), len(secret) < 3:
		return false
	}
	s.add(ruleCurl, rankFormat, start, end)
	return true
}

// piped finds the password that echo writes into a command at at.
func (s *Scan) piped(at int) {
	from := max(0, at-2*maxArguments)
	from += strings.LastIndexByte(s.s[from:at], '\n') + 1
	line := s.s[from:at]
	if user := strings.LastIndex(strings.ToLower(line), "net user "); user >= 0 {
		if _, password, ok := strings.Cut(strings.TrimLeft(line[user+len("net user "):], " "), " "); ok && strings.TrimSpace(password) != "" {
			s.option(option{}, at-len(password)-1)
		}
		return
	}
	bar := strings.LastIndexByte(s.s[from:min(len(s.s), at+1)], '|')
	if bar < 0 {
		return
	}
	start := 0
	for _, program := range []string{"echo ", "printf "} {
		if i := strings.LastIndex(line[:bar], program); i >= 0 {
			start = max(start, i+len(program))
		}
	}
	if start == 0 || start >= bar {
		return
	}
	for strings.HasPrefix(line[start:], "-") || strings.HasPrefix(line[start:], " ") {
		start = min(bar, ascii.Forward(line, start, 4, ascii.Set("-neE"))+1)
	}
	value := strings.TrimSpace(line[start:bar])
	start = from + start + strings.Index(line[start:bar], value)
	if value != "" && ascii.IsQuote(value[0]) {
		start, value = start+1, strings.TrimRight(value[1:], ascii.Quotes)
	}
	if user, secret, ok := strings.Cut(value, ":"); ok && strings.Contains(s.s[at:min(len(s.s), at+12)], "chpasswd") {
		start, value = start+len(user)+1, secret
	}
	if shape.IsPlaceholder(value) || !shape.LooksLikePassword(value, true) || strings.ContainsAny(value, " ") {
		return
	}
	s.add(ruleCommand, rankContext, start, start+len(value))
}
