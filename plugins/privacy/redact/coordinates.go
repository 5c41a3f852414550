package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var structured = &recognise.Label{Rule: "structured-coordinates", Entity: rules.GeoCoordinates}

// coordinate replaces a number, or a string that is one.
func (f *Filter) coordinate(s *sweep, kind byte, start, end int) {
	written := s.written(kind, start, end)
	if f.Engine.IsOff(rules.GeoCoordinates) || f.allows(s, written) {
		return
	}
	out := f.replacement(s, structured.Rule, structured.Entity, written)
	s.note(structured, false, written, 0, len(written), written, out)
	if kind == StringKind {
		start, end = start-1, end+1
	}
	s.edits = append(s.edits, Edit{start, end, `"` + escaped(out) + `"`})
}

// position replaces the first two elements of an array, from next on, if they are a place: a possible latitude and longitude in either
// order. Numbers have two decimals or more; strings that are numbers have one, since drawings have none of them. One value may follow
// them, or an object or array and then anything. It returns where to continue.
func (f *Filter) position(s *sweep, next int) int {
	var kinds [2]byte
	var starts, ends [2]int
	at := next
	for i := range kinds {
		if kinds[i], starts[i], ends[i], at = Token(s.doc, at); kinds[i] != NumberKind && kinds[i] != StringKind {
			return next
		}
	}
	if third, _, _, behind := Token(s.doc, at); third != ']' && third != '{' && third != '[' {
		if fourth, _, _, _ := Token(s.doc, behind); fourth != ']' {
			return next // a box, or a vector
		}
	}
	within := func(i int, limit float64) bool { return s.within(kinds[i], starts[i], ends[i], limit) }
	if !(within(0, 90) && within(1, 180) || within(0, 180) && within(1, 90)) {
		return next
	}
	least := 2
	if kinds == [2]byte{StringKind, StringKind} {
		least = 1
	}
	for i := range kinds {
		if _, fraction, _ := strings.Cut(strings.TrimSpace(s.written(kinds[i], starts[i], ends[i])), "."); len(fraction) < least {
			return next
		}
	}
	for i := range kinds {
		s.top().index, s.at = i, nil
		f.coordinate(s, kinds[i], starts[i], ends[i])
	}
	return at
}

// member keeps the value of a key for a latitude or a longitude, if it can be one.
func (s *sweep) member(kind byte, start, end int, class rules.Class) {
	if kind != NumberKind && kind != StringKind {
		return
	}
	fits := class & rules.LongitudeKey
	if !s.within(kind, start, end, 180) {
		fits = 0
	}
	if class&rules.LatitudeKey != 0 && s.within(kind, start, end, 90) {
		fits |= rules.LatitudeKey
	}
	if fits != 0 {
		s.coords = append(s.coords, coord{kind, start, end, fits, s.keyStep(s.top())})
	}
}

// written returns the text of a number, or the decoded text of a string.
func (s *sweep) written(kind byte, start, end int) string {
	if kind == StringKind {
		return Decode(s.doc[start:end], start).Decoded
	}
	return s.doc[start:end]
}

// within reports whether a value is a coordinate of at most limit, which in a string may have a plus.
func (s *sweep) within(kind byte, start, end int, limit float64) bool {
	written := strings.TrimSpace(s.written(kind, start, end))
	if unsigned, ok := strings.CutPrefix(written, "+"); ok && !strings.HasPrefix(unsigned, "-") {
		written = unsigned
	}
	number, ok := Decimal(written)
	if kind == NumberKind {
		var err error
		number, err = strconv.ParseFloat(s.doc[start:end], 64)
		ok = err == nil
	}
	return ok && number >= -limit && number <= limit
}

// Decimal reads a text that is only a number: an optional minus, digits of any script, and an optional fraction.
func Decimal(s string) (number float64, ok bool) {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
	whole, fraction, dot := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if !allDigits(whole) || dot && !allDigits(fraction) {
		return 0, false
	}
	number, err := strconv.ParseFloat(strings.Map(asciiDigit, s), 64)
	return number, err == nil
}

func allDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.Is(unicode.Nd, r) })
}

// asciiDigit returns a digit of any script as 0 to 9.
func asciiDigit(r rune) rune {
	if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
		return r
	}
	first := r
	for unicode.Is(unicode.Nd, first-1) {
		first--
	}
	return '0' + (r-first)%10 // Unicode has them in rows of ten
}
