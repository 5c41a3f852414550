package rows

import (
	"bytes"
	"strings"
	"unicode"
)

// A prefilter finds rows that may have a text by a part of it that JSON writes in one way, but for case and needless escapes.
type prefilter struct {
	part  []byte // in lower case; empty when there is none
	at    int    // its rarest byte
	ascii bool
}

// newPrefilter chooses the longest part of a text in lower case.
func newPrefilter(text string) prefilter {
	unsure := func(r rune) bool {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`"\/`, r) {
			return true
		}
		return r > 0x7f && (unicode.SimpleFold(r) != r || r == unicode.ReplacementChar)
	}
	var r prefilter
	for _, part := range strings.FieldsFunc(text, unsure) {
		if len(part) > len(r.part) {
			r.part = []byte(part)
		}
	}
	r.ascii = true
	for i, c := range r.part {
		r.ascii = r.ascii && c < 0x80
		if rareness(c) > rareness(r.part[r.at]) {
			r.at = i
		}
	}
	return r
}

const common = " etaoinshrdlucmfwypvbgkjxqz"

func rareness(c byte) int {
	switch at := strings.IndexByte(common, c); {
	case at >= 0:
		return at
	case c >= 0xc0: // the first byte of characters of one script
		return 0
	case c >= 0x80 || c >= '0' && c <= '9':
		return len(common) / 2
	}
	return len(common) / 3
}

// may reports whether a JSON text may contain the text in a string.
func (r *prefilter) may(row []byte) bool {
	if len(r.part) == 0 || r.escaped(row) {
		return true
	}
	c := r.part[r.at]
	return r.contains(row, c) || c >= 'a' && c <= 'z' && r.contains(row, c-'a'+'A')
}

// escaped reports whether characters of the part may be written as escapes.
func (r *prefilter) escaped(row []byte) bool {
	if !r.ascii {
		return bytes.Contains(row, []byte(`\u`))
	}
	for {
		at := bytes.Index(row, []byte(`\u00`))
		if at < 0 || at+4 >= len(row) {
			return false
		}
		if row[at+4] >= '2' && row[at+4] <= '7' {
			return true
		}
		row = row[at+4:]
	}
}

// contains reports whether a row contains the part, with its rarest byte written in one way.
func (r *prefilter) contains(row []byte, as byte) bool {
	for from := r.at; from < len(row); from++ {
		next := bytes.IndexByte(row[from:], as)
		if next < 0 {
			return false
		}
		from += next
		if begin := from - r.at; begin+len(r.part) <= len(row) && same(row[begin:], r.part) {
			return true
		}
	}
	return false
}

// same reports whether a text begins with a part, whatever its case; the part is in lower case.
func same(text, part []byte) bool {
	for i, c := range part {
		if t := text[i]; t != c && (t < 'A' || t > 'Z' || t+'a'-'A' != c) {
			return false
		}
	}
	return true
}
