package instruction

import (
	"iter"
	"strings"
)

// paragraphs iterates over the paragraphs of lines that name a format, or over all. Headings and the items of a list are some too, an item behind the
// line that introduces the list. A line that may begin a sentence begins a line there.
func paragraphs(lines []Line, all bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		var text []string
		introduction, names := "", false
		end := func() (goOn bool) {
			goOn = !names && !all || yield(introduction+strings.Join(text, ""))
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
			text, names = append(text, prose), names || namesAny(prose)
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

// sentences iterates over the sentences of a text, and parts of them at a semicolon. Code spans end none, nor do abbreviations such
// as "e.g.".
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
			case '.':
				if i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\n' || i > 1 && text[i-2] == '.' {
					continue
				}
			case '!', '?', ';':
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

// NamesFormat reports whether a text has a code span that names a format without a tool.
func NamesFormat(text string) bool {
	for name := range formatSpans(text) {
		if !isTool(name) {
			return true
		}
	}
	return false
}

// namesAny reports whether a text has a code span that names a format.
func namesAny(text string) bool {
	for range formatSpans(text) {
		return true
	}
	return false
}

// formatSpans iterates over what code spans of a text hold that name a format.
func formatSpans(text string) iter.Seq[string] {
	return func(yield func(name string) bool) {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], '`')
			if i < 0 {
				return
			}
			at += i
			n := 0
			for rest := text[at+1:]; n < len(rest) && (isWordByte(rest[n]) || rest[n] == '-' || rest[n] == ':'); {
				n++
			}
			if n > 0 && strings.HasPrefix(text[at+1+n:], "`") && !yield(text[at+1:at+1+n]) {
				return
			}
		}
	}
}

// isTool reports whether a format is one of a tool.
func isTool(format string) bool { return strings.IndexByte(format, ':') >= 0 }

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}
