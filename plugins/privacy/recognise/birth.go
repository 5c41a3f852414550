package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// addBirths adds the recognisers of dates of birth, which a word announces.
func (e *Engine) addBirths() {
	dates := rules.Dates()
	e.examples = newCueSet(dates.Example)
	for _, word := range dates.Birth {
		size := len(word)
		if first, _ := utf8.DecodeRuneInString(word); first >= noSpaces {
			e.add(prefilter.Anchor{Text: word}, handler{try: func(s *Scan, at int) { s.bornBehind(at, at+size) }})
			continue
		}
		behind := slices.Contains(dates.BirthBehind, word)
		e.add(prefilter.Anchor{Text: word, Fold: true}, handler{try: func(s *Scan, at int) {
			before, _ := utf8.DecodeLastRuneInString(s.s[:at])
			after, _ := utf8.DecodeRuneInString(s.s[at+size:])
			if (!isLetter(before) || s.beginsCamel(at)) && !isLetter(after) && !(behind && s.birthBefore(at)) {
				s.bornBehind(at, at+size)
				if at >= s.tabled && s.isColumn(s.nameAt(at, size)) {
					s.header(at)
				}
			}
		}})
	}
	for _, word := range dates.BirthBehind {
		day := strings.TrimPrefix(word, "日")
		e.add(prefilter.Anchor{Text: word, Fold: word[0] < utf8.RuneSelf}, handler{try: func(s *Scan, at int) { s.birthBefore(at + len(word) - len(day)) }})
	}
	e.add(prefilter.Anchor{Text: "PID|"}, handler{try: (*Scan).patient})
}

// reachOfBirth is the most bytes between a word for a birth and its date.
const reachOfBirth = 60

// bornBehind finds the date behind the word for a birth in s[start:from], unless the next word makes it another thing's.
func (s *Scan) bornBehind(start, from int) {
	next := strings.ToLower(strings.TrimLeft(s.s[from:min(len(s.s), from+16)], " _-"))
	other := slices.ContainsFunc(rules.Dates().NotBirth, func(word string) bool { return strings.HasPrefix(next, word) })
	if !other && s.after(from) != '(' && !strings.Contains(s.s[max(0, start-60):start], "\nChange: ") { // of a file, by stat
		s.birthBehind(start, from)
	}
}

// birthBehind finds the first date behind a word for a birth, or at the beginning of the value of a key for it: in the same
// sentence, or in the next line when the word ends its own. It passes over dates that are examples; other digits end the search.
func (s *Scan) birthBehind(start, from int) {
	if to := ascii.Forward(s.s, min(len(s.s), from+reachOfBirth+longestMonth), len(s.s), letterSet) + longestDate; !mayHoldDate(s.s[from:min(len(s.s), to)]) {
		return
	}
	text, word := false, false // since the word: anything at all, a letter right before
	for at := from; at < min(len(s.s), from+reachOfBirth); {
		r, size := utf8.DecodeRuneInString(s.s[at:])
		digit := size == 1 && ascii.IsDigit(s.s[at])
		if digit || isWord(r) && !word {
			if end := s.date(at); end > 0 {
				if !s.isExample(start, from, at, end) {
					s.add(ruleBirth, rankContext, at, end)
					return
				}
				at, word, text = end, false, true
				continue
			}
		}
		if past := s.pastAttribute(at); past > at {
			at, word = past, false
			continue
		}
		if digit || r == '\n' && text || r == '>' && s.isMarked(at) || at > from && s.endsSentence(at) {
			return
		}
		word = isWord(r) && r < noSpaces
		text = text || word
		at += size
	}
}

// mayHoldDate reports whether a text has a digit, or other letters than ASCII's.
func mayHoldDate(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || ascii.IsDigit(text[i]) {
			return true
		}
	}
	return false
}

