package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var ruleBirth = &Label{"date-of-birth", rules.DateOfBirth}

// beginsDate reports whether a text begins with a date in digits with its year in four: 3/14/2026 or 2026-03-14.
func beginsDate(v string) bool {
	first := ascii.Forward(v, 0, 5, ascii.DigitSet)
	if first == 0 || first+1 >= len(v) || !dateSigns[v[first]] {
		return false
	}
	second := ascii.Forward(v, first+1, 3, ascii.DigitSet)
	size := second - first - 1
	if size == 0 || size > 2 || second+1 >= len(v) || !dateSigns[v[second]] {
		return false
	}
	part, last := v[first+1:second], v[second+1:]
	if first == 4 {
		return isCentury(v) && (size == 1 && part > "0" || part > "00" && part < "13") && (last[0]-'1' < 9 || len(last) > 1 && last[0] == '0' && last[1]-'1' < 9)
	}
	return first < 3 && (first == 1 || v[0] < '4') && (size == 1 || part[0] < '4') && len(last) >= 4 && isCentury(last) && ascii.IsDigit(last[2]) && ascii.IsDigit(last[3])
}

// isCentury reports whether a text begins with the first digits of a year of now.
func isCentury(v string) bool { return strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20") }

var dateSigns = ascii.Set("-/.")

// birthForm is a date of birth in digits, whose year may have two and whose month may be a Roman number: of China, Japan and Korea,
// in years or in an era's years; with the time behind it or not.
var birthForm = shape.Compiled(`^(?:` + strings.Join([]string{
	`(?:(?:明治|大正|昭和|平成|令和|[明大昭平令]) ?(?:[0-9]{1,2}|元)|(?:19|20)?[0-9]{2}) ?[年년] ?[01]?[0-9] ?[月월] ?[0-3]?[0-9](?: ?[日号號일])?`,
	`[MTSHR][0-9]{1,2}[-./][01]?[0-9][-./][0-3]?[0-9]`,
	`[一二三四五六七八九〇零○]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}日?`,
	`(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?: ?(?:Z|UTC|[-+][01][0-9]:?[0-5][0-9]))?`,
	`(?:19|20)[0-9]{2}[-/. ]{1,3}(?:1[0-2]|0?[1-9])[-/. ]{1,3}(?:3[01]|[12][0-9]|0?[1-9])`,
	`[0-3]?[0-9][-/. ]{1,3}[0-3]?[0-9][-/. ]{1,3}(?:19|20)[0-9]{2}`,
	`[0-3]?[0-9][-/. ]{1,3}[IVX]{1,4}[-/. ]{1,3}(?:19|20)[0-9]{2}`,
	`[0-3]?[0-9](?: |, )?(?:tháng|thg) ?[01]?[0-9](?: |, )?(?:năm )?(?:19|20)[0-9]{2}`,
	`[0-3]?[0-9][-/.][0-3]?[0-9][-/.][0-9]{2}`,
	`[0-9]{2}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12][0-9]|0?[1-9])`,
	`(?:19|20)[0-9]{2}(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])`,
}, `|`) + `)`)

// longestDate is the most bytes that a date in digits needs.
const longestDate = 40

// date returns the end of the date that begins at at, or -1.
func (s *Scan) date(at int) int {
	if end := s.namedDate(at); end > 0 {
		return end
	}
	if c := s.s[at]; !ascii.IsDigit(c) && c < utf8.RuneSelf && strings.IndexByte("MTSHR", c) < 0 {
		return -1
	}
	n := len(birthForm().FindString(s.s[at:min(len(s.s), at+longestDate)]))
	if n == 0 || ascii.IsDigit(s.after(at+n)) {
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
			if ascii.IsDigit(s.s[end-2]) { // a year of two digits
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
	for end = at; end < len(s.s) && ascii.IsDigit(s.s[end]); end++ {
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
		if word < 0 || ascii.IsDigit(c) || s.months.at(strings.ToLower(s.s[at:min(len(s.s), at+longestMonth)]), ' ') > 0 {
			break
		}
		at += len(dateWords[word])
	}
	return at
}

// longestMonth is the most bytes that the name of a month needs.
const longestMonth = 32
