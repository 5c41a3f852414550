package recognise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A cueSet holds cues of any script by their first byte. In scripts that put spaces between words a cue begins where a word
// does, and a cue of up to shortWord letters is a whole word; a longer one may go on, as Telefon does in Telefonnummer.
type cueSet [256][]string

const shortWord = 4

// noSpaces is the first letter of the scripts that write words without spaces.
const noSpaces = '\u0900'

func newCueSet(words []string) *cueSet {
	var w cueSet
	for _, word := range words {
		if at := &w[word[0]]; !slices.Contains(*at, word) {
			*at = append(*at, word)
		}
	}
	return &w
}

// in reports whether one of the words begins in a lower-case text that follows the rune last.
func (w *cueSet) in(text string, last rune) bool {
	line := strings.IndexByte(text, '\n')
	for i, r := range text {
		if n := w.at(text[i:], last); n > 0 {
			if i+n > line || !strings.ContainsFunc(strings.TrimLeftFunc(text[i+n:line], isWord), isWord) {
				return true
			}
		}
		last = r
	}
	return false
}

// at returns the length of the cue that a lower-case text begins with after the rune last, or 0.
func (w *cueSet) at(text string, last rune) int {
	if text == "" {
		return 0
	}
	for _, word := range w[text[0]] {
		if !strings.HasPrefix(text, word) {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(word); first >= noSpaces {
			return len(word)
		}
		next, size := utf8.DecodeRuneInString(text[len(word):])
		short := utf8.RuneCountInString(word) <= shortWord
		call := next == '(' || next == '.' && short && startsLetter(text[len(word)+size:])
		if !isLetter(last) && !(last-'0' < 10 && last >= '0') && !(short && isLetter(next)) && !call {
			return len(word)
		}
	}
	return 0
}

func isLetter(r rune) bool { return r < noSpaces && unicode.IsLetter(r) }

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isLetter(r)
}

// lead returns up to reach letters before at in its line, or in the line before when at begins one, and the rune before them.
func (s *Scan) lead(at, reach int) (text string, last rune) {
	from := at
	for ; from > 0 && reach > 0; reach-- {
		_, size := utf8.DecodeLastRuneInString(s.s[:from])
		from -= size
	}
	from = s.behindMarker(from, at)
	if nl := strings.LastIndexByte(s.s[from:at], '\n'); nl >= 0 {
		if strings.ContainsFunc(s.s[from+nl:at], isWord) {
			from += nl + 1
		} else if before := strings.LastIndexByte(s.s[from:from+nl], '\n'); before >= 0 {
			from += before + 1
		}
	}
	last, size := utf8.DecodeLastRuneInString(s.s[:from])
	if size == 0 {
		last = 0
	}
	return strings.ToLower(s.s[from:at]), last
}

// behindMarker returns the end of the last marker in s[from:at], or from: a cue before it was for what the marker replaced.
func (s *Scan) behindMarker(from, at int) int {
	if end := strings.LastIndexByte(s.s[from:at], '>'); end >= 0 && s.isMarked(from+end) {
		return from + end + 1
	}
	return from
}

// cue reports whether one of the words precedes at closely, in the same line.
func (s *Scan) cue(at int, words []string) bool { return s.cueWithin(at, 28, words, false) }

// cueWithin is cue within reach bytes. Unless whole is set, a cue may be the beginning of a longer word.
func (s *Scan) cueWithin(at, reach int, words []string, whole bool) bool {
	from := max(0, at-reach)
	if nl := strings.LastIndexByte(s.s[from:at], '\n'); nl >= 0 {
		from += nl + 1
	}
	from = s.behindMarker(from, at)
	for from < at && !utf8.RuneStart(s.s[from]) {
		from++
	}
	near := strings.ToLower(s.s[from:at])
	for _, w := range words {
		for i := 0; i < len(near); i++ {
			n := strings.Index(near[i:], w)
			if n < 0 {
				break
			}
			i += n
			end := i + len(w)
			begins := i > 0 && (!isAlnum(near[i-1]) || isBehindDress(near, i)) || i == 0 && (!isAlnum(s.before(from)) || isBehindDress(s.s, from))
			if begins && (!whole || end == len(near) || !isAlnum(near[end])) {
				return true
			}
		}
	}
	return false
}

// isBehindDress reports whether the letter before at is that of an escape or of a colour, behind which a word begins.
func isBehindDress(text string, at int) bool {
	if text[at-1] == 'm' {
		open := len(strings.TrimRight(text[max(0, at-8):at-1], digitBytes+";"))
		return open > 0 && text[max(0, at-8)+open-1] == '['
	}
	return isEscaped(text, at-1)
}

// behindWord reports whether the key of the text is of a class, or one of the words is right before at: signs, blanks and a verb of
// two letters may be between.
func (s *Scan) behindWord(at int, class rules.Class, words []string) bool {
	if s.class&class != 0 {
		return true
	}
	near := strings.ToLower(strings.TrimRight(s.s[max(0, at-40):at], " \t:=\"'`([#"))
	if verb := strings.LastIndexByte(near, ' '); verb > 0 && len(near)-verb <= 3 {
		near = strings.TrimRight(near[:verb], " :")
	}
	for _, word := range words {
		if rest, ok := strings.CutSuffix(near, word); ok && (rest == "" || !isAlnum(rest[len(rest)-1]) || isBehindDress(rest, len(rest))) {
			return true
		}
	}
	return false
}

// beginsCamel reports whether a capital at at begins a word of a name, as in dateOfBirth.
func (s *Scan) beginsCamel(at int) bool { return isUpper(s.after(at)) && s.before(at)-'a' < 26 }
