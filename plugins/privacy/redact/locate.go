package redact

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Locate returns where the code points start to end of the value at a path are in a text. The path is that of a ledger row without
// the path of the text: empty for the text itself, and with @fromstr before a path in its JSON. ok is false for a key, and below
// a key that the path does not show.
func Locate(text, path string, inKey bool, start, end int) (from, to int, ok bool) {
	if path == "" {
		return start, end, !inKey
	}
	path, ok = strings.CutPrefix(path, "@fromstr.")
	if !ok || inKey {
		return 0, 0, false
	}
	path, inner, deeper := strings.Cut(path, ".@fromstr.")
	value := gjson.Get(text, path)
	if !value.Exists() || value.Index == 0 {
		return 0, 0, false
	}
	if value.Type != gjson.String {
		before := utf8.RuneCountInString(text[:value.Index])
		return before + start, before + end, true
	}
	t := Decode(text[value.Index+1:value.Index+len(value.Raw)-1], value.Index+1)
	if deeper {
		if start, end, ok = Locate(t.Decoded, "@fromstr."+inner, inKey, start, end); !ok {
			return 0, 0, false
		}
	}
	place := func(runes int) int {
		at := t.InDocument(byteOf(t.Decoded, runes))
		return utf8.RuneCountInString(text[:at])
	}
	return place(start), place(end), true
}

// byteOf returns the byte offset of a code point.
func byteOf(text string, runes int) int {
	for at := range text {
		if runes == 0 {
			return at
		}
		runes--
	}
	return len(text)
}
