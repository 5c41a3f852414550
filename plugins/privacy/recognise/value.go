package recognise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

type value struct {
	start, end int
	quoted     bool
	line       bool // it is the rest of the line
}

// operators separate a name from its value, the longer ones first.
var operators = []string{":::=", "??=", "||=", "===", "::=", ":-", ":=", "?=", ".=", "+=", "=>", "->", "==", "!=", "=", ":", "：", "＝"}

// valueStart returns the start of the value that an operator assigns to a name, or -1.
func (s *Scan) valueStart(n *name) int {
	at, quoted := n.end, false
	if end := s.quote(at); end >= 0 {
		at, quoted = end, true
		next, _ := s.pastAttributes(at)
		if start := s.nextElement(next); start >= 0 {
			n.loose, n.said = true, true
			return start
		}
		at = next
	}
	if c := s.after(at); c == ']' || c == ')' && quoted {
		at++
	}
	if s.after(at) == '(' && !quoted && n.tail <= 1 && s.quote(at+1) >= 0 {
		n.loose = true
		return at + 1 // setPassword("value")
	}
	after := s.spaces(at)
	if after-at > 40 {
		return -1
	}
	if n.option && after > at && after < len(s.s) && s.s[after] != '-' && s.s[after] != '=' {
		return after // --password hunter2
	}
	if s.after(after) == '>' && n.start > 0 && s.s[n.start-1] == '<' {
		start := s.lineOn(after + 1) // <token>value</token>
		if strings.HasPrefix(s.s[s.lineOn(s.bareEnd(start)):], "</") {
			return start
		}
		return -1
	}
	if quoted && n.tail <= 3 && s.after(after) == ',' {
		if start := s.spaces(after + 1); s.quote(start) >= 0 {
			n.loose = true
			return start // set("TOKEN", "value")
		}
	}
	if s.after(after) == '-' && s.after(after+1) == ' ' && s.quote(after+2) >= 0 {
		return after + 2
	}
	for _, op := range operators {
		if !strings.HasPrefix(s.s[after:], op) || op == ":-" && s.before(n.start) != '{' {
			continue
		}
		start := after + len(op)
		if op == ":" {
			if typed := s.behindType(start); typed >= 0 {
				return typed
			}
		}
		return s.behindOperator(n, start)
	}
	if after > at && !quoted {
		return s.behindType(after) // var token string = "value"
	}
	return -1
}

// behindType returns the start of a quoted value after a type and an equals sign, or -1.
func (s *Scan) behindType(at int) int {
	for i := at; i < min(len(s.s), at+48); i++ {
		switch c := s.s[i]; {
		case c == '=' && i > at:
			if start := s.spaces(i + 1); s.quote(start) >= 0 {
				return start
			}
			return -1
		case c == '<' && s.s[i-1] == ' ', !ascii.IsWord(c) && strings.IndexByte("&*[]<>?|. ", c) < 0:
			return -1
		}
	}
	return -1
}

// behindOperator returns the start of the value of an operator, which may have the next line to itself.
func (s *Scan) behindOperator(n *name, at int) int {
	at = s.spaces(at)
	switch c := s.after(at); {
	case c == '\n' || c == '\r' || c == '\\' && s.after(at+1) == '\n':
		if start := s.lineOn(at + 1); s.quote(start) >= 0 {
			return start
		}
		return -1
	case (c == '|' || c == '>') && s.blockStart(at) >= 0:
		return s.blockStart(at)
	}
	if c := s.after(at); ascii.IsAlnum(c) || c == '[' && s.after(at+1) == ']' { // b"...", or a call around the value
		for i := at; i < min(len(s.s), at+40); i++ {
			switch c := s.s[i]; {
			case ascii.IsQuote(c) && i-at <= 2, c == '(' && s.quote(i+1) >= 0:
				if c == '(' {
					n.loose = true
					i++
				}
				return i
			case !ascii.IsWord(c) && strings.IndexByte(".[]", c) < 0:
				return at
			}
		}
	}
	return at
}

// blockStart returns the start of the YAML block that is announced at at, or -1.
func (s *Scan) blockStart(at int) int {
	at++
	if c := s.after(at); c == '-' || c == '+' {
		at++
	}
	if c := s.after(at); c != '\n' && c != '\r' {
		return -1
	}
	return s.lineOn(at)
}

// lineOn passes over blanks and up to two line breaks.
func (s *Scan) lineOn(at int) int {
	for breaks := 0; at < len(s.s); at++ {
		switch s.s[at] {
		case ' ', '\t', '\r':
		case '\n':
			if breaks++; breaks > 2 {
				return at
			}
		default:
			return at
		}
	}
	return at
}

