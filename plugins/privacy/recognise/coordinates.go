package recognise

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

var (
	ruleDecimalPair = &Label{"decimal-pair", rules.GeoCoordinates}
	ruleDegrees     = &Label{"degrees", rules.GeoCoordinates}
	ruleLabelled    = &Label{"labelled-coordinates", rules.GeoCoordinates}
	ruleAddress     = &Label{"street-address", rules.StreetAddress}
)

// The names of coordinates, also at the end of another name, what declares a name, and what is between one and its value.
const (
	latOrLong      = `(?:lat(?:itude)?|lng|lon(?:g(?:itude)?)?)`
	camelLatOrLong = `Lat(?:itude)?|Lng|Lon(?:g(?:itude)?)?`
	declaring      = `export|set|const|let|var|val|final|static|private|public|float|double`
	behindLabel    = `(?:\\{0,3}["'])?[ ]*[:=>|]?[ ]*(?:\\{0,3}["'])?`
)

var (
	dmsForm = shape.Compiled(`^[0-9]{1,3}(?:\.[0-9]+)?[ ]?°[ ]?(?:[0-9]{1,2}(?:\.[0-9]+)?['′’][ ]?(?:[0-9]{1,2}(?:\.[0-9]+)?["″”][ ]?)?)?[NSns][ ]?[,;]?[ ]*` +
		`[0-9]{1,3}(?:\.[0-9]+)?[ ]?°[ ]?(?:[0-9]{1,2}(?:\.[0-9]+)?['′’][ ]?(?:[0-9]{1,2}(?:\.[0-9]+)?["″”][ ]?)?)?[EWOew]`)
	labelForm = shape.Compiled(`(?:(?:^|[^A-Za-z])(?i:m?` + latOrLong + `)|[a-z](?:` + camelLatOrLong + `))` + behindLabel + `[+-]?$`)
	otherForm = shape.Compiled(`^([0-9]{1,3}(?:\.[0-9]+)?)°?[ ]?[NSEWnsew]?(?:</[A-Za-z:_]{1,24}>)?(?:\\{0,3}["'])?[ ]*[,;&|]?[ ]*` +
		`(?:\r?\n[ \t]*(?:[-*|][ ]*|(?:` + declaring + `) ){0,3})?(?:and )?[ ]*<?(?:\\{0,3}["'])?` +
		`((?:[A-Za-z_.]{0,24}[_.:])?(?i:m?` + latOrLong + `)|[a-z]{1,24}(?:` + camelLatOrLong + `))` + behindLabel + `([+-]?[0-9]{1,3}(?:\.[0-9]+)?)`)
)

// longestDegree is the most digits before the point of a coordinate.
const longestDegree = 3

// coordinates finds a pair of coordinates that begins with the number at at, of so many digits before its point.
func (s *Scan) coordinates(at, run int) {
	start := at
	if c := s.before(at); c == '-' || c == '+' {
		start--
	}
	if s.mapped(start) {
		return
	}
	if c := s.before(start); ascii.IsWord(c) || c == '.' || c == '$' || c == '-' {
		return
	}
	end := at + run
	decimal := s.after(end) == '.' && ascii.IsDigit(s.after(end+1))
	degree := strings.HasPrefix(s.s[end:], "°") || strings.HasPrefix(s.s[end:], " °")
	if decimal || degree {
		if s.degree < at {
			s.degree = len(s.s)
			if n := strings.Index(s.s[at:], "°"); n >= 0 {
				s.degree = at + n
			}
		}
		if near := s.s[at:min(len(s.s), at+80)]; s.degree < at+len(near) {
			if n := len(dmsForm().FindString(near)); n > 0 {
				s.add(ruleDegrees, rankFormat, start, at+n)
				return
			}
		}
	}
	if s.labelled(start, at) || decimal && s.geometry(start) || !decimal || run == longestDegree && s.s[at:end] > "180" {
		return
	}
	s.decimalPair(start)
}

// labelSigns may be between the name of a coordinate and the number, and labelEnds are the last letters of names: lat, lng, latitude.
var labelSigns, labelEnds = ascii.Set(" +-:=>|\\\"'"), ascii.Set("tgnTGNeE")

