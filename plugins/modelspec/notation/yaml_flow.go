package notation

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// literal reads a block scalar: its header, and the lines that are indented by more than indent.
func (y *yaml) literal(dst []byte, header string, indent int) []byte {
	header, _ = yamlComment(header)
	chomp, width := byte(0), -1
	for _, c := range header[1:] {
		switch {
		case c == '-' || c == '+':
			chomp = byte(c)
		case c >= '1' && c <= '9':
			width = max(indent, 0) + int(c-'0')
		default:
			y.bad = true
		}
	}
	var lines []string
	for y.at++; y.at < len(y.lines); y.at++ {
		line := y.lines[y.at]
		if line.text != "" && line.indent <= indent {
			break
		}
		if width < 0 && line.text != "" {
			width = line.indent
		}
		if line.text != "" && line.indent < width {
			y.bad = true
		}
		if line.text != "" {
			line.text = strings.Repeat(" ", max(0, line.indent-width)) + line.text + line.blanks
		}
		if header[0] == '>' && (strings.HasPrefix(line.text, " ") || strings.HasPrefix(line.text, "\t") || line.blanks != "") {
			y.bad, y.unknown = true, true // such lines fold by rules of their own
		}
		lines = append(lines, line.text)
	}
	return jsontext.AppendString(dst, blockText(lines, header[0] == '>', chomp, y.open && y.at == len(y.lines)))
}

// blockText joins the lines of a block scalar. open tells that the last of them has no line break.
func blockText(lines []string, folded bool, chomp byte, open bool) string {
	tail := 0
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines, tail = lines[:len(lines)-1], tail+1
	}
	text := strings.Join(lines, "\n")
	if folded {
		text = fold(lines)
	}
	switch {
	case open && tail == 0 && chomp != '-':
	case chomp == '+':
		return text + strings.Repeat("\n", tail+1)
	case chomp == 0 && text != "":
		return text + "\n"
	}
	return text
}

// joined reads a quoted scalar or a flow collection, which may reach over lines.
func (y *yaml) joined(dst []byte, text string, indent, depth int) []byte {
	var all []string
	f := yamlFlow{}
	for all = []string{text}; ; {
		f = yamlFlow{rest: joinFlow(all), yaml: y}
		value := f.value(nil, depth)
		if behind := strings.TrimLeft(f.rest, " \n"); f.done && (behind == "" || behind[0] == '#') {
			y.at++
			return append(dst, value...)
		}
		y.at++
		if f.wrong || f.done || len(all) > yamlFlowLines || y.at >= len(y.lines) ||
			y.lines[y.at].text != "" && y.lines[y.at].indent <= indent && indent >= 0 && strings.IndexByte("]}", y.lines[y.at].text[0]) < 0 {
			y.bad = true
			return dst
		}
		all = append(all, y.lines[y.at].text)
	}
}

// yamlFlowLines bounds how many lines a flow collection or quoted scalar may take, since it is read anew with each.
const yamlFlowLines = 200

func joinFlow(lines []string) string { return strings.Join(lines, "\n") }

// A yamlFlow reads values in brackets and quotes.
type yamlFlow struct {
	rest  string
	done  bool // the value has ended
	wrong bool // no more text can mend it
	yaml  *yaml
}

func (f *yamlFlow) space() {
	for {
		f.rest = strings.TrimLeft(f.rest, " \t\n")
		if !strings.HasPrefix(f.rest, "#") {
			return
		}
		i := strings.IndexByte(f.rest, '\n')
		if i < 0 {
			i = len(f.rest)
		}
		f.rest = f.rest[i:]
	}
}

// value reads one value; done tells whether it has ended.
func (f *yamlFlow) value(dst []byte, depth int) []byte {
	f.space()
	f.done = false
	if f.rest == "" {
		return dst
	}
	switch c := f.rest[0]; {
	case depth > yamlDepth || strings.IndexByte("]},:%@`", c) >= 0:
		f.wrong = true
		return dst
	case c == '&' || c == '*' || c == '!':
		f.yaml.unknown, f.wrong = true, true
		return dst
	case c == '"' || c == '\'':
		text, behind, ok := yamlQuoted(f.rest)
		if f.done = ok; ok {
			f.rest = behind
		}
		return jsontext.AppendString(dst, text)
	case c == '[' || c == '{':
		return f.collection(dst, c, depth)
	}
	n := 0
	for n < len(f.rest) && strings.IndexByte(",[]{}\n", f.rest[n]) < 0 && !strings.HasPrefix(f.rest[n:], ": ") && !strings.HasPrefix(f.rest[n:], " #") && !strings.HasPrefix(f.rest[n:], ":\n") {
		n++
	}
	word := f.rest[:n]
	f.rest, f.done = f.rest[n:], true
	return yamlWord(dst, strings.TrimSpace(word))
}

