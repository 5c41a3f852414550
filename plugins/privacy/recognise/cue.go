package recognise

import (
	"strings"
	"unicode/utf8"
)

// cue reports whether one of the words precedes at closely, in the same line.
func (s *Scan) cue(at int, words []string) bool { return s.cueWithin(at, 28, words, false) }

// cueWithin is cue within reach bytes. Unless whole is set, a cue may be the beginning of a longer word.
func (s *Scan) cueWithin(at, reach int, words []string, whole bool) bool {
	from := max(0, at-reach)
	if nl := strings.LastIndexByte(s.s[from:at], '\n'); nl >= 0 {
		from += nl + 1
	}
	if end := strings.LastIndexByte(s.s[from:at], '>'); end >= 0 && s.isMarked(from+end) {
		from += end + 1 // a cue before a marker was for what the marker replaced
	}
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
			begins := i > 0 && !isAlnum(near[i-1]) || i == 0 && !isAlnum(s.before(from))
			if begins && (!whole || end == len(near) || !isAlnum(near[end])) {
				return true
			}
		}
	}
	return false
}
