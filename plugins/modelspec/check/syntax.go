package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A code scanner goes over the tokens of a program, so far that strings, comments and brackets are told apart. It finds what
// no parser would take; it takes some of what a parser would not.
type code struct {
	src  string
	at   int
	open []byte // brackets that stand open
	last kind   // of the token before
	mark byte   // of an operator before: its last character
	line bool   // a line of a statement ended before the token at hand
}

type kind uint8

const (
	nothing  kind = iota
	name          // a name that is no keyword
	keyword       // a word of the language
	number        // or a name's like
	quoted        // a string
	operator      // that wants something behind it
	closing       // a bracket that closes
	opening
)

// bracket takes a bracket and tells whether it fits those that stand open.
func (c *code) bracket(b byte) bool {
	switch b {
	case '(', '[', '{':
		c.open = append(c.open, b)
		return true
	}
	n := len(c.open)
	if n == 0 || b != c.open[n-1]+1+boolByte(b != ')') {
		return false
	}
	c.open = c.open[:n-1]
	return true
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// word reads a name.
func (c *code) word() string {
	start := c.at
	for c.at < len(c.src) {
		r, n := utf8.DecodeRuneInString(c.src[c.at:])
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			break
		}
		c.at += n
	}
	return c.src[start:c.at]
}

// number reads digits, with what may stand in a number.
func (c *code) number() {
	for c.at < len(c.src) {
		b := c.src[c.at]
		sign := (b == '+' || b == '-') && c.src[c.at-1]|0x20 == 'e' && !strings.HasPrefix(c.src[:c.at], "0x")
		if !sign && b != '.' && b != '_' && !(b|0x20 >= 'a' && b|0x20 <= 'z') && !(b >= '0' && b <= '9') {
			return
		}
		c.at++
	}
}

var pythonWords = words("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// pythonSoft are words that are keywords only where a statement begins.
var pythonSoft = words("match case type print exec")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// pythonFault gives what keeps a text from being Python, or "".
func pythonFault(src string) string {
	c := &code{src: strings.ReplaceAll(src, "\r\n", "\n")}
	p := &python{code: c, indents: []int{0}}
	for first := true; c.at < len(c.src); first = false {
		if first || c.line {
			if fault := p.begin(); fault != "" {
				return fault
			}
			if c.at >= len(c.src) {
				break
			}
		}
		if fault := p.token(); fault != "" {
			return fault
		}
	}
	switch {
	case len(c.open) > 0:
		return "a bracket without its end"
	case c.last == operator && c.mark != ',' && !(c.mark == '*' && p.first == "from"):
		return "an operator without its end"
	case p.block:
		return "a block without statements"
	}
	return ""
}

type python struct {
	*code
	indents []int
	block   bool // the statement before ended with a colon, so that a block must follow
	first   string
	count   int // of tokens in the statement
}

// begin reads the indentation of a statement, past blank lines and comments.
func (p *python) begin() string {
	for p.at < len(p.src) {
		width := 0
		for p.at < len(p.src) && (p.src[p.at] == ' ' || p.src[p.at] == '\t') {
			if width++; p.src[p.at] == '\t' {
				width = width/8*8 + 8
			}
			p.at++
		}
		rest := p.src[p.at:]
		if rest == "" || rest[0] == '\n' || rest[0] == '#' {
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				p.at += i + 1
				continue
			}
			p.at = len(p.src)
			return ""
		}
		return p.indent(width)
	}
	return ""
}

// indent holds the indentation of a statement against those around it.
func (p *python) indent(width int) string {
	p.line, p.last, p.first, p.count = false, nothing, "", 0
	n := len(p.indents)
	block := p.block
	p.block = false
	switch top := p.indents[n-1]; {
	case block && width <= top:
		return "a block without statements"
	case block:
		p.indents = append(p.indents, width)
		return ""
	case width > top:
		return "an indentation that nothing asks for"
	}
	for n > 0 && p.indents[n-1] > width {
		n--
	}
	p.indents = p.indents[:n]
	if n == 0 || p.indents[n-1] != width {
		return "an indentation that fits none before"
	}
	return ""
}

