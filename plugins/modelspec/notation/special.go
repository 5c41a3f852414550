package notation

import (
	"slices"
	"strings"

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

// at finds a special token at text[i], which is "<", and the backslashes behind the "<". n is the length of both, or 0 where
// there is no token.
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
	end := 1
	for end < len(rest) && isTokenName(rest[end]) {
		end++
	}
	if end == 1 || !strings.HasPrefix(rest[end:], "|>") {
		return 0, 0
	}
	return from - i - 1, from - i + end + len("|>")
}

func isTokenName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
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
	var b []byte
	from := 0
	for i := strings.IndexByte(text, '<'); i >= 0; {
		_, size := s.at(text, i)
		if size > 0 {
			b = append(b, text[from:i]...)
			if b = append(b, `\u003c`...); !code {
				b = append(b[:len(b)-len(`\u003c`)], `<\`...)
			}
			from = i + 1
			n++
		}
		next := strings.IndexByte(text[i+1:], '<')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if n == 0 {
		return text, 0
	}
	return jsontext.View(append(b, text[from:]...)), n
}

// unescape removes the backslashes that escapeText added.
func (s *Special) unescape(text string) string {
	var b []byte
	from := 0
	for i := range len(text) {
		if text[i] != '<' {
			continue
		}
		if backslashes, size := s.at(text, i); size > 0 && backslashes > 0 {
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
	for i := range len(text) {
		if text[i] != '<' {
			continue
		}
		if backslashes, size := s.at(text, i); size > 0 && backslashes == 0 {
			return i, i + size
		}
	}
	return len(text), len(text)
}

// isCode reports whether \u003c in a string of the language is "<".
func isCode(language string) bool {
	switch language {
	case "json", "jsonl", "yaml", "python", "javascript", "typescript":
		return true
	}
	return false
}

// looksLikeJSON reports whether a result, which has no format, begins and ends like an object or a list.
func looksLikeJSON(text string) bool {
	text = strings.TrimFunc(text, jsontext.IsSpace)
	return len(text) > 1 && (text[0] == '{' && text[len(text)-1] == '}' || text[0] == '[' && text[len(text)-1] == ']')
}
