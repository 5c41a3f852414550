package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A spelling is a JSON text with the escapes alone that JSON requires, so that what is found in it does not depend on who wrote it. Most
// texts have no other.
type spelling struct {
	text     string
	original string // "" for the text itself
	reached  place
}

// spell returns the spelling of the text of a map.
func spell(m *recognise.Map) spelling {
	if m.Escapes()&prefilter.OwnEscapes == 0 {
		return spelling{text: m.Text}
	}
	text := respell(make([]byte, 0, len(m.Text)), m.Text)
	return spelling{text: jsontext.View(text), original: m.Text}
}

// isOther reports whether the text is not the original.
func (s *spelling) isOther() bool { return s.original != "" }

// origin returns the offset in the original of an offset in the text.
func (s *spelling) origin(at int) int {
	if !s.isOther() {
		return at
	}
	s.reached.move(at, s.original, func(char string) int { return len(escaped(char)) })
	return s.reached.rawAt
}