// endsSentence reports whether the sign at at ends a sentence: a blank and a capital follow it, and no abbreviation or initial
// is before it.
func (s *Scan) endsSentence(at int) bool {
	if strings.IndexByte(".!?", s.s[at]) < 0 || s.after(at+1) != ' ' || !ascii.IsUpper(s.after(at+2)) {
		return false
	}
	return s.s[at] != '.' || at-ascii.Back(s.s, at, 5, letterSet) > 4
}

// placeForm is the place between a date of birth and the word for the birth behind it: am 12.03.1987 in Köln geboren.
var placeForm = shape.Compiled(`^ +(?:in|zu) [\pL .,-]{2,30}$`)

// birthBefore finds a date that ends at end, or a blank or a place before it. It reports whether there is one.
func (s *Scan) birthBefore(end int) (found bool) {
	from := max(0, end-2*longestDate)
	for at := end - 1; at >= from; at-- {
		if !ascii.IsDigit(s.s[at]) || ascii.IsDigit(s.before(at)) {
			continue
		}
		stop := s.date(at)
		if stop < 0 || stop > end {
			continue
		}
		if between := s.s[stop:end]; strings.TrimRight(between, " ") == "" || placeForm().MatchString(between) {
			s.add(ruleBirth, rankContext, at, stop)
			found = true
		}
	}
	return found
}

// starred finds the date at at behind the star that genealogists write for born, as in *12.03.1987. A star and a blank at the
// beginning of a line are a list's, and a second star ends a stress.
func (s *Scan) starred(at int) {
	star := at - 1
	if s.before(at) == ' ' {
		star--
	}
	if star < 0 || s.s[star] != '*' || s.before(star) == '*' || ascii.IsWord(s.before(star)) {
		return
	}
	if star < at-1 && strings.TrimRight(s.s[strings.LastIndexByte(s.s[:star], '\n')+1:star], " \t") == "" {
		return
	}
	end := at + len(starForm().FindString(s.s[at:min(len(s.s), at+longestDate)]))
	if end > at && s.after(end) != '*' && !ascii.IsWord(s.after(end)) {
		s.add(ruleBirth, rankContext, at, end)
	}
}

var starForm = shape.Compiled(`^[0-3]?[0-9]\. ?[01]?[0-9]\. ?(?:1[89]|20)[0-9]{2}`)

// patient finds the date of birth of a patient in the seventh field of a segment PID of HL7, version 2.
func (s *Scan) patient(at int) {
	const field, longest = 7, 1 << 10
	line := s.s[at:min(len(s.s), at+longest)]
	start := at
	for range field {
		n := strings.IndexAny(line[start-at:], "|\r\n")
		if n < 0 || line[start-at+n] != '|' {
			return
		}
		start += n + 1
	}
	end := ascii.Forward(s.s, start, 14, ascii.DigitSet)
	if end-start >= 8 && birthForm().MatchString(s.s[start:start+8]) && !ascii.IsWord(s.after(end)) {
		s.add(ruleBirth, rankFormat, start, end)
	}
}

// partOfBirth finds the year, month or day of a date of birth that an object holds in parts, or the whole date.
func (s *Scan) partOfBirth() {
	v := s.s
	number := v != "" && len(v) <= len("1987") && strings.Trim(v, ascii.DigitBytes) == ""
	if number || s.isMonth(v) {
		s.add(ruleBirth, rankContext, 0, len(v))
		return
	}
	s.birthBehind(0, 0)
}

// isMonth reports whether a text is one word that begins as the name of a month.
func (s *Scan) isMonth(v string) bool {
	return len(v) <= longestMonth && !strings.Contains(v, " ") && s.months.at(strings.ToLower(v), ' ') > 0
}

// isEpoch reports whether a number counts seconds or milliseconds from 1970 to a birth, which may be before.
func isEpoch(number string) bool {
	whole, fraction, _ := strings.Cut(number, ".")
	digits := strings.TrimPrefix(whole, "-")
	if digits == "" || strings.Trim(digits, ascii.DigitBytes) != "" || strings.Trim(fraction, "0") != "" || digits[0] == '0' {
		return false
	}
	const latest = "2200000000" // in seconds, after or before 1970
	switch n := len(digits); {
	case n == 8, n == 9, n == len(latest) && digits < latest, n == 11, n == 12:
		return true
	default:
		return n == len(latest)+3 && digits[:len(latest)] < latest
	}
}

