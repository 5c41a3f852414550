package recognise

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleCall = &Label{"password-argument", rules.Password}

// alternatives are what precedes a value to use when the one that a name is read from is missing.
var alternatives = []string{"or ", "|| ", "?? ", "||", "??", ", ", "?: "}

// callStart returns the start of a value that a call takes for what a name selects, as in fill("#password", "x"),
// find("password").send_keys("x") or getenv("PASSWORD") or "x". It is -1 for none.
func (s *Scan) callStart(n name) int {
	at := ascii.Forward(s.s, n.end, 6, closerSet)
	closed := at > n.end
	blank := s.spaces(at)
	for _, sign := range alternatives {
		if start := blank + len(sign); strings.HasPrefix(s.s[blank:], sign) && (sign != ", " || closed) && s.quote(s.spaces(start)) >= 0 {
			return s.spaces(start)
		}
	}
	if !closed || s.after(at) != '.' {
		return -1
	}
	end := ascii.Forward(s.s, at+1, 24, ascii.WordSet)
	if s.after(end) != '(' || s.quote(end+1) < 0 {
		return -1
	}
	if name := s.s[at+1 : end]; !strings.ContainsAny(name, "kKyYvVlL") { // sendKeys, type, fill, val
		return -1
	}
	return end + 1
}

var closerSet = ascii.Set("\"'`)]\\")

// valueAttributes are the attributes of an element of HTML with the value of what its other attributes name.
var valueAttributes = []string{" value=", " content=", " data-value="}

// attribute returns the place of the equals sign of the attribute value of the same element of HTML, or -1.
func (s *Scan) attribute(n name, at int) int {
	if before := s.before(n.start); before != '"' && before != '\'' || s.before(n.start-1) != '=' {
		return -1
	}
	tag := s.s[at:min(len(s.s), at+maxArguments)]
	tag, _, _ = strings.Cut(tag, ">")
	for _, name := range valueAttributes {
		if i := strings.Index(tag, name); i >= 0 {
			return at + i + len(name) - 1
		}
		if strings.HasPrefix(tag, name[1:]) {
			return at + len(name) - 2
		}
	}
	return -1
}

// addCalls adds the calls of words.json that take a password: the name, a blank, and the index of the password, with a colon when it
// is user:password.
func (e *Engine) addCalls() {
	for _, row := range rules.Words().Calls {
		last := strings.LastIndexByte(row, ' ')
		number, user := strings.CutSuffix(row[last+1:], ":")
		index, _ := strconv.Atoi(number)
		e.add(prefilter.Anchor{Text: row[:last], Fold: true}, handler{try: func(s *Scan, at int) { s.call(at+last, index, user) }})
	}
}

// maxArguments is the most bytes of a call up to its password.
const maxArguments = 240

// call adds the argument of an index of a call whose arguments begin at at, when it is a password between quotation marks.
func (s *Scan) call(at, index int, user bool) {
	limit := min(len(s.s), at+maxArguments)
	for argument := 0; at < limit; argument++ {
		if at = s.lineOn(at); argument == index {
			s.argument(at, user)
			return
		}
		for at < limit && s.s[at] != ',' {
			if s.s[at] == ')' || s.s[at] == ';' {
				return
			}
			if end := s.pastString(at); end > at {
				at = end
			} else {
				at++
			}
		}
		at++
	}
}

// pastString returns the end of the string between quotation marks that begins at at, or at.
func (s *Scan) pastString(at int) int {
	if open := s.quote(at); open >= 0 {
		if end := s.closing(open, open-at-1); end >= 0 {
			return s.quote(end)
		}
	}
	return at
}

// argument adds the password between quotation marks at at, around which there may be a call such as Some("x"). With user it is
// behind a user and a colon.
func (s *Scan) argument(at int, user bool) {
	if s.after(at) == '-' { // -String "x"
		at = s.spaces(ascii.Forward(s.s, at+1, 24, ascii.WordSet))
	}
	if end := ascii.Forward(s.s, at, 24, ascii.WordSet); end > at && s.after(end) == '(' {
		at = end + 1
	}
	if s.quote(at) < 0 {
		return
	}
	v := s.valueAt(name{start: at, end: at}, at)
	text := s.s[v.start:v.end]
	if user {
		name, secret, _ := strings.Cut(text, ":")
		v.start, text = v.start+len(name)+1, secret
	}
	if v.quoted && len(text) >= 6 && !shape.IsPlaceholder(text) && !isWordy(text) && shape.LooksLikePassword(text, true) && !strings.Contains(text, " ") {
		s.add(ruleCall, rankContext, v.start, v.end)
	}
}

// pairStart returns the start of the value in a pair: "name": "TOKEN", "value": "x", or -1.
func (s *Scan) pairStart(n name) int {
	at := s.lineOn(s.pastQuote(ascii.Forward(s.s, n.end, 3, closerSet)))
	switch c := s.after(at); {
	case c == ',':
		at = s.lineOn(at + 1)
	case c == '{' && s.before(at) == ' ': // variable "db_password" {
		body := s.s[at:min(len(s.s), at+maxArguments)]
		body, _, _ = strings.Cut(body, "}")
		_, _, ok := strings.Cut(body, "default")
		if !ok {
			return -1
		}
		at += strings.Index(body, "default")
	}
	at = s.pastQuote(at)
	end := ascii.Forward(s.s, at, 12, ascii.WordSet)
	switch strings.ToLower(s.s[at:end]) {
	case "value", "default", "text", "keys":
	default:
		if at = s.attribute(n, at); at < 0 {
			return -1
		}
		end = at
	}
	at = s.spaces(s.pastQuote(end))
	if c := s.after(at); c != ':' && c != '=' {
		return -1
	}
	return s.spaces(at + 1)
}
