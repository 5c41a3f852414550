package notation

import (
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A YAMLVerdict tells what became of a text that should be YAML.
type YAMLVerdict uint8

// The verdicts.
const (
	YAMLBad     YAMLVerdict = iota
	YAMLRead                // the text is one value of what JSON can say
	YAMLUnknown             // anchors, tags, several documents: YAML that this reader leaves to others
)

// ReadYAML reads a text of the YAML that people write for data: block and flow collections, scalars of all five styles.
// Words stand for values as in the core schema of YAML 1.2.
func ReadYAML(text string) (jsontext.JSON, YAMLVerdict) {
	y := &yaml{open: !strings.HasSuffix(text, "\n")}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		said := strings.TrimRight(line, " \t")
		body := strings.TrimLeft(said, " ")
		y.lines = append(y.lines, yamlLine{len(said) - len(body), body, line[len(said):]})
	}
	y.next()
	if y.at < len(y.lines) && y.lines[y.at].text == "---" {
		y.at++
		y.next()
	}
	out := y.block(nil, 0, 0)
	y.next()
	if y.at < len(y.lines) {
		if rest := y.lines[y.at].text; rest == "---" || rest == "..." {
			y.unknown = true
		}
		y.bad = true
	}
	switch {
	case y.unknown:
		return "", YAMLUnknown
	case y.bad || out == nil:
		return "", YAMLBad
	}
	return jsontext.JSON(out), YAMLRead
}

type yamlLine struct {
	indent       int
	text, blanks string // and what stands behind it
}

type yaml struct {
	lines   []yamlLine
	at      int
	open    bool // the last line has no line break
	bad     bool
	unknown bool
}

// next goes to the next line that says something.
func (y *yaml) next() {
	for y.at < len(y.lines) && (y.lines[y.at].text == "" || y.lines[y.at].text[0] == '#') {
		y.at++
	}
	if y.at < len(y.lines) && y.lines[y.at].text[0] == '\t' { // no indentation
		y.bad = true
	}
}

const yamlDepth = 100

// block reads the value that begins at the line at hand, which is indented by at least indent, and appends it.
func (y *yaml) block(dst []byte, indent, depth int) []byte {
	y.next()
	if y.at >= len(y.lines) || y.lines[y.at].indent < indent {
		return append(dst, "null"...)
	}
	line := y.lines[y.at]
	if y.bad || depth > yamlDepth {
		y.bad = true
		return dst
	}
	if isItem(line.text) {
		return y.sequence(dst, line.indent, depth)
	}
	if _, _, ok := y.key(line.text); ok {
		return y.mapping(dst, line.indent, depth)
	}
	return y.scalar(dst, line.text, line.indent-1, depth)
}

func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

func (y *yaml) sequence(dst []byte, indent, depth int) []byte {
	dst = append(dst, '[')
	for n := 0; !y.bad; n++ {
		y.next()
		if y.at >= len(y.lines) || y.lines[y.at].indent != indent || !isItem(y.lines[y.at].text) {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		line := &y.lines[y.at]
		rest := strings.TrimLeft(line.text[1:], " ")
		if rest == "" || rest[0] == '#' {
			y.at++
			dst = y.block(dst, indent+1, depth+1)
			continue
		}
		line.indent += len(line.text) - len(rest) // what stands behind the dash is a block of its own
		line.text = rest
		dst = y.item(dst, indent, depth)
	}
	return append(dst, ']')
}

// item reads what stands behind a dash.
func (y *yaml) item(dst []byte, indent, depth int) []byte {
	line := y.lines[y.at]
	if _, _, ok := y.key(line.text); ok || isItem(line.text) {
		return y.block(dst, line.indent, depth+1)
	}
	return y.scalar(dst, line.text, indent, depth)
}

func (y *yaml) mapping(dst []byte, indent, depth int) []byte {
	dst = append(dst, '{')
	for n := 0; !y.bad; n++ {
		y.next()
		if y.at >= len(y.lines) || y.lines[y.at].indent != indent {
			break
		}
		key, rest, ok := y.key(y.lines[y.at].text)
		if !ok {
			y.bad = true
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, key), ':')
		if rest != "" && rest[0] != '#' {
			dst = y.scalar(dst, rest, indent, depth)
			continue
		}
		y.at++
		y.next()
		inner := indent + 1
		if y.at < len(y.lines) && y.lines[y.at].indent == indent && isItem(y.lines[y.at].text) {
			inner = indent
		}
		dst = y.block(dst, inner, depth+1)
	}
	return append(dst, '}')
}

