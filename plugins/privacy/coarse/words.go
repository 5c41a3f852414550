package coarse

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// suspectTables find the words of the kinds.
type suspectTables struct {
	kinds  []suspicion
	words  [1 << 10][]suspectWord // by their first two bytes
	pairs  [1 << 10]int           // the kinds that have a word with these
	starts [1 << 15]int32         // the kinds that have a word with such first three letters, of five bits each
}

// suspects are made by the first look, and not by every process at its start.
var suspects = sync.OnceValue(func() *suspectTables {
	t := &suspectTables{kinds: append(slices.Clip(suspicions), suspicion{"token of a service", rules.GenericSecret, 24, announcing()})}
	for i, s := range t.kinds {
		for _, word := range s.words {
			t.add(i, word)
		}
	}
	return t
})

func (t *suspectTables) add(kind int, word string) {
	text := strings.ReplaceAll(word, "|", "")
	p := pairOf(text[0], text[1])
	whole := strings.HasSuffix(word, "|")
	t.words[p] = append(t.words[p], suspectWord{text, whole, whole || word[0] == '|', kind})
	t.pairs[p] |= 1 << kind
	if strings.ContainsFunc(text[:min(len(text), 3)], func(r rune) bool { return r >= utf8.RuneSelf }) {
		return // found by the bytes of its letters
	}
	start := letterCode(text[0])<<10 | letterCode(text[1])<<5
	if len(text) == 2 {
		for third := range 32 {
			t.starts[start|third] |= 1 << kind
		}
		return
	}
	t.starts[start|letterCode(text[2])] |= 1 << kind
}

// mayBegin reports whether a word of some kinds may be in a text whose third letter of it is at at. Signs and digits may be between the
// letters.
func (t *suspectTables) mayBegin(kinds int32, text string, at int) bool {
	first := at
	for letters := 1; letters < 3; {
		if first--; text[first] != '.' {
			letters++
		}
	}
	text = text[first:min(len(text), first+windowBytes)]
	second := strings.TrimLeft(text[1:], ".")
	for _, w := range t.words[pairOf(text[0]|0x20, second[0]|0x20)] {
		if kinds>>w.of&1 != 0 && w.mayBegin(text) {
			return true
		}
	}
	return false
}

// mayBegin reports whether a text may begin with the word, which is so where other letters than ASCII's follow.
func (w *suspectWord) mayBegin(text string) bool {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case n == len(w.text):
			return !w.whole || letterCode(c) == 0
		case letterCode(c) == 0:
			if c >= utf8.RuneSelf || c == '\\' || c == '%' || c == '[' { // of other letters, an escape or a colour
				return true
			}
		case c|0x20 != w.text[n]:
			return false
		default:
			n++
		}
	}
	return n == len(w.text)
}

// letterCode returns the number of a letter of ASCII in the alphabet, and 0 for any other byte.
func letterCode(c byte) int { return int(letterCodes[c] &^ special) }

// special marks the bytes that mayAnnounce treats on their own.
const special = 1 << 5

var letterCodes = func() (codes [256]uint8) {
	for c := range byte(26) {
		codes['a'+c], codes['A'+c] = c+1, c+1
	}
	for _, c := range []byte(".u" + ascii.Bytes("\x80-\xff")) {
		codes[c] |= special
	}
	return codes
}()

// isLetterEscape reports whether the u at at is of an escape that may be a letter: of any but a control character.
func isLetterEscape(text string, at int) bool {
	return at > 0 && text[at-1] == '\\' && !(at+3 < len(text) && text[at+1] == '0' && text[at+2] == '0' && text[at+3] < '2')
}

// mayAnnounce reports whether a word of one of the kinds may begin in a JSON text. It may be true in vain. Dots may be between
// letters, and other letters than ASCII's are in no table.
func mayAnnounce(text string, kinds int) bool {
	last, sought, t := 0, int32(kinds), suspects()
	for i := range len(text) {
		c := text[i]
		code := letterCodes[c]
		if code&special != 0 {
			if c == '.' {
				continue
			}
			if c >= utf8.RuneSelf || isLetterEscape(text, i) {
				return true
			}
		}
		last = (last<<5 | int(code&^special)) & (1<<15 - 1)
		if found := t.starts[last] & sought; found != 0 && t.mayBegin(found, text, i) {
			return true
		}
	}
	return last&31 != 0 && t.starts[last<<5&(1<<15-1)]&sought != 0
}

// Announcements are how far a JSON text was read for words of all kinds, and where the last of them may have begun. So many
// values in a row cost one reading of the text.
type announcements struct {
	from, to, last int
	letters        int // the last three
}

// mayPrecede reports whether a word of any kind may begin among the bytes before doc[at] in which near looks for one.
func (a *announcements) mayPrecede(doc string, from, at int) bool {
	start := max(from, at-windowBytes)
	if at > start && (doc[at-1] == '"' || doc[at-1] == ':') { // a whole value, of whose member little is before it
		if begin := clauseStart(doc, start, at); begin > start {
			return mayAnnounce(doc[begin:at], -1)
		}
	}
	if start < a.from || start > a.to {
		*a = announcements{start, start, -1, 0}
	}
	t := suspects()
	for i := a.to; i < at; i++ {
		c := doc[i]
		code := letterCodes[c]
		if code&special != 0 {
			if c == '.' {
				continue
			}
			if c >= utf8.RuneSelf || isLetterEscape(doc, i) {
				a.last = i
			}
		}
		a.letters = (a.letters<<5 | int(code&^special)) & (1<<15 - 1)
		if kinds := t.starts[a.letters]; kinds != 0 && t.mayBegin(kinds, doc, i) {
			a.last = i
		}
	}
	if at < a.to {
		return true
	}
	a.to = at
	return a.last >= start || t.starts[a.letters<<5&(1<<15-1)] != 0
}

// clauseStart returns where the clause or member of doc[at] begins if no word before that reaches at, as in "id":"x" for the x, or
// start. It passes nothing over that another reading might take for other letters.
func clauseStart(doc string, start, at int) int {
	var letters [len("content") + 1]byte // the last ones, from the end
	n := 0
	for i := at - 1; i >= start; i-- {
		switch c := doc[i]; {
		case (c|0x20)-'a' < 26:
			if n++; n <= len(letters) {
				letters[len(letters)-n] = c | 0x20
			}
		case clauseSet[c]:
			if n > len(letters) || n > 0 && !namesOnlyValue(string(letters[len(letters)-n:])) {
				return i + 1
			}
			return start
		case c == '\\' && (doc[i+1] == '"' || doc[i+1] == '\\'): // of JSON in a string
		case otherReading[c], c == '.' && doc[i+1] == ' ': // where a sentence ends
			return start
		}
	}
	return start
}

// otherReading are bytes of escapes, colours and other letters than ASCII's.
var otherReading = ascii.Set("\\%[" + ascii.Bytes("\x00-\x1f\x80-\xff"))
