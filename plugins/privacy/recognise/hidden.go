package recognise

import (
	"fmt"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/plaintext"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
)

// addDress adds clues of dress that may hide an anchor: %40, &#64;, full-width digits, a colour inside of a word.
func (e *Engine) addDress() {
	hide := func(text, next string, counts func(raw string, at int) bool) {
		e.add(prefilter.Anchor{Text: text, Next: next, Fold: true}, handler{try: clue.try, counts: counts})
	}
	for _, high := range []byte("234567cde") {
		hide("%"+string(high), ascii.HexDigits, isPercentCode)
	}
	hide(`\x`, "1234567", nil)
	hide("&#", "0123456789xX", nil)
	for _, esc := range []string{`\033[`, `\e[`, "^[[", "^[]", "__:", ":__"} {
		hide(esc, "", nil)
	}
	for _, name := range slices.Sorted(maps.Keys(plaintext.Entities)) {
		hide("&"+name+";", "", nil)
	}
	hide("</", ascii.Bytes("A-Za-z"), nil)
	hide(`\\u`, ascii.HexDigits, nil) // an escape in code
	e.addForeign()
}

// addForeign adds the characters that read as others as clues. Of three bytes it takes the first two with those that may be the third, and
// digits of two bytes as the end of one and the beginning of the next, which makes few stops.
func (e *Engine) addForeign() {
	partOfWord := handler{try: clue.try, counts: isPartOfWord}
	third := map[string][]byte{}
	for r := range plaintext.Hidden().Each {
		if r>>12 > 9 && r>>8&15 > 9 && r>>4&15 > 9 && r&15 > 9 { // its escape has no digit
			e.addAsItIs(prefilter.Anchor{Text: fmt.Sprintf(`\u%x`, r), Fold: true}, clue)
		}
		switch text := string(r); {
		case len(text) == 3:
			third[text[:2]] = append(third[text[:2]], text[2])
		case unicode.IsDigit(r):
			zero := string(r - rune(plaintext.DigitValue(r)))
			e.addAsItIs(prefilter.Anchor{Text: text[1:] + text[:1], Prev: text[:1], Next: ascii.Bytes(zero[1:] + "-" + string([]byte{zero[1] + 9}))}, clue)
		default:
			e.addAsItIs(prefilter.Anchor{Text: text, Next: ascii.Bytes("0-9A-Za-z")}, partOfWord)
		}
	}
	for _, first := range slices.Sorted(maps.Keys(third)) {
		e.addAsItIs(prefilter.Anchor{Text: first, Next: string(third[first])}, partOfWord)
	}
}

// isPartOfWord reports whether the character at at is a part of a word.
func isPartOfWord(raw string, at int) bool {
	r, size := utf8.DecodeRuneInString(raw[at:])
	if !plaintext.Hides(r) {
		return false
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '＠' {
		return true
	}
	end := at + size
	return at > 0 && end < len(raw) && raw[at-1] > ' ' && (ascii.IsAlnum(raw[end]) || raw[end] >= utf8.RuneSelf && size > 2) && (r != '\ufe0f' || ascii.IsAlnum(raw[at-1]))
}

// isPercentCode reports whether two hexadecimal digits follow a percent sign.
func isPercentCode(raw string, at int) bool { return at+2 < len(raw) && ascii.IsHex(raw[at+2]) }
