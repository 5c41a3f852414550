package modelspec

import (
	"fmt"
	"strings"
)

// The special tokens of the document's token text.
const (
	RoleToken    = "<|role|>"
	NameToken    = "<|name|>" // of the later role "context"
	FormatToken  = "<|format|>"
	ContentToken = "<|content|>"
	EndTurnToken = "<|end_turn|>"
)

// Escape makes sure that a text holds no special token: it puts a backslash into every "<|", and one more where
// backslashes stand there already, so that Unescape gives the text back.
func Escape(text string) string { return shift(text, true) }

// Unescape takes out what Escape put in.
func Unescape(text string) string { return shift(text, false) }

// shift adds or takes one backslash wherever "<", backslashes and "|" follow each other.
func shift(text string, add bool) string {
	var b []byte
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '<' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] == '\\' {
			end++
		}
		if end == len(text) || text[end] != '|' || !add && end == i+1 {
			continue
		}
		b = append(b, text[from:i+1]...)
		from = i + 1
		if add {
			b = append(b, '\\')
		} else {
			from++
		}
	}
	if from == 0 {
		return text
	}
	return string(append(b, text[from:]...))
}

// HasToken tells whether a text holds what could be a special token.
func HasToken(text string) bool {
	i := strings.Index(text, "<|")
	return i >= 0 && strings.Contains(text[i:], "|>")
}

// ParseTokens reads token text. A mistake is a *Fault whose path is the message's index.
func ParseTokens(text string) ([]Message, error) {
	var messages []Message
	for i, part := range strings.Split(text, RoleToken)[1:] {
		head, rest, ok := strings.Cut(part, ContentToken)
		if !ok {
			return nil, faultf(fmt.Sprint(i), "want %s, have none", ContentToken)
		}
		m := Message{}
		head, format, hasFormat := strings.Cut(head, FormatToken)
		role, name, _ := strings.Cut(head, NameToken)
		role, known := roleOf(strings.TrimSpace(role))
		m.Role, m.Name, m.Format = role, Unescape(strings.TrimSpace(name)), Unescape(strings.TrimSpace(format))
		switch {
		case !known:
			return nil, faultf(fmt.Sprint(i), "want platform, developer, user, assistant or tool, have another role")
		case (role == "assistant") != hasFormat:
			return nil, faultf(fmt.Sprint(i), "want %s in assistant messages and in no others", FormatToken)
		}
		content, after, ended := strings.Cut(rest, EndTurnToken)
		if ended && strings.TrimSpace(after) != "" {
			return nil, faultf(fmt.Sprint(i), "want %s or the end behind %s, have other text", RoleToken, EndTurnToken)
		}
		m.Content, m.EndTurn = Unescape(content), ended
		messages = append(messages, m)
	}
	return messages, nil
}
