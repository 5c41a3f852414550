package recognise

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/sdk/jsontext"
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
			m.escapes, m.knowsEscapes = escapesIn(m.Text), true
		}
	case len(m.blocks) == 0 && m.Text != "":
		m.load(0)
	}
	return m.escapes
}

// isLong reports whether the text is longer than the window.
func (m *Map) isLong() bool { return len(m.Text) > windowBlocks*blockSize }

// escapesIn is Escapes for a text that has no map, or a long one.
func escapesIn(text string) (found Escapes) {
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

// noteEscapes notes those of a block of the text, of whose bytes behind backslashes ends has the bits, and escaped those behind an odd
// number of them.
func (m *Map) noteEscapes(block int, ends, escaped uint64) {
	for ; ends != 0; ends &= ends - 1 {
		if at := block*blockSize + bits.TrailingZeros64(ends); at < len(m.Text) && (m.Text[at] == 'u' || m.Text[at] == '/') {
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

// AppendPlain appends a JSON text, or a part of one, with the escapes alone that JSON requires: so all spellings of a text become one.
func AppendPlain(dst []byte, text string) []byte { return appendPlain(dst, text, 1) }

// deepest is the most strings around JSON whose escapes AppendAllPlain reads.
const deepest = 4

// AppendAllPlain is AppendPlain for JSON in strings as well. It takes each text in a string for such JSON, since who reads letters only
// need not tell them apart.
func AppendAllPlain(dst []byte, text string) []byte {
	from := len(dst)
	dst = appendPlain(dst, text, 1)
	for unit := 2; unit < 1<<deepest && escapesIn(jsontext.View(dst[from:])) != 0; unit *= 2 {
		size := len(dst)
		dst = appendPlain(dst, jsontext.View(dst[from:size:size]), unit)
		dst = append(dst[:from], dst[size:]...)
	}
	return dst
}

// appendPlain does so for the escapes whose backslash is unit backslashes in the text.
func appendPlain(dst []byte, text string, unit int) []byte {
	for {
		at := strings.IndexByte(text, '\\')
		if at < 0 {
			return append(dst, text...)
		}
		end := ascii.Forward(text, at, len(text), ascii.Backslashes)
		slashes := end - at
		if slashes%unit != 0 || slashes/unit%2 == 0 || end == len(text) || text[end] != 'u' && text[end] != '/' {
			dst, text = append(dst, text[:end]...), text[end:]
			continue
		}
		slash := text[end-unit : end]
		char, size := unescape(text[end:], slash)
		if char < 0 {
			dst, text = append(dst, text[:end]...), text[end:]
			continue
		}
		dst = appendEscaped(append(dst, text[:end-unit]...), char, slash)
		text = text[end+size:]
	}
}

// unescape returns the character of an escape whose backslash, or as many as its level has, is slash and whose rest begins text, and the size
// of that rest. The character is -1 when it is no escape.
func unescape(text, slash string) (char rune, size int) {
	if text[0] == '/' {
		return '/', 1
	}
	escape := []byte(`\u0000\u0000`)
	n := copy(escape[1:6], text)
	if low, ok := strings.CutPrefix(text[min(len(text), 5):], slash); ok && n == 5 {
		n += 1 + copy(escape[7:], low)
	}
	char, size = jsontext.Unescape(jsontext.Body(escape[:n+1]))
	if size == len(escape) {
		return char, size - 2 + len(slash)
	}
	return char, 5
}

// appendEscaped appends a character of a JSON string with an escape where JSON requires one, whose backslash is so many of them.
func appendEscaped(dst []byte, char rune, slash string) []byte {
	var own [utf8.UTFMax + 2]byte
	body := jsontext.AppendBody(own[:0], string(char))
	if body[0] != '\\' {
		return append(dst, body...)
	}
	dst = append(dst, slash...)
	switch char {
	case '\\':
		return append(dst, slash...)
	case '"':
		return append(append(dst, slash[1:]...), '"')
	}
	return append(dst, body[1:]...)
}