// valueAt reads a value to its end: to the other quotation mark, or to where a line, a list or a query goes on.
func (s *Scan) valueAt(n name, at int) value {
	if open := s.quote(at); open >= 0 {
		if mark := s.s[open-1]; s.after(open) == mark && s.after(open+1) == mark && open-at == 1 {
			open += 2 // """
		}
		if end := s.closing(open, open-at-1); end >= 0 {
			return value{start: open, end: end, quoted: true}
		}
		at = open
	}
	end := s.bareEnd(at)
	v := value{start: at, end: end}
	if c := s.after(end); c != 0 && c > ' ' && !ascii.IsQuote(c) && c != '<' && c != '>' && s.isLine(n) && !shape.IsIdentifier(s.s[at:end]) {
		v.end = until(s.s, v.end, controls+ascii.Quotes)
	}
	v.end = v.start + len(strings.TrimRight(s.s[v.start:v.end], ".,;:?)]}"))
	s.undressQuotes(&v)
	if first, _ := utf8.DecodeRuneInString(s.s[n.start:]); first >= noSpaces { // whose sentence goes on at once
		for i := v.start; i < v.end; i++ {
			if s.s[i] >= utf8.RuneSelf {
				v.end = i
				break
			}
		}
	}
	if c := s.before(n.start); c == '?' || c == '&' {
		v.end = s.beforeFragment(v)
	}
	rest := s.s[s.spaces(v.end):]
	v.line = s.isLine(n) && (rest == "" || rest[0] == '\n' || rest[0] == '\r')
	return v
}

// beforeFragment returns the end of a parameter of a URL, which is before the fragment. What looks drawn on both sides of the sign is one
// value that nobody encoded.
func (s *Scan) beforeFragment(v value) int {
	sign := until(s.s[:v.end], v.start, "#")
	if sign >= v.end {
		return v.end
	}
	if fragment := s.s[sign+1 : v.end]; shape.IsNamed(fragment) || !shape.LooksRandom(s.s[v.start:sign]+fragment) {
		return sign
	}
	return v.end
}

// undressQuotes takes quotation marks that are not ASCII off a value: 「x」, »x« and the like.
func (s *Scan) undressQuotes(v *value) {
	if v.start == v.end || s.s[v.start] < utf8.RuneSelf {
		return
	}
	open, size := utf8.DecodeRuneInString(s.s[v.start:v.end])
	if !unicode.In(open, quotePunctuation...) {
		return
	}
	v.start += size
	isQuotation := func(r rune) bool { return r >= utf8.RuneSelf && unicode.In(r, quotePunctuation...) }
	if n := strings.IndexFunc(s.s[v.start:v.end], isQuotation); n >= 0 {
		v.end = v.start + n
	}
}

// quotePunctuation are the categories of quotation marks and brackets.
var quotePunctuation = []*unicode.RangeTable{unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf}

// closing returns the next mark like the one before open with no more backslashes before it, or -1 when the line ends first.
func (s *Scan) closing(open, slashes int) int {
	mark := s.s[open-1]
	for at := open; at < len(s.s); at++ {
		n := strings.IndexByte(s.s[at:], mark)
		if n < 0 {
			return -1
		}
		if nl := strings.IndexByte(s.s[at:at+n], '\n'); nl >= 0 && mark != '`' {
			return -1
		}
		at += n
		before := 0
		for at-before > open && s.s[at-before-1] == '\\' {
			before++
		}
		if before <= slashes || before%2 == 0 && slashes == 0 {
			return at - min(before, slashes)
		}
	}
	return -1
}

// bareEnd returns the end of a value without quotation marks. It remembers it, since many values may begin in one text.
func (s *Scan) bareEnd(at int) int {
	if s.bare.start <= at && at < s.bare.end {
		return s.bare.end
	}
	end := at
	for end < len(s.s) && !endsBare[s.s[end]] {
		if s.s[end] == '&' && s.nextParameter(end+1) {
			break
		}
		end++
	}
	s.bare.start, s.bare.end = at, end
	return end
}

var endsBare = ascii.Set(controls + ascii.Quotes + "<>(){}[],;\\")

// nextParameter reports whether at begins name=, or an entity of HTML.
func (s *Scan) nextParameter(at int) bool {
	for i := at; i < min(len(s.s), at+48); i++ {
		switch c := s.s[i]; {
		case c == '=' || c == ';':
			return i > at
		case !ascii.IsWord(c) && strings.IndexByte("-.[]%", c) < 0:
			return false
		}
	}
	return false
}

// isLine reports whether a name is the first word of its line, as in a settings file.
func (s *Scan) isLine(n name) bool {
	from := max(0, n.start-16)
	before := s.s[from:n.start]
	nl := strings.LastIndexByte(before, '\n')
	if nl < 0 && from > 0 {
		return false
	}
	switch strings.Trim(before[nl+1:], " \t-\"'") {
	case "", "export", "set", "ENV", "ARG", "$", "#":
		return true
	}
	return false
}
