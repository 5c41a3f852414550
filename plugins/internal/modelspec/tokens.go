package modelspec

import (
	"fmt"
	"strings"
)

// The special tokens of the document's token text.
const (
	roleToken    = "<|role|>"
	nameToken    = "<|name|>" // of the later role "context"
	formatToken  = "<|format|>"
	contentToken = "<|content|>"
	endTurnToken = "<|end_turn|>"
)

// AppendTokens appends a thread as token text: the fields of each message in the order of the document, each behind
// its token, and <|end_turn|> where a turn ends. What looks like a special token in a text is escaped, see Escape.
func AppendTokens(dst []byte, messages []Message) []byte {
	for _, m := range messages {
		dst = append(append(dst, roleToken...), m.Role...)
		if m.Name != "" {
			dst = append(append(dst, nameToken...), Escape(m.Name)...)
		}
		if m.Role == "assistant" {
			dst = append(append(dst, formatToken...), Escape(m.Format)...)
		}
		dst = append(append(dst, contentToken...), Escape(m.Content)...)
		if m.EndTurn {
			dst = append(dst, endTurnToken...)
		}
	}
	return dst
}

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
	for i, part := range strings.Split(text, roleToken)[1:] {
		head, rest, ok := strings.Cut(part, contentToken)
		if !ok {
			return nil, faultf(fmt.Sprint(i), "want %s, have none", contentToken)
		}
		m := Message{}
		head, format, hasFormat := strings.Cut(head, formatToken)
		role, name, _ := strings.Cut(head, nameToken)
		role, known := roleOf(strings.TrimSpace(role))
		m.Role, m.Name, m.Format = role, Unescape(strings.TrimSpace(name)), Unescape(strings.TrimSpace(format))
		switch {
		case !known:
			return nil, faultf(fmt.Sprint(i), "want platform, developer, user, assistant or tool, have another role")
		case (role == "assistant") != hasFormat:
			return nil, faultf(fmt.Sprint(i), "want %s in assistant messages and in no others", formatToken)
		}
		content, after, ended := strings.Cut(rest, endTurnToken)
		if ended && strings.TrimSpace(after) != "" {
			return nil, faultf(fmt.Sprint(i), "want %s or the end behind %s, have other text", roleToken, endTurnToken)
		}
		m.Content, m.EndTurn = Unescape(content), ended
		messages = append(messages, m)
	}
	return messages, nil
}