// isExample reports whether the date in s[start:end] behind the word for a birth in s[word:from] only shows how one is written: a
// word for an example is right before the date or right behind it, or before the sentence or quotation that holds both.
func (s *Scan) isExample(word, from, start, end int) bool {
	if from == 0 {
		return false // under a key
	}
	if s.saysExample(s.s[max(from, start-24):start]) || s.examplesAt(strings.TrimLeft(s.s[end:min(len(s.s), end+20)], " ,([")) {
		return true
	}
	if s.inExample(word) {
		return true
	}
	const reach = 120
	line := s.s[max(0, word-reach):word]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if open := openQuote(line); open >= 0 {
		return s.saysExample(line[:open]) || isInstruction(line[:open], s.s[end:min(len(s.s), end+40)])
	}
	label, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsAny(line, "{[") && s.examplesAt(strings.TrimLeft(label, " \t*-#>_")) || s.saysExample(line)
}

// inExample reports whether an object or list around at follows a word for an example, as in Example: {"dob": "1990-03-05"}.
func (s *Scan) inExample(at int) bool {
	const reach = 400
	near, depth := s.s[max(0, at-reach):at], 0
	for i := len(near) - 1; i >= 0; i-- {
		switch near[i] {
		case '}', ']':
			depth++
		case '{', '[':
			if depth--; depth >= 0 {
				continue
			}
			depth = 0
			before := strings.TrimRight(near[:i], " \t\r\n")
			if s.saysExample(strings.TrimRight(strings.TrimSuffix(before, "```json"), "` \t\r\n")) {
				return true
			}
		}
	}
	return false
}

// isInstruction reports whether a quotation in brackets, with that text before it in its line, shows what a field of an answer
// is to hold, as in the prompt "- facts: short statements ("the user was born 1990-03-05"), under 120 characters".
func isInstruction(before, behind string) bool {
	shut := strings.IndexAny(behind, "\"`”“»'’\n")
	return shut >= 0 && strings.Contains(behind[shut:min(len(behind), shut+5)], ")") && instructionForm().MatchString(before)
}

var instructionForm = shape.Compiled("^[ \t]*(?:[-*+•]|[0-9]{1,2}[.)])?[ \t]*[*`\"]{0,3}[A-Za-z_][A-Za-z0-9_.\\[\\]-]*[*`\"]{0,3}:[*]{0,2} +[^ ]+ [^ ]+.*\\($")

// openQuote returns the offset of the last quotation mark in a text that begins a quotation, or -1.
func openQuote(text string) int {
	for at := len(text) - 1; at >= 0; at-- {
		before := byte(' ')
		if at > 0 {
			before = text[at-1]
		}
		if ascii.IsQuote(text[at]) && !ascii.IsWord(before) && before < utf8.RuneSelf && strings.IndexByte(".,!?", before) < 0 {
			return at
		}
		for _, mark := range []string{"“", "„", "«", "‘", "「"} {
			if strings.HasPrefix(text[at:], mark) {
				return at
			}
		}
	}
	return -1
}

// saysExample reports whether a text ends with a word for an example, with only some signs behind it.
func (s *Scan) saysExample(text string) bool {
	near := strings.ToLower(strings.TrimRight(text[max(0, len(text)-32):], " \t:,\"'`(.：（「"))
	for _, word := range rules.Dates().Example {
		word = strings.TrimRight(word, ".:：")
		if rest, ok := strings.CutSuffix(near, word); ok && (rest == "" || word[0] >= utf8.RuneSelf || !ascii.IsAlnum(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}

// examplesAt reports whether a text begins with a word for an example.
func (s *Scan) examplesAt(text string) bool { return s.examples.at(strings.ToLower(text), ' ') > 0 }
