package notation

import (
	"iter"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// The special tokens of token text.
const (
	RoleToken       = "<|role|>"
	FormatToken     = "<|format|>"
	ContentToken    = "<|content|>"
	EndTurnToken    = "<|end_turn|>"
	EndMessageToken = "<|end_message|>" // of the authors' later notation
)

// Tokens lists the special tokens in the order in which a message has them.
var Tokens = []string{RoleToken, FormatToken, ContentToken, EndMessageToken, EndTurnToken}

// Special finds texts in contents that a tokenizer would read as special tokens. The zero value finds everything of the
// shape <|name|>; a list finds Tokens and its own entries, each of which begins with "<".
type Special struct{ list []string }

// specialOf returns a Special with a list, or the zero value for an empty list.
func specialOf(list []string) Special {
	if len(list) == 0 {
		return Special{}
	}
	return Special{slices.Concat(Tokens, list)}
}

// A token is a special token in a text: how many backslashes are behind its "<", and its length with them.
type token struct{ backslashes, size int }

// tokens iterates over the special tokens of a text and their offsets.
func (s *Special) tokens(text string) iter.Seq2[int, token] {
	return func(yield func(int, token) bool) {
		for i := range len(text) {
			if text[i] != '<' {
				continue
			}
			if backslashes, size := s.at(text, i); size > 0 && !yield(i, token{backslashes, size}) {
				return
			}
		}
	}
}

// at finds a special token at text[i], which is "<". n is its length with the backslashes behind the "<", or 0 for no token.
func (s *Special) at(text string, i int) (backslashes, n int) {
	from := i + 1
	for from < len(text) && text[from] == '\\' {
		from++
	}
	rest := text[from:]
	for _, token := range s.list {
		if strings.HasPrefix(rest, token[1:]) {
			return from - i - 1, from - i + len(token) - 1
		}
	}
	if s.list != nil || rest == "" || rest[0] != '|' {
		return 0, 0
	}
	const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	end := len(rest) - len(strings.TrimLeft(rest[1:], nameBytes))
	if end == 1 || !strings.HasPrefix(rest[end:], "|>") {
		return 0, 0
	}
	return from - i - 1, from - i + end + len("|>")
}

// may reports whether a body without escapes of "<" may hold a special token. Most do not.
func (s *Special) may(body jsontext.Body) bool {
	for rest := string(body); ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 || i+1 == len(rest) {
			return false
		}
		if c := rest[i+1]; c == '|' || c == '\\' || s.list != nil {
			return true
		}
		rest = rest[i+1:]
	}
}

// escapeText escapes the special tokens of a text and counts them. It puts a backslash behind the "<", and one more where there
// are backslashes already, so that unescape can restore the text. In code, where \u003c in a string is "<", it replaces the
// "<" by that.
func (s *Special) escapeText(text string, code bool) (escaped string, n int) {
	escape := `<\`
	if code {
		escape = `\u003c`
	}
	var b []byte
	from := 0
	for i := range s.tokens(text) {
		b = append(append(b, text[from:i]...), escape...)
		from = i + 1
		n++
	}
	if n == 0 {
		return text, 0
	}
	return jsontext.View(append(b, text[from:]...)), n
}

func (s *Special) unescape(text string) string {
	var b []byte
	from := 0
	for i, t := range s.tokens(text) {
		if t.backslashes > 0 {
			b = append(b, text[from:i+1]...)
			from = i + 2
		}
	}
	if b == nil {
		return text
	}
	return jsontext.View(append(b, text[from:]...))
}

// next returns the offsets of the first special token in a text that is not escaped, or twice the length of the text.
func (s *Special) next(text string) (at, end int) {
	for i, t := range s.tokens(text) {
		if t.backslashes == 0 {
			return i, i + t.size
		}
	}
	return len(text), len(text)
}

// isCode reports whether \u003c in a string of the language is "<".
func isCode(language string) bool {
	return slices.Contains([]string{"json", "jsonl", "yaml", "python", "javascript", "typescript"}, language)
}

// looksLikeJSON reports whether a result, which has no format, begins and ends like an object or a list.
func looksLikeJSON(text string) bool {
	text = strings.TrimFunc(text, jsontext.IsSpace)
	return len(text) > 1 && (text[0] == '{' && text[len(text)-1] == '}' || text[0] == '[' && text[len(text)-1] == ']')
}

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

var yamlOldWord = Pattern(`^(?:[-+]?\.?[0-9].*|[-+]?\.(?i:inf|nan)|=|<<)$`)

// ambiguous reports whether a value of YAML holds a text, such as "no" or "007", that older versions of YAML take for a boolean
// or a number unless it was quoted, which the value does not show.
func ambiguous(value jsontext.JSON, depth int) bool {
	isOld := func(text string) bool { return yamlReserved[strings.ToLower(text)] || yamlOldWord().MatchString(text) }
	if body, ok := value.Quoted(); ok {
		return isOld(body.Text())
	}
	found := depth > yamlDepth
	for key, member := range value.Members() {
		found = found || isOld(key) || ambiguous(member, depth+1)
	}
	return found || anyElement(value, func(e jsontext.JSON) bool { return ambiguous(e, depth+1) })
}

// spellable reports whether every special token of a Python text is in a comment or in a string in which \u003c is "<".
func (s *Special) spellable(text string) bool {
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			i += len(firstLine(text[i:]))
		case '"', '\'':
			n, _ := stringLiteral(text[i:], true)
			for range s.tokens(text[i : i+n]) {
				if isRaw(text[:i]) {
					return false
				}
			}
			i += n
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

// stringLiteral returns the length of the string literal, without its prefix, at the beginning of a text. One in three quotes,
// where the language has them, may take several lines. ended is false for a literal that its line or the text ends.
func stringLiteral(text string, triple bool) (length int, ended bool) {
	quote := text[:1]
	if triple && strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote), true
		case text[i] == '\n' && len(quote) == 1:
			return i, false
		}
	}
	return len(text), false
}

// isRaw reports whether a text ends with the prefix of a raw string or of bytes, which have no \u escapes.
func isRaw(before string) bool {
	prefix := before[len(strings.TrimRight(before, "rRbBfFuUtT")):]
	word := len(before) > len(prefix) && toolschema.IsIdentifier("_"+before[len(before)-len(prefix)-1:len(before)-len(prefix)])
	return !word && len(prefix) <= 2 && strings.ContainsAny(prefix, "rRbB")
}
