package modelspeccheck

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
)

// named holds the formats that a text names.
type named struct {
	formats  map[string]bool // in code spans, and the answer language of fences such as "typescript:json"
	demanded map[string]bool // those a sentence demands, such as "only respond in the `json` format"
}

var (
	demand   = []string{"respond", "answer", "reply", "return", "output", "write"}
	must     = []string{"only", "exclusively", "must", "always"}
	negation = []string{"not", "never", "cannot", "don", "doesn", "mustn", "avoid", "without", "nor", "refuse"}
	other    = []string{"but", "except", "than", "besides"}
)

// demands tells whether a clause asks for the format of its code span and no other: "only respond in the `json` format",
// and not "only answer questions about the `pandas` library".
func demands(clause, before, behind string) bool {
	if !hasWord(clause, demand) && !hasWord(clause, []string{"use"}) || hasWord(clause, []string{"if", "when", "whenever", "unless"}) || strings.Contains(clause, "to call ") {
		return false
	}
	if !hasWord(clause, must) && !hasWord(before, []string{"using"}) {
		return false
	}
	last := lastWords(before)
	in := strings.HasSuffix(last, " in") || strings.HasSuffix(last, " in the") || strings.HasSuffix(last, " as") || strings.HasSuffix(last, " using") || strings.HasSuffix(last, " using the") || strings.HasSuffix(last, " use") || strings.HasSuffix(last, " use the") || strings.HasSuffix(last, " with")
	behind = strings.TrimLeft(behind, " ")
	return in && (strings.HasPrefix(behind, "format") || strings.HasPrefix(behind, "response format") || strings.HasPrefix(behind, "message format") || strings.Trim(behind, ".!") == "")
}

// lastWords gives the end of a text, in lower case, with a blank before it.
func lastWords(text string) string {
	text = strings.TrimRight(text, " ")
	return " " + strings.ToLower(text[max(0, len(text)-20):])
}

// hasWord tells whether a text has one of the words, in any case.
func hasWord(text string, words []string) bool {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		for _, word := range words {
			if len(word) == i-from && strings.EqualFold(text[from:i], word) {
				return true
			}
		}
	}
	return false
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
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
	n = named{formats: map[string]bool{}, demanded: map[string]bool{}}
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
			if tool, language := modelspec.Split(modelspec.Canonical(line[len(ticks):])); tool != "" {
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

// sentence reads the code spans of a sentence. One in a clause that says not is no permission, and neither is one that is
// quoted.
func (n named) sentence(sentence string) {
	from, quoted := 0, false // where the clause begins
	for i := 0; i < len(sentence); i++ {
		switch c := sentence[i]; {
		case c == '"':
			quoted = !quoted
		case c == ',' || c == ';' || c == ':':
			from = i + 1
		case strings.HasPrefix(sentence[i:], "instead") || strings.HasPrefix(sentence[i:], " but use"):
			from = i
		case c == '`':
			end := strings.IndexByte(sentence[i+1:], '`')
			if end < 0 {
				return
			}
			span := sentence[i+1 : i+1+end]
			if behind := sentence[i+end+2:]; isName(span) && !quoted {
				n.span(modelspec.Canonical(span), sentence[from:i], clause(behind))
			}
			i += end + 1
		}
	}
}

// clause gives a text up to the end of its clause.
func clause(text string) string {
	if i := strings.IndexAny(text, ",;`"); i >= 0 {
		return text[:i]
	}
	return text
}

// span takes the format of a code span, which stands between two parts of its clause.
func (n named) span(format, before, behind string) {
	if hasWord(before, negation) {
		words := lastWords(before)
		if hasWord(words, other) && hasWord(before, []string{"format", "formats", "anything"}) { // no format but this
			n.formats[format], n.demanded[format] = true, true
		}
		return
	}
	n.formats[format] = true
	if demands(before+behind, before, behind) {
		n.demanded[format] = true
	}
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