// labelled finds a latitude and a longitude with their names, which stay.
func (s *Scan) labelled(start, at int) bool {
	from := max(0, start-24)
	name := ascii.Back(s.s, at, at-from, labelSigns) // where it ends
	if name == from || !labelEnds[s.s[name-1]] || !hasLabel(s.s[from:name]) {
		return false
	}
	if !labelForm().MatchString(s.s[from:at]) {
		return false
	}
	loc := otherForm().FindStringSubmatchIndex(s.s[at:min(len(s.s), at+100)])
	if loc == nil || ascii.IsDigit(s.after(at+loc[7])) {
		return false
	}
	first, between, other, second := s.s[at:at+loc[3]], s.s[at+loc[3]:at+loc[4]], s.s[at+loc[4]:at+loc[5]], s.s[at+loc[6]:at+loc[7]]
	if isLatitude(s.s[from:name]) == isLatitude(other) {
		return false
	}
	if strings.Contains(between, "\n") && !(strings.Contains(first, ".") && strings.Contains(second, ".")) {
		return false // whole numbers in two lines may count something
	}
	s.add(ruleLabelled, rankFormat, start, at+loc[3])
	s.add(ruleLabelled, rankFormat, at+loc[6], at+loc[7])
	return true
}

// isLatitude reports whether a name ends as that of a latitude, and not of a longitude.
func isLatitude(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "lat") || strings.HasSuffix(name, "latitude")
}

// Decimals are two numbers, such as 48.8584, 2.2945, with what separates them.
type decimals struct {
	first, between, second string
	end                    int
}

// decimalsAt reads the two that a text begins with, and the signs of degrees and directions in it.
func decimalsAt(text string) (p decimals, ok bool) {
	end := decimalEnd(text, 0)
	if end < 0 {
		return p, false
	}
	p.first = text[:end]
	end = behindDegree(text, end)
	begin := behindDirection(text, end, "NSns")
	second := behindSeparator(text, begin)
	if second < 0 && begin > end {
		begin, second = end, behindSeparator(text, end)
	}
	if second < 0 {
		return p, false
	}
	if end = decimalEnd(text, second); end < 0 {
		return p, false
	}
	p.between, p.second = text[begin:second], text[second:end]
	p.end = behindDegree(text, end)
	if end = behindDirection(text, p.end, "EWew"); end > p.end && text[end-1] != ' ' && (end == len(text) || !ascii.IsWord(text[end])) {
		p.end = end
	}
	return p, true
}

// decimalEnd returns the end of a decimal of up to three digits before the point, or -1.
func decimalEnd(text string, at int) int {
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		at++
	}
	point := ascii.Forward(text, at, longestDegree, ascii.DigitSet)
	if point == at || point == len(text) || text[point] != '.' {
		return -1
	}
	end := ascii.Forward(text, point+1, len(text), ascii.DigitSet)
	if end == point+1 {
		return -1
	}
	return end
}

func behindDegree(text string, at int) int {
	if strings.HasPrefix(text[at:], "°") {
		return at + len("°")
	}
	return at
}

// behindDirection returns where a text goes on behind a blank, or none, and one of some letters, or none.
func behindDirection(text string, at int, letters string) int {
	if at < len(text) && text[at] == ' ' {
		at++
	}
	if at < len(text) && strings.IndexByte(letters, text[at]) >= 0 {
		at++
	}
	return at
}

// behindSeparator returns where the second decimal begins: behind a sign among blanks, or behind one or two blanks; or -1.
func behindSeparator(text string, at int) int {
	blanks := at
	for blanks < len(text) && text[blanks] == ' ' {
		blanks++
	}
	switch {
	case blanks < len(text) && (text[blanks] == ',' || text[blanks] == ';' || text[blanks] == '/'):
		for blanks++; blanks < len(text) && text[blanks] == ' '; blanks++ {
		}
		return blanks
	case blanks == at || blanks > at+2:
		return -1
	}
	return blanks
}

// decimalPair finds two decimals in range, not prices or lists, that a word announces as a place or that are as precise as one.
func (s *Scan) decimalPair(start int) {
	p, ok := decimalsAt(s.s[start:min(len(s.s), start+80)])
	if !ok {
		return
	}
	end := start + p.end
	if last := s.s[end-1] | 0x20; last == 'e' && strings.IndexByte("+-", s.after(end)) >= 0 && ascii.IsDigit(s.after(end+1)) {
		return // the exponent of a number
	}
	if ascii.IsWord(s.after(end)) || s.after(end) == '.' && ascii.IsDigit(s.after(end+1)) || s.after(end) == '%' || s.inList(start, end) {
		return
	}
	precise := precision(p.first) >= 4 && precision(p.second) >= 4 && p.between != "/"
	announced := s.class&rules.CoordinatesKey != 0 || s.cueWithin(start, 32, rules.Cues().Place, false)
	if !precise && !announced {
		return
	}
	first, _ := strconv.ParseFloat(p.first, 64)
	second, _ := strconv.ParseFloat(p.second, 64)
	if math.Abs(first) > 180 || math.Abs(second) > 180 || math.Abs(first) > 90 && math.Abs(second) > 90 {
		return
	}
	precise = precise && (math.Abs(first) >= 10 || math.Abs(second) >= 10) &&
		(strings.TrimSpace(p.between) != "" && math.Abs(first) <= 90 || first < 0 || second < 0)
	if announced || precise && !s.behindWord(start, 0, rules.Cues().NoPlace) && s.mayBePlace(start, min(precision(p.first), precision(p.second))) {
		s.add(ruleDecimalPair, rankFormat, start, end)
	}
}

