package notation

import (
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// escapeCode is escapeText for contents in a language in which \u003c in a string is "<". n counts the special tokens. rewritten
// reports whether YAML had to be written anew, since only its double-quoted scalars have escapes. ok is false where the escaped
// content would mean something else: in raw strings, bytes and code of Python, and in YAML with anchors or tags.
func (s *Special) escapeCode(text, language string) (escaped string, n int, rewritten, ok bool) {
	escaped, n = s.escapeText(text, true)
	switch {
	case n == 0:
	case language == "yaml":
		value, verdict := ReadYAML(text)
		if verdict != YAMLRead {
			return escaped, n, false, verdict == YAMLBad // what is no YAML has no meaning to keep
		}
		if read, _ := ReadYAML(escaped); read != value {
			escaped, _ = s.escapeText(string(AppendYAML(nil, value)), true)
			read, _ = ReadYAML(escaped)
			return escaped, n, true, read == value && !ambiguous(value, 0) // a half of a surrogate pair has no other spelling
		}
	case language == "python":
		return escaped, n, false, s.spellable(text)
	}
	return escaped, n, false, true
}

var yamlOldWord = regexp.MustCompile(`^(?:[-+]?\.?[0-9].*|[-+]?\.(?i:inf|nan)|=|<<)$`)

// ambiguous reports whether a value of YAML holds a text, such as "no" or "007", that older versions of YAML take for a boolean
// or a number unless it was quoted, which the value does not show.
func ambiguous(value jsontext.JSON, depth int) bool {
	if body, ok := value.Quoted(); ok {
		text := body.Text()
		return yamlReserved[strings.ToLower(text)] || yamlOldWord.MatchString(text)
	}
	found := depth > yamlDepth
	c := value.Cursor()
	switch value.Kind() {
	case '{':
		for key := range c.Members() {
			found = found || ambiguous(jsontext.JSON(jsontext.AppendString(nil, key)), depth+1) || ambiguous(c.Value(), depth+1)
		}
	case '[':
		for range c.Elements() {
			found = found || ambiguous(c.Value(), depth+1)
		}
	}
	return found
}

// spellable reports whether every special token of a Python text is in a comment or in a string in which \u003c is "<".
func (s *Special) spellable(text string) bool {
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			i += len(firstLine(text[i:]))
		case '"', '\'':
			end := i + pythonString(text[i:])
			if isRaw(text[:i]) && s.holds(text[i:end]) {
				return false
			}
			i = end
		case '<':
			bar := strings.HasPrefix(strings.TrimLeft(text[i+1:], `\`), "|") // which no program has there
			if _, size := s.at(text, i); size > 0 && !bar {
				return false
			}
			i++
		default:
			i++
		}
	}
	return true
}

// holds reports whether a text holds a special token.
func (s *Special) holds(text string) bool {
	for i := range len(text) {
		if text[i] != '<' {
			continue
		}
		if _, size := s.at(text, i); size > 0 {
			return true
		}
	}
	return false
}

// pythonString returns the length of the string literal, without its prefix, at the beginning of a text.
func pythonString(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}

// isRaw reports whether a text ends with the prefix of a raw string or of bytes, which have no \u escapes.
func isRaw(before string) bool {
	prefix := before[len(strings.TrimRight(before, "rRbBfFuUtT")):]
	word := len(before) > len(prefix) && toolschema.IsIdentifier("_"+before[len(before)-len(prefix)-1:len(before)-len(prefix)])
	return !word && len(prefix) <= 2 && strings.ContainsAny(prefix, "rRbB")
}
