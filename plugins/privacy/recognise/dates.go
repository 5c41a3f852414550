package recognise

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var ruleBirth = &Label{"date-of-birth", rules.DateOfBirth}

// dateForm is a date in digits with its year in four.
var dateForm = compiled(`^(?:(?:19|20)[0-9]{2}([-/.])(?:0?[1-9]|1[0-2])[-/.](?:3[01]|[12][0-9]|0?[1-9])|[0-3]?[0-9]([-/.])[0-3]?[0-9][-/.](?:19|20)[0-9]{2})`)

// birthForm is a date as people write it of their birth: in digits, with the name of the month, with a year of two digits.
var birthForm = sync.OnceValue(func() *regexp.Regexp {
	names := slices.Clone(rules.Dates().Months)
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest that fits
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	month := `(?:` + strings.Join(names, "|") + `)`
	const (
		year  = `(?:(?:19|20)[0-9]{2}|['’]?[0-9]{2})`
		long  = `(?:19|20)[0-9]{2}`
		day   = `(?:3[01]|[12][0-9]|0?[1-9])`
		nth   = `(?:st|nd|rd|th|er|re|º|ª|°|\.)?`
		of    = `(?:of |de |del |di |d')?`
		space = "[ \t\u00a0\u202f.,/-]{0,3}"
	)
	return regexp.MustCompile(`^(?i:` + strings.Join([]string{
		long + `[ ]?年[ ]?[01]?[0-9][ ]?月[ ]?[0-3]?[0-9][ ]?日`,
		long + `[-/. ]{1,2}(?:1[0-2]|0?[1-9])[-/. ]{1,2}` + day,
		`[0-3]?[0-9][-/. ]{1,2}[0-3]?[0-9][-/. ]{1,2}` + long,
		day + nth + space + of + month + `\b` + space + of + year,
		day + nth + space + of + month + space + of + year,
		month + space + day + nth + space + year,
		long + space + month + space + day,
		`[0-3]?[0-9]([-/.])[0-3]?[0-9][-/.][0-9]{2}`,
		`[0-9]{2}([-/.])(?:1[0-2]|0?[1-9])[-/.]` + day,
		long + `(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])`,
	}, `|`) + `)`)
})

// date gives the end of the date that begins at at, or -1.
func (s *Scan) date(at int) int {
	n := len(birthForm().FindString(s.s[at:min(len(s.s), at+64)]))
	if n == 0 || isDigit(s.after(at+n)) {
		return -1
	}
	return at + n
}

// addBirths makes the recognisers of dates that a word says are of birth.
func (e *Engine) addBirths() {
	for _, word := range rules.Dates().Birth {
		size := len(word)
		e.add(anchor{text: word, fold: true, try: func(s *Scan, at int) {
			before, _ := utf8.DecodeLastRuneInString(s.s[:at])
			after, _ := utf8.DecodeRuneInString(s.s[at+size:])
			if first, _ := utf8.DecodeRuneInString(word); first >= noSpaces || !isLetter(before) && !isLetter(after) {
				s.birthBehind(at + size)
			}
		}})
	}
	for _, word := range rules.Dates().BirthBehind {
		day := strings.TrimPrefix(word, "日")
		e.add(anchor{text: word, try: func(s *Scan, at int) { s.birthBefore(at + len(word) - len(day)) }})
	}
}

// longestMonth is how many bytes tell the name of a month.
const longestMonth = 32

// reachOfBirth is how many bytes behind a word for a birth its date may begin.
const reachOfBirth = 36

// birthBehind finds the first date behind a word for a birth, or at the beginning of the value of a key for it: in the
// same line, or in the next one when the word ends its own. Other digits before it end the search.
func (s *Scan) birthBehind(from int) {
	text, word := false, false // since the word: anything at all, a letter right before
	for at := from; at < min(len(s.s), from+reachOfBirth); {
		r, size := utf8.DecodeRuneInString(s.s[at:])
		digit := size == 1 && isDigit(s.s[at])
		if digit || isWord(r) && !word && s.months.at(strings.ToLower(s.s[at:min(len(s.s), at+longestMonth)]), 0) > 0 {
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