// metres is the precision of a place that a map or a receiver gives; four digits are those of many measures too.
const metres = 5

// mayBePlace reports whether two decimals without a word for a place can be one where they are: code has such pairs as arguments, in lists
// and in variables, of which only the names of places count.
func (s *Scan) mayBePlace(start, precision int) bool {
	from := max(0, start-reachOfCall)
	from += strings.LastIndexByte(s.s[from:start], '\n') + 1
	before := strings.TrimRight(s.s[from:start], " \t")
	if open := strings.LastIndexAny(before, "([{"); open >= 0 && !strings.ContainsAny(before[open:], ")]}\"'`") {
		name := strings.TrimRight(before[:open+1], "([{ ")
		switch prose := name != "" && before[len(name)] == ' ' && (ascii.IsWord(name[len(name)-1]) || name[len(name)-1] >= utf8.RuneSelf); {
		case prose && before[open] == '(':
			return true // Paris (48.8566, 2.3522)
		case prose && before[open] == '[' || before == "(":
			return precision >= metres || namesPlace(name)
		}
		return namesPlace(name)
	}
	switch {
	case strings.HasSuffix(before, "="):
		return precision >= metres && s.isParameter(from+len(before)-1) || namesPlace(before)
	case strings.HasSuffix(before, ":"):
		return precision >= metres || namesPlace(before)
	}
	return true
}

// isParameter reports whether the equals sign at at is behind the name of a parameter in a URL or a form.
func (s *Scan) isParameter(at int) bool {
	start := ascii.Back(s.s, at, maxName, nameSet)
	return start > 0 && strings.IndexByte("?&", s.s[start-1]) >= 0
}

// reachOfCall is the most bytes between the name of a call and two decimals that it is about.
const reachOfCall = 40

// namesPlace reports whether a text ends in the name of a call, a member or a variable that is about places.
func namesPlace(text string) bool {
	text = strings.TrimRight(text, "=: \"'`")
	name := text[ascii.Back(text, len(text), reachOfCall, ascii.WordSet):]
	all, _ := shape.Words(name)
	return slices.ContainsFunc(all, func(word string) bool { return slices.Contains(rules.Cues().NamesPlace, word) })
}

// precision returns the count of digits behind the point of a decimal.
func precision(decimal string) int { return len(decimal) - strings.IndexByte(decimal, '.') - 1 }

// inList reports whether the numbers around make it a list or a map.
func (s *Scan) inList(start, end int) bool {
	left := strings.TrimRight(s.s[max(0, start-4):start], " ")
	right := strings.TrimLeft(s.s[end:min(len(s.s), end+4)], " ")
	if len(left) > 1 && (left[len(left)-1] == ',' || left[len(left)-1] == ':') && ascii.IsDigit(left[len(left)-2]) {
		return true
	}
	if right == "" || right[0] != ',' && right[0] != ':' {
		return false
	}
	next := strings.TrimLeft(right[1:], " ")
	return next != "" && strings.IndexByte("-+.0123456789", next[0]) >= 0
}

var addressForm = shape.Compiled(`^[0-9]{1,6}[A-Za-z]? (?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.? )?(?:[A-Z][A-Za-z'.-]{1,20} ){1,4}` +
	`(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace|Square|Sq|Highway|Hwy|Parkway|Pkwy|Close|Crescent)\b\.?` +
	`(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|#)\.? ?[A-Za-z0-9-]{1,6})?(?:,? [A-Z][A-Za-z .'-]{1,30}?,? [A-Z]{2} [0-9]{5}(?:-[0-9]{4})?)?`)

// address finds a house number with the name of a street, and what follows it up to a ZIP code.
func (s *Scan) address(at int) {
	if ascii.IsWord(s.before(at)) {
		return
	}
	if end := len(addressForm().FindString(s.s[at:min(len(s.s), at+160)])); end > 0 && !ascii.IsWord(s.after(at+end)) {
		s.add(ruleAddress, rankContext, at, at+end)
	}
}
