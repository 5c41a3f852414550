package notation

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// parseTokens reads token text in either notation. It stops at the first mistake, which is a fault at path.
func parseTokens(text, path string) ([]Message, []Fault) {
	p := tokenReader{rest: text, path: path}
	if lead := p.upTo(); strings.TrimSpace(lead) != "" || p.token != RoleToken {
		p.fault("want %s at the beginning", RoleToken)
	}
	for p.token == RoleToken && p.faults == nil {
		p.message()
	}
	return p.messages, p.faults
}

type tokenReader struct {
	special  Special
	rest     string
	path     string
	token    string // the one that was read last, "" at the end
	messages []Message
	faults   []Fault
}

func (p *tokenReader) fault(format string, args ...any) {
	r := reader{}
	r.bad(p.path, format, args...)
	p.faults = append(p.faults, r.Faults...)
}

// upTo reads the text before the next special token, and the token.
func (p *tokenReader) upTo() string {
	at, end := p.special.next(p.rest)
	text := p.rest[:at]
	p.token, p.rest = p.rest[at:end], p.rest[end:]
	return text
}

// message reads a message behind <|role|>. Nothing follows a last <|role|> or one with the name of the assistant, behind which
// the model is to speak.
func (p *tokenReader) message() {
	n := len(p.messages)
	name := strings.TrimSpace(p.upTo())
	if p.token == "" && n > 0 && (name == "" || name == "assistant" || name == "model") {
		return
	}
	m := Message{}
	var ok bool
	if m.Role, m.Later, ok = RoleOf(name); !ok {
		p.fault("want platform, developer, user, assistant or tool in message %d, have an unknown role", n)
		return
	}
	if m.Role == Assistant {
		if p.token != FormatToken {
			p.fault("want %s behind the role of message %d, have %s", FormatToken, n, p.have())
			return
		}
		if m.Format = p.special.unescape(strings.TrimSpace(p.upTo())); !goodName(m.Format) {
			p.fault("want the name of a format, without white space, in message %d", n)
			return
		}
	}
	if p.token != ContentToken {
		p.fault("want %s in message %d, have %s", ContentToken, n, p.have())
		return
	}
	m.Body = jsontext.BodyOf(p.special.unescape(p.upTo()))
	between := ""
	if p.token == EndMessageToken {
		between = p.upTo()
	}
	if p.token == EndTurnToken && m.Role == Assistant {
		m.EndTurn = true
		between += p.upTo()
	}
	switch {
	case strings.TrimSpace(between) != "":
		p.fault("want nothing behind the end of message %d, have text", n)
	case p.token != RoleToken && p.token != "":
		p.fault("want the end of message %d, have %s", n, p.have())
	}
	p.messages = append(p.messages, m)
}

// have names the last token for a fault. A token of the record's own is not shown, since it may hold anything.
func (p *tokenReader) have() string {
	switch {
	case p.token == "":
		return "the end"
	case slices.Contains(Tokens, p.token):
		return p.token
	}
	return "an unknown special token"
}
