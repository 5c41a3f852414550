package notation

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ContentFault returns what a text has that is no content in a language, or "". It knows json, jsonl, yaml, xml and csv; of python,
// javascript and typescript it sees strings, comments and brackets.
func ContentFault(language, text string) string {
	ok := true
	switch language {
	case "json":
		_, ok = jsontext.Embedded(text)
	case "jsonl":
		for line := range strings.Lines(text) {
			_, isValue := jsontext.Embedded(line)
			ok = ok && (strings.TrimSpace(line) == "" || isValue)
		}
		ok = ok && strings.TrimSpace(text) != ""
	case "yaml":
		_, verdict := ReadYAML(text)
		ok = verdict != YAMLBad
	case "xml":
		ok = isXML(text)
	case "csv":
		_, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		ok = err == nil
	case "python", "javascript", "typescript":
		return programFault(language, text)
	}
	if ok {
		return ""
	}
	return "other text"
}

func isXML(text string) bool {
	d := xml.NewDecoder(strings.NewReader(text))
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements > 0
		}
		if err != nil {
			return false
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

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

// A program is code in Python, JavaScript or TypeScript, read up to an offset.
type program struct {
	src    string
	at     int
	python bool
	open   []byte // the open brackets; '`' for the ${ of a template
	value  bool   // a value came before, so that a slash divides
}

// token reads a comment, a string, a bracket or one other byte, and returns what is wrong with it, or "".
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
		n, ended := stringLiteral(rest, p.python)
		if p.at, p.value = p.at+n, true; !ended {
			return "a string without its end"
		}
	case !p.python && c == '`':
		p.at++
		return p.template()
	case !p.python && c == '/' && !p.value:
		n := len(pattern().FindString(rest))
		p.at, p.value = p.at+max(n, 1), n > 0 // a slash that begins none, as at the end of an element in JSX, is an operator
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

// A pattern is a regular expression of JavaScript.
var pattern = Pattern(`^/(?:\\(?s:.)|\[(?:\\(?s:.)|[^\]\\\n])*\]|[^/\\\[\n])*/`)
