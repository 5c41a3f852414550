package prefilter

import (
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// Escapes are those of a JSON text that JSON does not require, as encoders write them: \u003c for <, \u00e9 for é, \/ for a slash.
type Escapes uint8

const (
	OwnEscapes   Escapes = 1 << iota // in its strings
	InnerEscapes                     // perhaps in JSON in its strings, where their backslashes are escaped
)

// Escapes returns which escapes a JSON text has that JSON does not require.
func (m *Map) Escapes() Escapes {
	switch {
	case m.isLong():
		if !m.knowsEscapes {
			m.escapes, m.knowsEscapes = EscapesIn(m.Text), true
		}
	case len(m.blocks) == 0 && m.Text != "":
		m.load(0)
	}
	return m.escapes
}

// isLong reports whether the text is longer than the window.
func (m *Map) isLong() bool { return len(m.Text) > windowBlocks*BlockSize }

// EscapesIn is Escapes for a text that has no map, or a long one.
func EscapesIn(text string) (found Escapes) {
	for at := strings.IndexByte(text, '\\'); at >= 0 && at < len(text); {
		end := ascii.Forward(text, at, len(text), ascii.Backslashes)
		found |= escapeAt(text, end, (end-at)%2 == 1)
		next := strings.IndexByte(text[end:], '\\')
		if next < 0 {
			break
		}
		at = end + next
	}
	return found
}

// noteEscapes notes the escapes of a block. ends has a bit for each byte right behind backslashes, and escaped for each behind an odd number
// of them.
func (m *Map) noteEscapes(block int, ends, escaped uint64) {
	for ; ends != 0; ends &= ends - 1 {
		if at := block*BlockSize + bits.TrailingZeros64(ends); at < len(m.Text) && (m.Text[at] == 'u' || m.Text[at] == '/') {
			m.escapes |= escapeAt(m.Text, at, escaped&(ends&-ends) != 0)
		}
	}
}

// escapeAt returns what the byte at at, which is behind backslashes, makes of them.
func escapeAt(text string, at int, own bool) Escapes {
	switch {
	case at == len(text) || text[at] != '/' && (text[at] != 'u' || ascii.Forward(text, at+1, 4, ascii.HexSet) < at+5 || isControl(text[at:])):
		return 0
	case own:
		return OwnEscapes
	}
	return InnerEscapes
}

// isControl reports whether a text is behind the backslash of an escape that JSON requires, such as \u001b.
func isControl(text string) bool {
	if len(text) < 5 || text[:3] != "u00" {
		return false
	}
	return text[3] == '1' && strings.IndexByte("0123456789abcdef", text[4]) >= 0 || text[3] == '0' && strings.IndexByte("01234567bef", text[4]) >= 0
}

// EscapeAround returns where the escape with four hexadecimal digits begins that the byte at j of a JSON string is one of, or -1.
func EscapeAround(raw string, j int) int {
	for at := j - 2; at >= max(0, j-5); at-- {
		if raw[at] == '\\' && raw[at+1] == 'u' && at+6 <= len(raw) && (at-ascii.Back(raw, at, at, ascii.Backslashes))%2 == 0 {
			return at
		}
	}
	return -1
}