// key splits "key: value" and "key:".
func (y *yaml) key(text string) (key, rest string, ok bool) {
	switch text[0] {
	case '"', '\'':
		value, behind, good := yamlQuoted(text)
		behind = strings.TrimLeft(behind, " ")
		if !good || !strings.HasPrefix(behind, ":") || len(behind) > 1 && behind[1] != ' ' && behind[1] != '\t' {
			return "", "", false
		}
		return value, strings.TrimLeft(behind[1:], " \t"), true
	case '[', '{', '#', '|', '>', '%', '@', '`':
		return "", "", false
	case '&', '*', '!':
		y.unknown = true
		return "", "", false
	case '?':
		y.unknown = y.unknown || text == "?" || strings.HasPrefix(text, "? ")
	}
	for i := range len(text) {
		switch {
		case text[i] == '#' && i > 0 && text[i-1] == ' ':
			return "", "", false
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return strings.TrimRight(text[:i], " "), strings.TrimLeft(text[i+1:], " \t"), i > 0
		}
	}
	return "", "", false
}

// scalar reads a value whose first line holds text, and which goes on in lines that are indented by more than indent.
func (y *yaml) scalar(dst []byte, text string, indent, depth int) []byte {
	switch text[0] {
	case '|', '>':
		return y.literal(dst, text, indent)
	case '&', '*', '!':
		y.unknown = true
		y.bad = true
		return dst
	case '%', '@', '`', ',', ']', '}':
		y.bad = true
		return dst
	case '"', '\'', '[', '{':
		return y.joined(dst, text, indent, depth)
	}
	text, open := yamlComment(text)
	all := []string{text}
	for y.at++; open && y.at < len(y.lines); y.at++ {
		line := y.lines[y.at]
		if line.text != "" && (line.indent <= indent || line.text[0] == '#') {
			break
		}
		part := line.text
		if part, open = yamlComment(part); part != "" || line.text == "" {
			all = append(all, part)
		}
	}
	for _, part := range all {
		if strings.Contains(part, ": ") || strings.HasSuffix(part, ":") && len(all) > 1 || strings.HasSuffix(part, ":") || isItem(text) {
			y.bad = true
		}
	}
	return yamlWord(dst, fold(all))
}

// yamlComment takes a comment off a line; open is false where there was one.
func yamlComment(text string) (rest string, open bool) {
	if i := strings.Index(text, " #"); i >= 0 {
		return strings.TrimRight(text[:i], " "), false
	}
	return text, true
}

// fold joins lines by blanks, and empty ones as line breaks.
func fold(lines []string) string {
	var b strings.Builder
	breaks := 0
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			breaks++
			continue
		}
		if i > 0 && breaks == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("\n", breaks))
		b.WriteString(line)
		breaks = 0
	}
	return b.String()
}

var yamlNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// yamlWord appends a plain scalar: null, a boolean, a number or a text.
func yamlWord(dst []byte, text string) []byte {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return append(dst, "null"...)
	case "true", "True", "TRUE":
		return append(dst, "true"...)
	case "false", "False", "FALSE":
		return append(dst, "false"...)
	}
	if yamlNumber.MatchString(text) {
		return append(dst, strings.TrimPrefix(text, "+")...)
	}
	return jsontext.AppendString(dst, text)
}
