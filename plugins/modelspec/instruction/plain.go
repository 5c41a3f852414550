package instruction

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A plain holds the formats of the settings that sentences may name without a code span, as "respond only in JSON" does.
type plain []string

// asWords are languages whose names are words of any sentence.
var asWords = []string{"text", "go", "rust", "java", "diff", "css"}

// plainIn returns those that a text may name.
func plainIn(text string, settings notation.Formats) (names plain) {
	for _, f := range settings {
		if !isTool(f.Name) && len(f.Name) > 2 && !slices.Contains(asWords, f.Name) && holdsWord(text, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// holdsWord reports whether a text holds a word in any case.
func holdsWord(text, word string) bool {
	_, ok := nextWord(text, word)
	return ok
}

// nextWord returns where a text holds a word in any case, with no other letter, digit or mark of a name at its sides.
func nextWord(text, word string) (at int, ok bool) {
	anchor := rarest(word)
	for from := 0; ; {
		i := indexFold(text[from:], word[anchor])
		if i < 0 {
			return 0, false
		}
		i += from
		from = i + 1
		at, end := i-anchor, i-anchor+len(word)
		if at >= 0 && end <= len(text) && strings.EqualFold(text[at:end], word) && (at == 0 || !joins(text[at-1])) && (end == len(text) || !joins(text[end])) {
			return at, true
		}
	}
}

// joins reports whether a byte beside a word makes it a part of another.
func joins(c byte) bool {
	return isWordByte(c) || c >= 0x80 || c == '-' || c == '`' || c == '/' || c == ':'
}

// rarest returns the index of the letter of a word that texts have least.
func rarest(word string) (at int) {
	const rare = "jqxzvkwybgpfmucldhrsnioate"
	least := len(rare)
	for i := range len(word) {
		if n := strings.IndexByte(rare, word[i]|0x20); n >= 0 && n < least {
			at, least = i, n
		}
	}
	return at
}

// indexFold returns where a text has a letter in either case, or -1.
func indexFold(text string, letter byte) int {
	i := strings.IndexByte(text, letter)
	if letter|0x20 < 'a' || letter|0x20 > 'z' {
		return i
	}
	if i < 0 {
		i = len(text)
	}
	if j := strings.IndexByte(text[:i], letter^0x20); j >= 0 {
		return j
	}
	if i == len(text) {
		return -1
	}
	return i
}

// A name is that of a format when words that before matches precede it, or words that behind matches follow.
var (
	before = notation.Pattern(`(?i)\b(?:in|as|using|with|only|just|be|but|than|output|return|` + sound + `)(?: (?:the|an?))? $`)
	behind = notation.Pattern(`(?i)^ (?:(?:` + answers + ` )?formats?|only)\b`)
)

// quoted returns lines of prose in which the names of formats are code spans, where they stand as those of formats.
func (names plain) quoted(lines []Line) []Line {
	if len(names) == 0 {
		return lines
	}
	all := slices.Clone(lines)
	for i := range all {
		for _, name := range names {
			all[i].Prose = quoteWord(all[i].Prose, name)
		}
	}
	return all
}

func quoteWord(line, name string) string {
	made := ""
	for {
		at, ok := nextWord(line, name)
		if !ok {
			return made + line
		}
		end := at + len(name)
		ahead := line[max(0, at-40):at]
		if behind().MatchString(line[end:]) || isLanguage().MatchString(strings.ToLower(name)) && before().MatchString(ahead) {
			name = "`" + name + "`"
		}
		made, line = made+line[:at]+name, line[end:]
		name = strings.Trim(name, "`")
	}
}
