package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// ofFormats makes a check of names a check of messages.
func ofFormats(find func(format string) string) func(v *view, i int) string {
	return func(v *view, i int) string {
		if v.messages[i].Role != notation.Assistant {
			return ""
		}
		return find(v.messages[i].Format)
	}
}

// quote quotes the name of a format, which a record chose, cut where it is long.
func quote(format string) string {
	if len(format) > 64 {
		format = format[:64]
	}
	return strconv.Quote(format)
}

// want returns a mistake that names the wanted format, those that the settings allow, and the one that the message has.
func (v *view) want(what, have string) string {
	if len(v.Formats) > 0 {
		names := make([]string, len(v.Formats))
		for i, f := range v.Formats {
			names[i] = f.Name
		}
		what += " (the settings allow " + list(names) + ")"
	}
	return "want " + what + ", have " + quote(have)
}

// list quotes the first names of formats.
func list(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == 8 {
			return b.String() + ", ..."
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
	}
	return b.String()
}

func nameColon(name string) string {
	if strings.Count(name, ":") > 1 || strings.HasPrefix(name, ":") || strings.HasSuffix(name, ":") {
		return fmt.Sprintf("want a format, or a tool and a format with one colon, have %s", quote(name))
	}
	return ""
}

// nameCase looks for snake_case: small letters and digits, words joined by one underscore.
func nameCase(name string) string {
	for part := range strings.SplitSeq(name, ":") {
		word := false
		for i := range len(part) {
			c := part[i]
			letter, digit := c >= 'a' && c <= 'z', c >= '0' && c <= '9'
			if !letter && !(digit && i > 0) && !(c == '_' && word) {
				return "want snake_case in the names of a format, have " + quote(name)
			}
			word = c != '_'
		}
		if !word {
			return "want snake_case in the names of a format, have " + quote(name)
		}
	}
	return ""
}
