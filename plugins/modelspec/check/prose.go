package check

import (
	"maps"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// named holds the formats that a text names.
type named struct {
	formats  map[string]bool // in code spans, and the answer language of fences such as "typescript:json"
	demanded map[string]bool // those a sentence demands, such as "only respond in the `json` format"
	lifted   map[string]bool // those of which an earlier demand no longer holds
}

// after gives what is demanded behind the text, of what was before it. The latest demand counts.
func (n named) after(before map[string]bool, text string) map[string]bool {
	if len(n.demanded) > 0 {
		return n.demanded
	}
	if before == nil || frees(text) {
		return nil
	}
	left := maps.Clone(before)
	maps.DeleteFunc(left, func(format string, _ bool) bool { return n.lifted[format] })
	if len(left) == 0 {
		return nil
	}
	return left
}

// frees tells whether a text leaves the format to the assistant.
func frees(text string) bool {
	for line := range strings.Lines(text) {
		for line != "" {
			end := sentenceEnd(line)
			said := wordsOf(unmarked(line[:end]))
			if has(said, []string{"any format", "any response format", "whatever format", "whichever format", "format of your choice"}) && !denies(said, "") && !has(said, others) {
				return true
			}
			line = line[end:]
		}
	}
	return false
}

// asksInFence tells whether a line of text says that the fenced block behind it is the format of the answer.
func asksInFence(line string) bool {
	line = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(line), ":"))
	return line == "response format" || strings.HasSuffix(line, " response format")
}

// formatsIn reads the formats a text names. What stands in fenced blocks or is quoted names none.
func formatsIn(text string) (n named) {
	if !strings.Contains(text, "`") {
		return n
	}
	n = named{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	fence, last := "", ""
	for line := range strings.Lines(text) {
		if fence == "" && !strings.Contains(line, "`") {
			last = line
			continue
		}
		line = strings.TrimSpace(line)
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if ticks == line && len(ticks) >= len(fence) {
				fence = ""
			}
		case len(ticks) >= 3:
			fence = ticks
			if tool, language := notation.Split(notation.Canonical(line[len(ticks):])); tool != "" {
				n.formats[language] = true
				if asksInFence(last) {
					n.demanded[language] = true
				}
			}
		case strings.HasPrefix(line, ">"):
		default:
			n.line(line)
			last = line
		}
	}
	return n
}

// line reads the code spans of a line that hold a name, sentence by sentence.
func (n named) line(line string) {
	for line != "" {
		end := sentenceEnd(line)
		if strings.IndexByte(line[:end], '`') >= 0 {
			n.sentence(line[:end])
		}
		line = line[end:]
	}
}

// sentence reads the code spans of a sentence. One that is quoted names nothing. Of names in a row all are what the first is:
// "only respond in `json` or `yaml`".
func (n named) sentence(sentence string) {
	from, quoted := 0, false // where the clause begins
	last, lastEnd := allows, -1
	for i := 0; i < len(sentence); i++ {
		switch c := sentence[i]; {
		case c == '"':
			quoted = !quoted
		case c == ',' || c == ';' || c == ':':
			from = i + 1
		case strings.HasPrefix(sentence[i:], " but use") || strings.HasPrefix(sentence[i:], " but respond"):
			from = i
		case c == '`':
			end := strings.IndexByte(sentence[i+1:], '`')
			if end < 0 {
				return
			}
			span, behind := sentence[i+1:i+1+end], sentence[i+end+2:]
			if isName(span) && !quoted {
				format := notation.Canonical(span)
				if lastEnd < 0 || !isList(sentence[lastEnd:i]) {
					last = stanceOf(format, sentence[from:i], clause(behind), sentence)
				}
				lastEnd = i + end + 2
				n.take(format, last)
			}
			i += end + 1
		}
	}
}

// isList tells whether what stands between two names makes them a list.
func isList(between string) bool {
	switch strings.Trim(between, ", ") {
	case "", "or", "and", "nor", "or the", "and the", "nor the":
		return strings.TrimSpace(between) != ""
	}
	return false
}

// clause gives a text up to the end of its clause.
func clause(text string) string {
	if i := strings.IndexAny(text, ",;`"); i >= 0 {
		return text[:i]
	}
	return text
}

// take notes what is said of a format.
func (n named) take(format string, said stance) {
	switch said {
	case forbids:
		n.lifted[format] = true
		return
	case lifts:
		n.lifted[format] = true
	case demands:
		n.demanded[format] = true
	}
	n.formats[format] = true
}

// sentenceEnd is the offset behind the first sentence. Dots in code spans end none.
func sentenceEnd(text string) int {
	code := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '`':
			code = !code
		case !code && (c == '.' || c == '!' || c == '?') && (i+1 == len(text) || text[i+1] == ' '):
			return i + 1
		}
	}
	return len(text)
}

// isName tells whether a code span can be a format.
func isName(span string) bool {
	for i := range len(span) {
		c := span[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_.:-", c) >= 0) {
			return false
		}
	}
	return span != ""
}
