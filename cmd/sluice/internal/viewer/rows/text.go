package rows

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A matcher matches rows against a reading. One goroutine uses it.
type matcher struct {
	of     reading
	search *textSearch
	mask   func(row []byte, json bool) []byte // nil: a row is matched as it is
}

// has reports whether a row matches. Of one that is masked, what is hidden has no part in that. To mask costs more than to search, so
// only what matches as it is gets masked: masking takes out, so nothing else can match. But a path with a query may hold because of
// what is missing, and a wildcard leads to the first key that it matches, which may be hidden, so those are asked of the masked row alone.
func (l *matcher) has(row []byte, json bool) bool {
	if l.mask == nil {
		return l.holds(row, json, func(PathIs) bool { return true })
	}
	if !strings.Contains(l.of.Text, "\x00") && !l.holds(row, json, func(p PathIs) bool { return !strings.ContainsAny(p.Path, "*?(") }) {
		return false
	}
	masked := l.mask(row, json)
	return masked != nil && l.holds(masked, json, func(PathIs) bool { return true })
}

// key returns what a row is sorted by, nil for none.
func (l *matcher) key(row []byte) any {
	if l.mask != nil {
		row = l.mask(row, true)
	}
	return keyIn(gjson.GetBytes(row, l.of.Order))
}

func (l *matcher) holds(row []byte, json bool, asked func(PathIs) bool) bool {
	if len(l.of.Paths) > 0 && !json {
		return false
	}
	for _, p := range l.of.Paths {
		if asked(p) && !p.holds(gjson.GetBytes(row, p.Path)) {
			return false
		}
	}
	switch {
	case l.of.Text == "":
		return true
	case json:
		return l.search.prefilter.may(row) && l.search.inStrings(jsontext.View(row))
	}
	return l.search.in(jsontext.View(row), false)
}

func (p PathIs) holds(value gjson.Result) bool {
	switch {
	case !value.Exists():
		return false
	case p.Any || p.is(value):
		return true
	case !value.IsArray():
		return false
	}
	found := false
	value.ForEach(func(_, v gjson.Result) bool {
		found = p.is(v)
		return !found
	})
	return found
}

func (p PathIs) is(value gjson.Result) bool {
	return value.Type == gjson.String && value.Str == p.Value || value.Type != gjson.String && value.Raw == p.Value
}

// A textSearch looks for a text, whatever the case.
type textSearch struct {
	text      []byte // in lower case
	hay       []byte // the text at hand in lower case; used again
	plain     []byte // the text at hand, decoded; used again
	prefilter prefilter
}

func newTextSearch(text string) *textSearch {
	n := &textSearch{text: lower(nil, text)}
	n.prefilter = newPrefilter(string(n.text))
	return n
}

// inStrings reports whether a string of a JSON text that is no key contains it.
func (n *textSearch) inStrings(json string) bool {
	for at := 0; ; {
		quote := strings.IndexByte(json[at:], '"')
		if quote < 0 {
			return false
		}
		from := at + quote + 1
		end, ok := jsontext.BodyEnd(json, from)
		if !ok {
			return false
		}
		at = end + 1
		if next := at + jsontext.Blanks(json[at:]); next < len(json) && json[next] == ':' {
			continue
		}
		if n.in(json[from:end], true) {
			return true
		}
	}
}

// in reports whether a text, or the body of a JSON string, contains it.
func (n *textSearch) in(text string, body bool) bool {
	if body && strings.IndexByte(text, '\\') >= 0 {
		n.plain = jsontext.AppendText(n.plain[:0], jsontext.Body(text))
		text = jsontext.View(n.plain)
	}
	n.hay = lower(n.hay[:0], text)
	return bytes.Contains(n.hay, n.text)
}

func lower(dst []byte, text string) []byte {
	dst = slices.Grow(dst, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, lowerRune(r))
		}
		i += size
	}
	return dst
}

// lowerRune returns the small letter of a character that is not ASCII. The sign for Kelvin is no k.
func lowerRune(r rune) rune {
	if low := unicode.ToLower(r); low >= utf8.RuneSelf {
		return low
	}
	return r
}

// A prefilter finds rows that may have a text, by a part of the text that needs no escape in JSON.
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

// contains reports whether a row contains the part, whose rarest byte is written as given.
func (r *prefilter) contains(row []byte, as byte) bool {
	for from := r.at; from < len(row); from++ {
		next := bytes.IndexByte(row[from:], as)
		if next < 0 {
			return false
		}
		from += next
		if begin := from - r.at; begin+len(r.part) <= len(row) && bytes.EqualFold(row[begin:begin+len(r.part)], r.part) {
			return true
		}
	}
	return false
}
