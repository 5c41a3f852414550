package recognise

import (
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// suspectStarts are the kinds that have a word with such first three letters, of five bits each.
var suspectStarts = func() (all [1 << 15]int32) {
	for i, s := range suspicions {
		for _, word := range s.words {
			word = strings.ReplaceAll(word, "|", "")
			switch {
			case strings.ContainsFunc(word[:min(len(word), 3)], func(r rune) bool { return r >= utf8.RuneSelf }):
			case len(word) == 2:
				for third := range 32 {
					all[int(word[0]&31)<<10|int(word[1]&31)<<5|third] |= 1 << i
				}
			default:
				all[int(word[0]&31)<<10|int(word[1]&31)<<5|int(word[2]&31)] |= 1 << i
			}
		}
	}
	return all
}()

// serviceStarts are the fourth letters of the words of suspectVendor by their first three, so that their number costs nothing.
var serviceStarts = func() (all [1 << 15]uint32) {
	for _, word := range suspicions[len(suspicions)-1].words {
		word = strings.ReplaceAll(word, "|", "")
		all[int(word[0]&31)<<10|int(word[1]&31)<<5|int(word[2]&31)] |= 1 << (word[3] & 31)
	}
	return all
}()

// announceSet are the bytes that mayAnnounce treats on their own.
var announceSet = byteSet(".u" + rules.Bytes("\x80-\xff"))

// mayAnnounce reports whether a word of one of the kinds may begin in a JSON text. It may be true in vain. Dots may be between
// letters, and other letters than ASCII's are in no table.
func mayAnnounce(text string, kinds int) bool {
	last, sought := 0, int32(kinds)
	for i := range len(text) {
		c := text[i]
		if announceSet[c] {
			if c == '.' {
				continue
			}
			if c >= utf8.RuneSelf || i > 0 && text[i-1] == '\\' {
				return true
			}
		}
		if last = (last<<5 | int(c&31)) & (1<<15 - 1); suspectStarts[last]&sought != 0 &&
			(suspectStarts[last]&sought&^int32(suspectVendor) != 0 || i+1 < len(text) && serviceStarts[last]>>(text[i+1]&31)&1 != 0) {
			return true
		}
	}
	return last&31 != 0 && suspectStarts[last<<5&(1<<15-1)]&sought&^int32(suspectVendor) != 0
}

// Announcements are how far a JSON text was read for words of all kinds, and where the last of them may have begun. So many
// values in a row cost one reading of the text.
type announcements struct {
	lookout
	letters int // the last three
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
		*a = announcements{lookout{start, start, -1}, 0}
	}
	for i := a.to; i < at; i++ {
		c := doc[i]
		if announceSet[c] {
			if c == '.' {
				continue
			}
			if c >= utf8.RuneSelf || i > 0 && doc[i-1] == '\\' {
				a.last = i
			}
		}
		a.letters = (a.letters<<5 | int(c&31)) & (1<<15 - 1)
		if kinds := suspectStarts[a.letters]; kinds != 0 && (kinds&^int32(suspectVendor) != 0 || serviceStarts[a.letters]>>(doc[i+1]&31)&1 != 0) {
			a.last = i
		}
	}
	if at < a.to {
		return true
	}
	a.to = at
	return a.last >= start || suspectStarts[a.letters<<5&(1<<15-1)] != 0
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
var otherReading = byteSet("\\%[" + rules.Bytes("\x00-\x1f\x80-\xff"))
