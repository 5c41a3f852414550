package instruction

import (
	"iter"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// Languages matches the common names of formats, in one group.
const Languages = `(jsonl?|yaml|xml|csv|html|markdown|plaintext|text|python|javascript|typescript|sql|latex|svg|toml|rust|go|java|diff|svelte|css)`

var isLanguage = notation.Pattern(`^` + Languages + `$`)

// Demanded returns the formats that the last sentence of lines demands of the assistant which demands any. It knows formats of the
// settings and languages: the span of "the `slug` format" may be a format of something in an answer.
func Demanded(lines []Line, settings notation.Formats) (formats []string) {
	for text := range paragraphs(lines) {
		for s := range sentences(text) {
			if found := demandedBy(s, settings); found != nil {
				formats = found
			}
		}
	}
	return formats
}

// demandedBy returns the formats that a sentence demands.
func demandedBy(sentence string, settings notation.Formats) (formats []string) {
	if !inFormat(sentence) {
		return nil
	}
	for _, m := range formatSpan().FindAllStringSubmatch(demandIn(sentence), -1) {
		format := notation.Canonical(strings.ToLower(m[1]))
		if !isLanguage().MatchString(format) {
			format = notation.Canonical(m[1])
			if _, listed := settings.Find(format); !listed {
				return nil
			}
		}
		formats = append(formats, strings.Clone(format)) // the sentence may be in memory that is used again
	}
	return formats
}

// paragraphs iterates over the paragraphs of lines that name a format. Headings and the items of a list are some too, an item behind the
// line that introduces the list. A line that may begin a sentence begins a line there.
func paragraphs(lines []Line) iter.Seq[string] {
	return func(yield func(string) bool) {
		var text []string
		introduction, names := "", false
		end := func() (goOn bool) {
			goOn = !names || yield(introduction+strings.Join(text, ""))
			text, names = text[:0], false
			return goOn
		}
		for _, l := range lines {
			prose, isItem := withoutBullet(l.Prose)
			parts := prose == "" || isItem || prose[0] == '#'
			switch {
			case l.Kind == QuoteLine || l.Kind == CodeLine:
				continue
			case isItem && len(text) > 0 && strings.HasSuffix(text[len(text)-1], ":"):
				introduction = text[len(text)-1] + " "
			case !isItem && len(text) == 0 && prose != "":
				introduction = ""
			}
			if parts && !end() {
				return
			}
			if len(text) > 0 {
				text = append(text, blankBefore(prose))
			}
			text, names = append(text, prose), names || NamesFormat(prose)
			if parts && !isItem && !end() {
				return
			}
		}
		end()
	}
}

// withoutBullet returns a line without the mark of an item in a list, if it has one.
func withoutBullet(line string) (text string, isItem bool) {
	if line == "" || isWordByte(line[0]) && line[0] > '9' {
		return line, false
	}
	mark, text, blank := strings.Cut(line, " ")
	switch number := strings.TrimRight(mark, ".)"); {
	case !blank:
	case mark == "-", mark == "*", mark == "+", mark == "•", len(number) == len(mark)-1 && strings.Trim(number, "0123456789") == "":
		return text, true
	}
	return line, false
}

// blankBefore returns what parts a line from the one before: a blank where it goes on with the sentence, or else a new line.
func blankBefore(line string) string {
	if line != "" && 'A' <= line[0] && line[0] <= 'Z' {
		return "\n"
	}
	return " "
}

// sentences iterates over the sentences of a text, and parts of them at a semicolon. Code spans end none.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '`':
				if n := strings.IndexByte(text[i+1:], '`'); n >= 0 {
					i += n + 1
					continue
				}
			case '.', '!', '?', ';':
			default:
				continue
			}
			if i > from && !yield(text[from:i]) {
				return
			}
			from = i + 1
		}
		if from < len(text) {
			yield(text[from:])
		}
	}
}

// inFormat reports whether a text has words such as "in the `json`" or "using `json`".
func inFormat(text string) bool {
	for at := range slugSpans(text) {
		before, word, ok := lastWord(text[:at])
		for ok && isAny(word, "the", "a", "an", "only") {
			before, word, ok = lastWord(before)
		}
		if ok && isAny(word, "in", "as", "with", "using", "use", "uses") {
			return true
		}
	}
	return false
}

// NamesFormat reports whether a text has a code span that names a format without a tool.
func NamesFormat(text string) bool {
	for range slugSpans(text) {
		return true
	}
	return false
}

// slugSpans iterates over the code spans of a text that name a format without a tool.
func slugSpans(text string) iter.Seq[int] {
	return func(yield func(at int) bool) {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], '`')
			if i < 0 {
				return
			}
			at += i
			n := 0
			for rest := text[at+1:]; n < len(rest) && (isWordByte(rest[n]) || rest[n] == '-'); {
				n++
			}
			if n > 0 && strings.HasPrefix(text[at+1+n:], "`") && !yield(at) {
				return
			}
		}
	}
}

// lastWord cuts a word and the blank behind it off the end of a text.
func lastWord(text string) (before, word string, ok bool) {
	text, ok = strings.CutSuffix(text, " ")
	n := len(text)
	for n > 0 && isWordByte(text[n-1]) {
		n--
	}
	return text[:n], text[n:], ok
}

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

func isAny(word string, of ...string) bool {
	return slices.ContainsFunc(of, func(other string) bool { return strings.EqualFold(word, other) })
}
