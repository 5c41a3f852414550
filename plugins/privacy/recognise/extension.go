package recognise

import (
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// extensionForm is what separates a number from its extension.
var extensionForm = shape.Compiled(`^(?i:[ ,;]{0,2}(?:` + strings.Join(extensionWords, "|") + `)[ .:]{0,2}|[ ]?x[ ]?\.?[ ]?|[ ]?#[ ]?)[0-9]{1,6}`)

// extensionWords are patterns of the words for an extension. Those of ASCII begin with three letters.
var extensionWords = []string{"extension", `extn?\.?`, `ext\.?:`, "durchwahl", "poste", "interno", `int\.`, "ramal", `wew\.?`, "內線", "内线", "分机", "分機", "toestel"}

// withExtension returns the end of a number with its extension.
func (s *Scan) withExtension(end int) int {
	rest := s.s[end:min(len(s.s), end+32)]
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == ' ' || c == ',' || c == ';':
			if i < 2 {
				continue
			}
			return end
		case c == '#', c >= 0x80, c|0x20 == 'x', beginsExtension(rest[i:]):
		default:
			return end
		}
		break
	}
	if loc := extensionForm().FindStringIndex(rest); loc != nil && !ascii.IsWord(s.after(end+loc[1])) {
		return end + loc[1]
	}
	return end
}

// extensionStarts are the first letters of those of ASCII.
var extensionStarts = func() (set [256]bool) {
	for _, word := range extensionWords {
		set[word[0]] = word[0] < utf8.RuneSelf
	}
	return set
}()

// beginsExtension reports whether a text may begin with one of extensionWords.
func beginsExtension(text string) bool {
	if !extensionStarts[text[0]|0x20] {
		return false
	}
	if len(text) > 2 && text[1]|text[2] >= utf8.RuneSelf { // which may be in any case
		return true
	}
	for _, word := range extensionWords {
		if startsSmall(text, word[:3]) {
			return true
		}
	}
	return false
}
