package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// An item is one piece of the notation: a tag, a fenced block, or a line of plain text.
type item struct {
	kind itemKind
	name string // of a tag
	attr map[string]string
	info string // of a fence: what follows the backticks
	text string // of a fence: its content, without the indentation of the fence; of a line: the line without its indentation
	line int    // counts from 1
	col  int    // counts from 1, in bytes
}

type itemKind uint8

const (
	lineItem itemKind = iota
	openTag           // <Name ...>
	emptyTag          // <Name .../>
	closeTag          // </Name>
	fenceItem
	strangeTag // <Name or </Name of an element that the notation does not have, if strange is set
)

// tags lists the elements of the notation. Other names in angle brackets are text.
var tags = []string{"Thread", "SystemConfig", "Message", "Columns", "Column"}

// A lexer splits a document into items. Blank lines are items too, with empty text.
type lexer struct {
	src     string
	at      int
	line    int
	strange bool // tags of other elements are items, not text
}

// A fault is a mistake in the notation.
type fault struct {
	line, col int
	message   string
}

// Error implements error.
func (f *fault) Error() string { return fmt.Sprintf("line %d column %d: %s", f.line, f.col, f.message) }

func (it item) fault(format string, args ...any) error {
	return &fault{it.line, it.col, fmt.Sprintf(format, args...)}
}

// column returns the column of an offset.
func (l *lexer) column(at int) int { return at - strings.LastIndexByte(l.src[:at], '\n') }

// next reads the next item; ok is false at the end.
func (l *lexer) next() (it item, ok bool, err error) {
	if l.at >= len(l.src) {
		return item{}, false, nil
	}
	indent := len(l.src) - len(strings.TrimLeft(l.src[l.at:], " \t"))
	rest := l.src[indent:]
	if ticks, info := fenceOpening(firstLine(rest)); ticks != "" {
		start := strings.LastIndexByte(l.src[:l.at], '\n') + 1 // the fence may come after a tag
		width := len(l.src[start:]) - len(strings.TrimLeft(l.src[start:], " \t"))
		l.at = indent
		return l.fence(ticks, info, width)
	}
	if tagName(rest) != "" {
		l.at = indent
		return l.tag()
	}
	if strings.HasPrefix(rest, "<!--") {
		return l.remark(indent), true, nil
	}
	it = item{text: firstLine(rest), line: l.line, col: l.column(indent)}
	if name := elementName(rest); l.strange && name != "" {
		it.kind, it.name = strangeTag, name
	} else if i := tagInside(it.text); i > 0 {
		it.text = it.text[:i]
		l.at = indent + i
		return it, true, nil
	}
	l.skipLine()
	return it, true, nil
}

func (l *lexer) skipLine() {
	if i := strings.IndexByte(l.src[l.at:], '\n'); i >= 0 {
		l.at += i + 1
		l.line++
		return
	}
	l.at = len(l.src)
}

// remark skips a comment of HTML, which reaches to its end or that of the document, and the rest of its line.
func (l *lexer) remark(start int) item {
	it := item{line: l.line}
	end := len(l.src)
	if i := strings.Index(l.src[start:], "-->"); i >= 0 {
		end = start + i
	}
	l.line += strings.Count(l.src[l.at:end], "\n")
	l.at = end
	l.skipLine()
	return it
}

// fence reads a fenced block. A fence of the same length with an info string opens a block within it, since a closing fence
// has none: the document nests blocks so in its quoted notation.
func (l *lexer) fence(ticks, info string, width int) (item, bool, error) {
	it := item{kind: fenceItem, info: info, line: l.line, col: l.column(l.at)}
	l.skipLine()
	var lines []string
	for depth := 1; l.at < len(l.src); {
		line, start, at := firstLine(l.src[l.at:]), l.at, l.line
		l.skipLine()
		switch inner, innerInfo := fenceOpening(strings.TrimSpace(line)); {
		case tagName(innerInfo) != "" && len(inner) >= len(ticks): // a tag on the line of the closing fence
			l.at = start + strings.Index(line, innerInfo)
			l.line = at
			depth = 0
		case inner == "" || inner[0] != ticks[0]:
		case innerInfo == "" && len(inner) >= len(ticks):
			depth--
		case innerInfo != "" && len(inner) == len(ticks):
			depth++
		}
		if depth == 0 {
			it.text = strings.Join(lines, "\n")
			return it, true, nil
		}
		lines = append(lines, dedent(line, width))
	}
	return item{}, false, it.fault("want the end of the fenced block, have the end of the document")
}

