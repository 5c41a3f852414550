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

// Tokens are all of them, in the order in which a message has them.
var Tokens = []string{RoleToken, FormatToken, ContentToken, EndMessageToken, EndTurnToken}

// Special are the texts that may not stand in token text by chance, since a tokenizer would read them as special tokens.
// The zero value takes everything of the shape <|name|> for one; a list takes Tokens and those in it, each of which begins
// with "<".
type Special struct{ list []string }

// SpecialOf makes a list, or the zero value of none.
func SpecialOf(list []string) Special {
	if len(list) == 0 {
		return Special{}
	}
	return Special{slices.Concat(Tokens, list)}
}

// at tells whether a special token stands at text[i], which is "<", with some backslashes behind the "<" or none. n is how
// long it is with those, 0 where none stands.
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

// may tells whether a body that spells "<" as itself may hold a special token. Most do not.
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

// Escape makes sure that a text holds no special token and counts those it had: a backslash goes behind the "<", and one
// more where backslashes stand there already, so that Unescape gives the text back. In code, that is a language in which
// \u003c in a string is "<", that takes the place of the "<" instead.
func (s *Special) Escape(text string, code bool) (escaped string, n int) {
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

// Unescape takes out the backslashes that Escape put in.
func (s *Special) Unescape(text string) string {
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

// next finds the first special token in a text that is not escaped: where it stands, and behind it.
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

// isCode tells whether \u003c in a string of a language is "<".
func isCode(language string) bool {
	switch language {
	case "json", "jsonl", "yaml", "python", "javascript", "typescript":
		return true
	}
	return false
}

// looksLikeJSON tells whether the result of a tool, which has no format, is an object or a list by its ends.
func looksLikeJSON(text string) bool {
	text = strings.TrimFunc(text, jsontext.IsSpace)
	return len(text) > 1 && (text[0] == '{' && text[len(text)-1] == '}' || text[0] == '[' && text[len(text)-1] == ']')
}
