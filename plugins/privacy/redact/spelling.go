package redact

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A spelling is a JSON text with the escapes alone that JSON requires, so that what is found in it does not depend on who wrote it. Most
// texts have no other.
type spelling struct {
	text      string
	original  string // "" for the text itself
	at, rawAt int    // an offset in the text, and the same place in the original
}

// spell returns the spelling of the text of a map.
func spell(m *recognise.Map) spelling {
	if m.Escapes()&recognise.OwnEscapes == 0 {
		return spelling{text: m.Text}
	}
	text := recognise.AppendPlain(make([]byte, 0, len(m.Text)), m.Text)
	return spelling{text: jsontext.View(text), original: m.Text}
}

// isOther reports whether the text is not the original.
func (s *spelling) isOther() bool { return s.original != "" }

// origin returns the offset in the original of an offset in the text. Calls from left to right cost one pass.
func (s *spelling) origin(at int) int {
	if !s.isOther() {
		return at
	}
	if at < s.at {
		s.at, s.rawAt = 0, 0
	}
	for s.at < at {
		plain := strings.IndexByte(s.original[s.rawAt:min(len(s.original), s.rawAt+at-s.at)], '\\')
		if plain < 0 {
			s.rawAt += at - s.at
			s.at = at
			break
		}
		char, size := jsontext.Unescape(jsontext.Body(s.original[s.rawAt+plain:]))
		s.at += plain + len(escaped(string(char)))
		s.rawAt += plain + size
	}
	return s.rawAt
}
