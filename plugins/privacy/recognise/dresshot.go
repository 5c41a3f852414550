package recognise

import (
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// addDress makes strings hot whose dress may hide an anchor: %40, &#64;, full-width digits, a colour inside of a word.
func (e *Engine) addDress() {
	hide := func(text, next string, hot func(e *Engine, raw string, at int) bool) {
		e.add(anchor{text: text, next: next, fold: true, try: func(*Scan, int) {}, hot: hot})
	}
	pages := e.pages
	for _, high := range []byte("234567cde") {
		hide("%"+string(high), hexDigits, hotPercent)
	}
	hide(`\x`, "1234567", nil)
	for _, esc := range []string{`\033`, `\e[`, "^[", "&#", "__:", ":__"} {
		hide(esc, "", nil)
	}
	for _, name := range slices.Sorted(maps.Keys(entities)) {
		hide("&"+name+";", "", nil)
	}
	hide("</", rules.Bytes("A-Za-z"), nil)
	for _, text := range foreignAnchors() {
		e.add(anchor{text: text, try: func(*Scan, int) {}, hot: hotForeign})
	}
	e.pages = pages
}

// foreignAnchors are the first bytes, two or more, of the characters that read as others.
func foreignAnchors() (texts []string) {
	seen := map[string]bool{}
	note := func(r rune) {
		if text := string(r); text != "" {
			if text = text[:max(2, len(text)-1)]; !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	for r := rune(0x80); r <= 0xffff; r++ {
		if hides(r) {
			note(r)
		}
	}
	return texts
}

// hides reports whether a character reads as a letter, a digit or an @, or as nothing.
func hides(r rune) bool {
	out, ok := plainRune(r)
	return ok && (out == "" || out == "@" || isAlnum(out[0]) || r == '‐' || r == '‑')
}

// hotForeign reports whether the character at at is a part of a word.
func hotForeign(_ *Engine, raw string, at int) bool {
	r, size := utf8.DecodeRuneInString(raw[at:])
	if !hides(r) {
		return false
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '＠' {
		return true
	}
	end := at + size
	return at > 0 && end < len(raw) && raw[at-1] > ' ' && (isAlnum(raw[end]) || raw[end] >= utf8.RuneSelf || raw[end] == '\\') && (r != '\ufe0f' || isAlnum(raw[at-1]))
}

// hotPercent reports whether two hexadecimal digits follow a percent sign.
func hotPercent(_ *Engine, raw string, at int) bool { return at+2 < len(raw) && isHex(raw[at+2]) }