// token reads one token.
func (p *python) token() string {
	b := p.src[p.at]
	switch {
	case b == '\n':
		return p.newline()
	case b == ' ' || b == '\t' || b == '\f':
		p.at++
		return ""
	case b == '\\' && strings.HasPrefix(p.src[p.at+1:], "\n"):
		p.at += 2
		return ""
	case b == '#':
		p.skipLine()
		return ""
	case b == '"' || b == '\'':
		p.count++
		return p.string()
	case b == ';' && len(p.open) == 0:
		p.at++
		p.last, p.first, p.count = nothing, "", 0
		return ""
	}
	p.count++
	if r, _ := utf8.DecodeRuneInString(p.src[p.at:]); r == '_' || unicode.IsLetter(r) {
		return p.named()
	}
	switch {
	case b >= '0' && b <= '9' || b == '.' && p.at+1 < len(p.src) && p.src[p.at+1] >= '0' && p.src[p.at+1] <= '9':
		p.at++
		p.number()
		return p.follows(number)
	case strings.HasPrefix(p.src[p.at:], "..."):
		p.at += 3
		if p.last = name; p.first == "from" {
			p.last = keyword
		}
	case strings.IndexByte("([{", b) >= 0:
		p.at++
		p.bracket(b)
		p.last = opening
	case strings.IndexByte(")]}", b) >= 0:
		p.at++
		if p.last == operator && strings.IndexByte(",*:/.", p.mark) < 0 {
			return "an operator without its end"
		}
		if !p.bracket(b) {
			return "a bracket that closes none"
		}
		p.last = closing
	case strings.IndexByte("+-*/%@&|^~<>=!.,:", b) >= 0:
		p.at++
		p.last, p.mark = operator, b
	default:
		return "a character that Python does not have"
	}
	return ""
}

// follows takes a word or a value, which may not stand right behind another.
func (p *python) follows(k kind) string {
	if (p.last == name || p.last == number || p.last == closing || p.last == quoted && k != quoted) && !(p.count == 2 && pythonSoft[p.first]) {
		return "two values with nothing between"
	}
	p.last = k
	return ""
}

func (p *python) named() string {
	word := p.word()
	if p.count == 1 {
		p.first = word
	}
	if next := p.src[p.at:]; len(word) <= 2 && next != "" && (next[0] == '"' || next[0] == '\'') && strings.Trim(strings.ToLower(word), "rbuft") == "" {
		return p.string()
	}
	if pythonWords[word] {
		switch word {
		case "True", "False", "None":
			return p.follows(name)
		case "pass", "break", "continue", "return", "yield", "raise":
			p.last = closing
			if word == "return" || word == "yield" || word == "raise" {
				p.last = keyword
			}
			return ""
		}
		p.last = keyword
		return ""
	}
	return p.follows(name)
}

// newline ends a statement, unless a bracket stands open.
func (p *python) newline() string {
	p.at++
	if len(p.open) > 0 {
		return ""
	}
	p.line = true
	switch {
	case p.last == operator && p.mark == ':':
		p.block, p.last = true, nothing
	case p.last == operator && p.mark != ',' && !(p.mark == '*' && p.first == "from"):
		return "an operator without its end"
	}
	return ""
}

func (p *python) skipLine() {
	if i := strings.IndexByte(p.src[p.at:], '\n'); i >= 0 {
		p.at += i
		return
	}
	p.at = len(p.src)
}

// string reads a string, of one line or between three quotes.
func (p *python) string() string {
	mark := p.src[p.at : p.at+1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(p.src[p.at:], triple) {
		mark = triple
	}
	p.at += len(mark)
	for p.at < len(p.src) {
		switch b := p.src[p.at]; {
		case b == '\\':
			p.at++
		case strings.HasPrefix(p.src[p.at:], mark):
			p.at += len(mark)
			return p.follows(quoted)
		case b == '\n' && len(mark) == 1:
			return "a string without its end"
		}
		p.at++
	}
	return "a string without its end"
}
