package check

import "strings"

// programFault returns what is open in a program in Python, JavaScript or TypeScript: a string, a comment or a bracket
// without its end. It returns "" for other texts, which may be wrong in ways that only a parser of the language sees.
func programFault(language, src string) string {
	p := program{src: src, python: language == "python"}
	for p.at < len(src) {
		if fault := p.token(); fault != "" {
			return fault
		}
	}
	if len(p.open) > 0 {
		return "a bracket without its end"
	}
	return ""
}

type program struct {
	src    string
	at     int
	python bool
	open   []byte // the open brackets; '`' for the ${ of a template
	value  bool   // a value came before, so that a slash divides
}

func (p *program) token() string {
	c, rest := p.src[p.at], p.src[p.at:]
	switch {
	case p.python && c == '#', !p.python && strings.HasPrefix(rest, "//"):
		p.skip(rest, "\n")
	case !p.python && strings.HasPrefix(rest, "/*"):
		if p.at += 2; !p.skip(rest[2:], "*/") {
			return "a comment without its end"
		}
	case c == '"' || c == '\'':
		return p.text(rest)
	case !p.python && c == '`':
		p.at++
		return p.template()
	case !p.python && c == '/' && !p.value:
		p.pattern(rest)
	case strings.IndexByte("([{", c) >= 0:
		p.at++
		p.open, p.value = append(p.open, c), false
	case strings.IndexByte(")]}", c) >= 0:
		p.at++
		return p.shut(c)
	default:
		p.at++
		if c > ' ' {
			p.value = c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		}
	}
	return ""
}

// skip goes behind a mark, or to the end where there is none.
func (p *program) skip(rest, mark string) bool {
	i := strings.Index(rest, mark)
	if i < 0 {
		p.at = len(p.src)
		return false
	}
	p.at += i + len(mark)
	return true
}

// text reads a string of one line, or in Python one between three quotes.
func (p *program) text(rest string) string {
	mark := rest[:1]
	if triple := strings.Repeat(mark, 3); p.python && strings.HasPrefix(rest, triple) {
		mark = triple
	}
	for i := len(mark); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], mark):
			p.at += i + len(mark)
			p.value = true
			return ""
		case rest[i] == '\n' && len(mark) == 1:
			return "a string without its end"
		}
	}
	return "a string without its end"
}

// template reads on in a template, up to its end or to ${.
func (p *program) template() string {
	for ; p.at < len(p.src); p.at++ {
		switch rest := p.src[p.at:]; {
		case rest[0] == '\\':
			p.at++
		case rest[0] == '`':
			p.at++
			p.value = true
			return ""
		case strings.HasPrefix(rest, "${"):
			p.at += 2
			p.open, p.value = append(p.open, '`'), false
			return ""
		}
	}
	return "a template without its end"
}

// shut closes a bracket.
func (p *program) shut(c byte) string {
	n := len(p.open) - 1
	if n < 0 {
		return "a bracket that closes none"
	}
	opened := p.open[n]
	p.open, p.value = p.open[:n], true
	switch {
	case opened == '`' && c == '}':
		return p.template()
	case strings.IndexByte("([{", opened) != strings.IndexByte(")]}", c):
		return "a bracket that closes none"
	}
	return ""
}

// pattern reads a regular expression. A slash that begins none, as at the end of an element in JSX, is an operator.
func (p *program) pattern(rest string) {
	class := false
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			p.at += i + 1
			p.value = true
			return
		}
	}
	p.at++
}
