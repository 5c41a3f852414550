package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleBirth = &Label{"date-of-birth", rules.DateOfBirth}

// dateForm is a date in digits with its year in four.
var dateForm = compiled(`^(?:(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])[-/.](?:3[01]|[12][0-9]|0?[1-9])|[0-3]?[0-9]([-/.])[0-3]?[0-9][-/.](?:19|20)[0-9]{2})`)

// birthForm is a date of birth in digits, whose year may have two.
var birthForm = compiled(`^(?:` + strings.Join([]string{
	`(?:19|20)[0-9]{2}[ ]?年[ ]?[01]?[0-9][ ]?月[ ]?[0-3]?[0-9][ ]?日`,
	`(?:19|20)[0-9]{2}[-/. ]{1,2}(?:1[0-2]|0?[1-9])[-/. ]{1,2}(?:3[01]|[12][0-9]|0?[1-9])`,
	`[0-3]?[0-9][-/. ]{1,2}[0-3]?[0-9][-/. ]{1,2}(?:19|20)[0-9]{2}`,
	`[0-3]?[0-9][-/.][0-3]?[0-9][-/.][0-9]{2}`,
	`[0-9]{2}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12][0-9]|0?[1-9])`,
	`(?:19|20)[0-9]{2}(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])`,
}, `|`) + `)`)

// date returns the end of the date that begins at at, or -1.
func (s *Scan) date(at int) int {
	if end := s.namedDate(at); end > 0 {
		return end
	}
	if !isDigit(s.s[at]) {
		return -1
	}
	n := len(birthForm().FindString(s.s[at:min(len(s.s), at+32)]))
	if n == 0 || isDigit(s.after(at+n)) {
		return -1
	}
	return at + n
}

// namedDate returns the end of a date that names its month, next to the day, with the year first or last, or -1.
func (s *Scan) namedDate(at int) int {
	order := ""
	for len(order) < 3 {
		end, kind := s.datePart(at)
		switch order += kind; order {
		case "d", "m", "y", "dm", "md", "ym":
			at = s.dateGap(end)
		case "dmy", "mdy", "ymd":
			return end
		case "dmd", "mdd":
			if isDigit(s.s[end-2]) { // a year of two digits
				return end
			}
			return -1
		default:
			return -1
		}
	}
	return -1
}

// datePart returns the end of a day (d), a month's name (m) or a year of four digits (y) at at; otherwise kind is x.
func (s *Scan) datePart(at int) (end int, kind string) {
	if s.after(at) == '\'' {
		at++
	}
	for end = at; end < len(s.s) && isDigit(s.s[end]); end++ {
		if end-at > 4 {
			return end, "x"
		}
	}
	switch year := s.s[at:min(len(s.s), at+2)]; {
	case end-at == 4 && (year == "19" || year == "20"):
		return end, "y"
	case end-at == 1, end-at == 2:
		return end, "d"
	case end > at, at == len(s.s):
		return end, "x"
	}
	n := s.months.at(strings.ToLower(s.s[at:min(len(s.s), at+longestMonth)]), ' ')
	if n == 0 {
		return at, "x"
	}
	for end = at + n; end < len(s.s); {
		r, size := utf8.DecodeRuneInString(s.s[end:])
		if !isLetter(r) {
			break
		}
		end += size
	}
	return end, "m"
}

// dateWords are allowed between the parts of a date: endings of ordinals and prepositions.
var dateWords = []string{"st", "nd", "rd", "th", "er", "re", "º", "ª", "°", "of", "del", "de", "di", "d'", "’"}

// dateGap returns the end of what separates two parts of a date.
func (s *Scan) dateGap(at int) int {
	for limit := min(len(s.s), at+12); at < limit; {
		c := s.s[at]
		if strings.IndexByte(" \t.,/-", c) >= 0 {
			at++
			continue
		}
		if strings.HasPrefix(s.s[at:], "\u00a0") {
			at += 2
			continue
		}
		word := slices.IndexFunc(dateWords, func(w string) bool { return strings.HasPrefix(s.s[at:], w) })
		if word < 0 || isDigit(c) || s.months.at(strings.ToLower(s.s[at:min(len(s.s), at+longestMonth)]), ' ') > 0 {
			break
		}
		at += len(dateWords[word])
	}
	return at
}

// addBirths adds the recognisers of dates of birth, which a word announces.
func (e *Engine) addBirths() {
	for _, word := range rules.Dates().Birth {
		size := len(word)
		if first, _ := utf8.DecodeRuneInString(word); first >= noSpaces {
			e.add(anchor{text: word, try: func(s *Scan, at int) { s.birthBehind(at + size) }})
			continue
		}
		e.add(anchor{text: word, fold: true, try: func(s *Scan, at int) {
			before, _ := utf8.DecodeLastRuneInString(s.s[:at])
			after, _ := utf8.DecodeRuneInString(s.s[at+size:])
			if !isLetter(before) && !isLetter(after) {
				s.birthBehind(at + size)
			}
		}})
	}
	for _, word := range rules.Dates().BirthBehind {
		day := strings.TrimPrefix(word, "日")
		e.add(anchor{text: word, try: func(s *Scan, at int) { s.birthBefore(at + len(word) - len(day)) }})
	}
}

// longestMonth is the most bytes that the name of a month needs.
const longestMonth = 32

// reachOfBirth is the most bytes between a word for a birth and its date.
const reachOfBirth = 36

// birthBehind finds the first date behind a word for a birth, or at the beginning of the value of a key for it: in the
// same line, or in the next one when the word ends its own. Other digits before it end the search.
func (s *Scan) birthBehind(from int) {
	text, word := false, false // since the word: anything at all, a letter right before
	for at := from; at < min(len(s.s), from+reachOfBirth); {
		r, size := utf8.DecodeRuneInString(s.s[at:])
		digit := size == 1 && isDigit(s.s[at])
		if digit || isWord(r) && !word {
			if end := s.date(at); end > 0 {
				s.add(ruleBirth, rankContext, at, end)
				return
			}
		}
		if digit || r == '\n' && text || r == '>' && s.isMarked(at) {
			return
		}
		word = isWord(r) && r < noSpaces
		text = text || word
		at += size
	}
}

// birthBefore finds a date that ends at end, or a blank before it.
func (s *Scan) birthBefore(end int) {
	from := max(0, end-reachOfBirth)
	for at := end - 1; at >= from; at-- {
		if isDigit(s.s[at]) && !isDigit(s.before(at)) {
			if stop := s.date(at); stop > 0 && strings.TrimRight(s.s[stop:max(stop, end)], " ") == "" && stop <= end {
				s.add(ruleBirth, rankContext, at, stop)
			}
		}
	}
}