// tag reads a tag of the notation, which may take several lines.
func (l *lexer) tag() (item, bool, error) {
	it := item{kind: openTag, name: tagName(l.src[l.at:]), line: l.line, col: l.column(l.at)}
	start := l.at
	if l.src[l.at+1] == '/' {
		it.kind = closeTag
		l.at++
	}
	l.at += 1 + len(it.name)
	for {
		l.at += len(l.src[l.at:]) - len(strings.TrimLeft(l.src[l.at:], " \t\r\n"))
		switch rest := l.src[l.at:]; {
		case strings.HasPrefix(rest, ">"):
			l.at++
		case strings.HasPrefix(rest, "/>"):
			it.kind = emptyTag
			l.at += 2
		default:
			name, value, n, ok := attribute(rest)
			if !ok {
				return item{}, false, it.fault("want attributes and the end of <%s>", it.name)
			}
			if it.attr == nil {
				it.attr = map[string]string{}
			}
			it.attr[name] = value
			l.at += n
			continue
		}
		break
	}
	l.line += strings.Count(l.src[start:l.at], "\n")
	if strings.TrimSpace(firstLine(l.src[l.at:])) == "" {
		l.skipLine()
	}
	return it, true, nil
}

// attributeHead is the name of an attribute, up to the mark that opens its value.
var attributeHead = notation.Pattern(`^([A-Za-z_][A-Za-z0-9_-]*)(?:=["'{])?`)

// attribute reads name="text", name='text', name={expression} or a name, which is "true" as in JSX, and returns its length n.
func attribute(s string) (name, value string, n int, ok bool) {
	head := attributeHead().FindStringSubmatch(s)
	if head == nil {
		return "", "", 0, false
	}
	name, n = head[1], len(head[0])
	end := 0
	switch mark := s[n-1]; mark {
	case '"', '\'':
		end = strings.IndexByte(s[n:], mark)
	case '{':
		end = closingBrace(s[n-1:]) - 1
	default:
		return name, "true", n, !strings.HasPrefix(s[n:], "=")
	}
	if end < 0 {
		return "", "", 0, false
	}
	value = s[n : n+end]
	if s[n-1] == '{' {
		value = strings.TrimSpace(value)
		if last := len(value) - 1; last > 0 && strings.IndexByte("\"'`", value[0]) >= 0 && value[last] == value[0] {
			value = value[1:last]
		}
	}
	return name, value, n + end + 1, true
}

// closingBrace returns the offset of the brace that closes the first one in s, or -1.
func closingBrace(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		case '"', '\'', '`':
			for i++; i < len(s) && s[i] != c; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// fenceOpening splits a line that opens a fenced block into its marks and its info string.
func fenceOpening(line string) (marks, info string) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return "", ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	info = strings.TrimSpace(line[n:])
	if n < 3 || line[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	return line[:n], info
}

// tagName returns the name of the notation's element whose tag s begins with, or "".
func tagName(s string) string {
	if name := elementName(s); slices.Contains(tags, name) {
		return name
	}
	return ""
}

// elementName returns the name of any element whose tag s begins with, or "".
func elementName(s string) string {
	s, ok := strings.CutPrefix(s, "<")
	if !ok {
		return ""
	}
	s = strings.TrimPrefix(s, "/")
	n := 0
	for n < len(s) && isLetter(s[n]) && s[n] != '_' {
		n++
	}
	if n < len(s) && !strings.ContainsRune(" \t\r\n/>", rune(s[n])) {
		return ""
	}
	return s[:n]
}

// tagInside returns the offset of the first tag in a line of text, or -1. Code spans and quotations hold no tags.
func tagInside(line string) int {
	if strings.HasPrefix(line, ">") {
		return -1
	}
	code := false
	for i := range len(line) {
		switch {
		case line[i] == '`':
			code = !code
		case line[i] == '<' && !code && tagName(line[i:]) != "":
			return i
		}
	}
	return -1
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r")
}

// dedent removes up to width leading blanks.
func dedent(line string, width int) string {
	for width > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line, width = line[1:], width-1
	}
	return line
}

// isLetter reports whether a byte is a letter of ASCII or an underscore, as names in tags have them.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
