package redact

import (
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// respell appends a JSON text, or a part of one, with the escapes alone that JSON requires: so all spellings of a text become one.
func respell(dst []byte, text string) []byte { return respellUnit(dst, text, 1) }

// deepest is the most strings around JSON whose escapes respellAll reads.
const deepest = 4

// respellAll is respell for JSON in strings as well. It takes each text in a string for such JSON, since who reads letters only
// need not tell them apart.
func respellAll(dst []byte, text string) []byte {
	from := len(dst)
	dst = respellUnit(dst, text, 1)
	for unit := 2; unit < 1<<deepest && prefilter.EscapesIn(jsontext.View(dst[from:])) != 0; unit *= 2 {
		size := len(dst)
		dst = respellUnit(dst, jsontext.View(dst[from:size:size]), unit)
		dst = append(dst[:from], dst[size:]...)
	}
	return dst
}

// respellUnit does so for the escapes whose backslash is unit backslashes in the text.
func respellUnit(dst []byte, text string, unit int) []byte {
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