// collection reads [a, b] and {a: b}.
func (f *yamlFlow) collection(dst []byte, open byte, depth int) []byte {
	f.rest = f.rest[1:]
	dst = append(dst, open)
	for n := 0; ; n++ {
		f.space()
		switch {
		case f.rest == "":
			f.done = false
			return dst
		case f.rest[0] == open+2:
			f.rest, f.done = f.rest[1:], true
			return append(dst, open+2)
		case f.rest[0] == ']' || f.rest[0] == '}':
			f.wrong = true
			return dst
		case n > 0 && f.rest[0] != ',':
			f.wrong = true
			return dst
		case n > 0:
			f.rest = f.rest[1:]
			if f.space(); f.rest != "" && f.rest[0] == open+2 { // a comma too many
				continue
			}
			dst = append(dst, ',')
		}
		if dst = f.element(dst, open, depth); f.wrong || !f.done {
			f.done = false
			return dst
		}
	}
}

// element reads an element of a list, or a member of an object.
func (f *yamlFlow) element(dst []byte, open byte, depth int) []byte {
	value := f.value(nil, depth+1)
	if !f.done {
		return dst
	}
	f.space()
	pair := strings.HasPrefix(f.rest, ":")
	if open == '[' && !pair {
		return append(dst, value...)
	}
	key := jsontext.JSON(value)
	if key.Kind() == '{' || key.Kind() == '[' {
		f.yaml.unknown, f.wrong = true, true
		return dst
	}
	if key.Kind() != '"' {
		value = jsontext.AppendString(nil, key)
	}
	member := append(append([]byte(nil), value...), ':')
	if !pair {
		member = append(member, "null"...)
	} else {
		f.rest = f.rest[1:]
		if f.space(); f.rest == "" {
			f.done = false
			return dst
		}
		if f.rest[0] == ',' || f.rest[0] == '}' || f.rest[0] == ']' {
			member = append(member, "null"...)
		} else if member = f.value(member, depth+1); !f.done {
			return dst
		}
	}
	if open == '[' {
		return append(append(append(dst, '{'), member...), '}')
	}
	return append(dst, member...)
}

// yamlQuoted reads a quoted text that s begins with; ok is false when it has no end.
func yamlQuoted(s string) (text, rest string, ok bool) {
	var b strings.Builder
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote && quote == '\'' && strings.HasPrefix(s[i+1:], "'"):
			b.WriteByte('\'')
			i++
		case c == quote:
			return b.String(), s[i+1:], true
		case c == '\n': // lines fold into one
			trimmed := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(trimmed)
			n := i
			for i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == ' ') {
				i++
			}
			if breaks := strings.Count(s[n:i+1], "\n"); breaks > 1 {
				b.WriteString(strings.Repeat("\n", breaks-1))
			} else {
				b.WriteByte(' ')
			}
		case c == '\\' && quote == '"' && i+1 < len(s):
			n, good := yamlEscape(&b, s[i+1:])
			if !good {
				return "", "", false
			}
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// yamlEscape writes what an escape stands for and tells how long it is behind the backslash.
func yamlEscape(b *strings.Builder, s string) (n int, ok bool) {
	const plain, stands = `0abtnvfre "/\N_LP`, "\x00\a\b\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029"
	if i := strings.IndexByte(plain, s[0]); i >= 0 {
		b.WriteRune([]rune(stands)[i])
		return 1, true
	}
	size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if size == 0 || len(s) < 1+size {
		return 0, s[0] == '\n'
	}
	code, err := strconv.ParseUint(s[1:1+size], 16, 32)
	if err != nil || code > utf8.MaxRune {
		return 0, false
	}
	if code >= 0xd800 && code < 0xdc00 && len(s) >= 11 && s[5] == '\\' && s[6] == 'u' {
		if low, err := strconv.ParseUint(s[7:11], 16, 32); err == nil && low >= 0xdc00 && low < 0xe000 {
			b.WriteRune(rune(0x10000 + (code-0xd800)<<10 + (low - 0xdc00)))
			return 11, true
		}
	}
	b.WriteRune(rune(code))
	return 1 + size, true
}
