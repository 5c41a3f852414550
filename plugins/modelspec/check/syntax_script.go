package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var scriptWords = words("await break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof var void while with yield async get set")

// scriptFault gives what keeps a text from being JavaScript or TypeScript, or "". It knows strings, templates, regular
// expressions, comments and brackets.
func scriptFault(src string) string {
	s := &script{code: &code{src: src}}
	for s.at < len(s.src) {
		if fault := s.token(); fault != "" {
			return fault
		}
	}
	switch {
	case len(s.open) > 0:
		return "a bracket without its end"
	case s.last == operator && strings.IndexByte("+-*/%=&|^?:,.", s.mark) >= 0 && !s.twice:
		return "an operator without its end"
	}
	return ""
}

type script struct {
	*code
	templates []int // how many brackets stood open where each ${ began
	twice     bool  // the operator before is ++ or --
}

func (s *script) token() string {
	b := s.src[s.at]
	rest := s.src[s.at:]
	switch {
	case b <= ' ' || strings.HasPrefix(rest, "\ufeff"):
		s.at++
	case strings.HasPrefix(rest, "//"):
		s.behind("\n")
	case strings.HasPrefix(rest, "/*"):
		if !s.behind("*/") {
			return "a comment without its end"
		}
	case b == '"' || b == '\'':
		return s.string(b)
	case b == '`':
		s.at++
		return s.template()
	case b == '}' && len(s.templates) > 0 && s.templates[len(s.templates)-1] == len(s.open):
		s.templates = s.templates[:len(s.templates)-1]
		s.at++
		return s.template()
	case b == '/' && s.last != name && s.last != number && s.last != quoted && s.last != closing:
		return s.pattern()
	case strings.IndexByte("([{", b) >= 0:
		s.at++
		s.bracket(b)
		s.last = opening
	case strings.IndexByte(")]}", b) >= 0:
		s.at++
		if !s.bracket(b) {
			return "a bracket that closes none"
		}
		s.last = closing
	case b >= '0' && b <= '9':
		s.at++
		s.number()
		s.last = number
	default:
		return s.other()
	}
	return ""
}

// other reads a name or an operator.
func (s *script) other() string {
	if word := s.word(); word != "" {
		if s.last = name; scriptWords[word] {
			s.last = keyword
		}
		return ""
	}
	b := s.src[s.at]
	r, n := utf8.DecodeRuneInString(s.src[s.at:])
	s.at += n
	switch {
	case b == ';':
		s.last = nothing
	case strings.IndexByte("+-*/%=<>!&|^~?:,.", b) >= 0:
		s.twice = s.last == operator && s.mark == b && (b == '+' || b == '-')
		s.last, s.mark = operator, b
	case b == '@' || b == '#' || b == '\\' || unicode.IsSpace(r):
	default:
		return "a character that the language does not have"
	}
	return ""
}

func (s *script) behind(mark string) bool {
	i := strings.Index(s.src[s.at:], mark)
	if i < 0 {
		s.at = len(s.src)
		return false
	}
	s.at += i + len(mark)
	return true
}

func (s *script) string(quote byte) string {
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case '\n':
			return "a string without its end"
		case quote:
			s.at++
			s.last = quoted
			return ""
		}
	}
	return "a string without its end"
}

// template reads on in a template, up to its end or to ${.
func (s *script) template() string {
	for ; s.at < len(s.src); s.at++ {
		switch {
		case s.src[s.at] == '\\':
			s.at++
		case s.src[s.at] == '`':
			s.at++
			s.last = quoted
			return ""
		case strings.HasPrefix(s.src[s.at:], "${"):
			s.at += 2
			s.templates = append(s.templates, len(s.open))
			s.last = opening
			return ""
		}
	}
	return "a template without its end"
}

// pattern reads a regular expression; what is none, such as the end of an element in JSX, is an operator.
func (s *script) pattern() string {
	class := false
	for i := s.at + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.at = i + 1
			s.word()
			s.last = quoted
			return ""
		}
	}
	s.at++
	s.last, s.mark, s.twice = operator, '/', false
	return ""
}
