package check

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/instruction"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// ofFormats makes a check of names a check of messages.
func ofFormats(find func(format string) string) func(*view, int, *notation.Message) string {
	return func(_ *view, _ int, m *notation.Message) string { return find(m.Format) }
}

// quote quotes the name of a format, which a record chose, cut where it is long.
func quote(format string) string {
	return strconv.Quote(format[:min(64, len(format))])
}

// want returns a mistake that names the wanted format, those that the settings allow, and the one that the message has.
func (v *view) want(what, have string) string {
	if len(v.Formats) > 0 {
		var names []string
		for _, f := range v.Formats[:min(8, len(v.Formats))] {
			names = append(names, quote(f.Name))
		}
		if len(v.Formats) > 8 {
			names = append(names, "...")
		}
		what += " (the settings allow " + strings.Join(names, ", ") + ")"
	}
	return "want " + what + ", have " + quote(have)
}

func nameColon(name string) string {
	if strings.Count(name, ":") > 1 || strings.HasPrefix(name, ":") || strings.HasSuffix(name, ":") {
		return "want a format, or a tool and a format with one colon, have " + quote(name)
	}
	return ""
}

var snakeCase = notation.Pattern(`^[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?::[a-z][a-z0-9]*(?:_[a-z0-9]+)*)*$`)

func nameCase(name string) string {
	if !snakeCase().MatchString(name) {
		return "want snake_case in the names of a format, have " + quote(name)
	}
	return ""
}

// formatsIn calls found with each format that message i names in code spans, and the answer languages of its fences, such as
// "typescript:json". Fenced blocks and quotations name none. Every mention counts: whether a sentence allows, demands or
// forbids the format is a matter of its meaning.
func (v *view) formatsIn(i int, found func(format string)) {
	if strings.IndexByte(v.texts[i], '`') < 0 {
		return
	}
	for _, l := range v.linesOf(i) {
		if l.Kind == instruction.FenceLine {
			if tool, language := notation.Split(notation.Canonical(l.Info())); tool != "" {
				found(language)
			}
		}
		for span := range spans(l.Prose) {
			if n := run(span, nameByte); n > 0 && n == len(span) {
				found(notation.Canonical(span))
			}
		}
	}
}

// inWords finds languages that a text names as formats without a code span: "in JSON", "JSON format".
var inWords = notation.Pattern(`(?i)\b(?:in|as|using) (?:(?:the|a|an|valid|raw|pure|plain|strict|only) )*` + instruction.Languages + `\b|\b` +
	instruction.Languages + ` (?:response |message )?format\b`)

// speaks reports whether message i names a language as a format without a code span.
func (v *view) speaks(i int, language string) bool {
	if !holdsFold(v.texts[i], language) {
		return false
	}
	for _, l := range v.linesOf(i) {
		if holdsFold(l.Prose, language) {
			for _, m := range inWords().FindAllStringSubmatch(l.Prose, -1) {
				if strings.EqualFold(m[1]+m[2], language) {
					return true
				}
			}
		}
	}
	return false
}

// holdsFold reports whether a text holds a word of lower case, in any case.
func holdsFold(text, word string) bool {
	for i := 0; word != "" && i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
