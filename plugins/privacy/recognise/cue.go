package recognise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
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

// Watched are the cues of several sets, to see where one may begin without a look at each set.
type watched struct {
	all     *cueSet
	longest int             // bytes of a cue
	first   [256]bool       // bytes that begin a cue, in any case
	third   [1 << 10]uint32 // third letters of cues by the first two, of five bits each
}

func newWatched(cues []string) *watched {
	w := &watched{all: newCueSet(cues)}
	for c := 0xc0; c < len(w.first); c++ {
		w.first[c] = true // a capital of a letter, or its whole
	}
	for _, cue := range cues {
		w.longest = max(w.longest, len(cue))
		w.first[cue[0]] = true
		if cue[0]-'a' < 26 {
			w.first[cue[0]-'a'+'A'] = true
		}
		pair := int(cue[0]&31) << 5
		switch len(cue) {
		case 1:
			for second := range 32 {
				w.third[pair|second] = ^uint32(0)
			}
		case 2:
			w.third[pair|int(cue[1]&31)] = ^uint32(0)
		default:
			w.third[pair|int(cue[1]&31)] |= 1 << (cue[2] & 31)
		}
	}
	return w
}

// isNone reports whether no cue begins with three bytes.
func (w *watched) isNone(first, second, third byte) bool {
	return first|second|third < utf8.RuneSelf && w.third[int(first&31)<<5|int(second&31)]>>(third&31)&1 == 0
}

// mayBegin reports whether a cue may begin at at, whose byte begins one. It may be true in vain.
func (w *watched) mayBegin(text string, at int) bool {
	near, inWord := text[at:min(len(text), at+w.longest)], at > 0 && ascii.IsAlnum(text[at-1])
	if ascii.All(near) {
		return slices.ContainsFunc(w.all[small(near[0])], func(cue string) bool { return startsSmall(near, cue) && (!inWord || callFollows(near[len(cue):])) })
	}
	near = text[at:min(len(text), at+utf8.UTFMax*w.longest)] // whose small letters may need fewer bytes
	low := strings.ToLower(near)
	return slices.ContainsFunc(w.all[low[0]], func(cue string) bool {
		rest, ok := strings.CutPrefix(low, cue)
		return ok && (!inWord || cue[0] >= 0xe0 || callFollows(rest)) // of a script without spaces
	})
}

// callFollows reports whether a cue may be within a word since what follows it is a call's.
func callFollows(rest string) bool { return rest != "" && (rest[0] == '(' || rest[0] == '.') }

func small(c byte) byte {
	if ascii.IsUpper(c) {
		return c | 0x20
	}
	return c
}

// startsSmall reports whether a text of ASCII begins with a word in any case, whose letters are small.
func startsSmall(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if small(text[i]) != word[i] {
			return false
		}
	}
	return true
}

// A lookout is how far a text was read for watched cues, and where the last of them begins. So a list of numbers is read once.
type lookout struct{ from, to, last int }

// mayHold reports whether a watched cue may begin in up to reach letters before at.
func (l *lookout) mayHold(w *watched, text string, at, reach int) bool {
	start := max(0, at-utf8.UTFMax*reach)
	if start < l.from || start > l.to {
		if near := max(0, at-reach); ascii.All(text[near:at]) {
			start = near // and no letter needs more bytes
		}
		if start < l.from || start > l.to {
			*l = lookout{start, start, -1}
		}
	}
	for ; l.to < at; l.to++ {
		if i := l.to; w.first[text[i]] && !(i+2 < len(text) && w.isNone(text[i], text[i+1], text[i+2])) && w.mayBegin(text, i) {
			l.last = i
		}
	}
	return l.last >= start && (l.last >= at-reach || utf8.RuneCountInString(text[l.last:at]) <= reach)
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
	if ascii.Forward(s.s, from, at-from, signSet) == at {
		return false // all have letters
	}
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
			begins := i > 0 && (!ascii.IsAlnum(near[i-1]) || isBehindDress(near, i)) || i == 0 && (!ascii.IsAlnum(s.before(from)) || isBehindDress(s.s, from))
			if begins && (!whole || end == len(near) || !ascii.IsAlnum(near[end])) {
				return true
			}
		}
	}
	return false
}

// signSet are the bytes of ASCII that are no letters.
var signSet = ascii.Set(ascii.Bytes("\x00-@[-`{-\x7f"))

// isBehindDress reports whether the letter before at is that of an escape or of a colour, behind which a word begins.
func isBehindDress(text string, at int) bool {
	if text[at-1] == 'm' {
		open := len(strings.TrimRight(text[max(0, at-8):at-1], ascii.DigitBytes+";"))
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
	near := s.beforeSigns(at)
	if verb := strings.LastIndexByte(near, ' '); verb > 0 && len(near)-verb <= 3 {
		near = strings.TrimRight(near[:verb], " :")
	}
	return endsInWord(near, words)
}

// beforeSigns returns the text before the signs and blanks at at, in small letters.
func (s *Scan) beforeSigns(at int) string {
	return strings.ToLower(strings.TrimRight(s.s[max(0, at-40):at], " \t:=\"'`([#"))
}

// endsInWord reports whether a text ends in one of the words as a whole.
func endsInWord(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		rest, ok := strings.CutSuffix(text, word)
		return ok && (rest == "" || !ascii.IsAlnum(rest[len(rest)-1]) || isBehindDress(rest, len(rest)))
	})
}

// beginsCamel reports whether a capital at at begins a word of a name, as in dateOfBirth.
func (s *Scan) beginsCamel(at int) bool { return ascii.IsUpper(s.after(at)) && s.before(at)-'a' < 26 }
