package redact

import (
	"html"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// A reading is a text in which the escapes of URLs, JSON, HTML and shells are undone, so that every spelling of a secret is the same in
// it. Quotation marks and backslashes, of which each syntax has more or fewer, are left out.
type reading struct {
	text   string
	rounds [][]undone // none when the text reads as it is written
}

// An undone escape is text[start:end] before a round, and the size bytes from at on after it. A JSON text has at most 2 GiB.
type undone struct{ at, size, start, end int32 }

// mostRounds is how many escapes around each other are undone.
const mostRounds = 3

// escapeSigns begin what a reading changes.
const escapeSigns = `\%&'"`

var isEscapeSign = [256]bool{'\\': true, '%': true, '&': true, '\'': true, '"': true}

func read(text string) (r reading) {
	r.text = text
	for range mostRounds {
		plain, changes := undo(r.text)
		if len(changes) == 0 {
			break
		}
		r.text, r.rounds = plain, append(r.rounds, changes)
	}
	return r
}

// undo undoes the outermost escapes of a text.
func undo(text string) (plain string, changes []undone) {
	at := strings.IndexAny(text, escapeSigns)
	if at < 0 {
		return text, nil
	}
	out, last := make([]byte, 0, len(text)), 0
	for at < len(text) {
		if !isEscapeSign[text[at]] {
			at++
			continue
		}
		out = append(out, text[last:at]...)
		begun := len(out)
		out, last = appendPlain(out, text, at)
		if n := len(changes); n > 0 && last > at && len(out) == begun && int(changes[n-1].end) == at {
			changes[n-1].end = int32(last) // of marks in a row
		} else if last > at {
			changes = append(changes, undone{int32(begun), int32(len(out) - begun), int32(at), int32(last)})
		}
		at = max(at+1, last)
	}
	return string(append(out, text[last:]...)), changes
}

// appendPlain appends the text that an escape writes, and returns the end of the escape: at itself when the sign there begins no escape.
func appendPlain(out []byte, text string, at int) ([]byte, int) {
	switch text[at] {
	case '\'', '"':
		return out, at + 1
	case '\\':
		return appendUnescaped(out, text, at)
	case '%':
		if b, ok := hexAt(text, at+1, 2); ok {
			return append(out, byte(b)), at + 3
		}
	case '&':
		const longest = len("&thetasym;")
		written := text[at:min(len(text), at+longest)]
		if end := strings.IndexByte(written, ';') + 1; end > 0 {
			if plain := html.UnescapeString(written[:end]); plain != written[:end] {
				return append(out, plain...), at + end
			}
		}
	}
	return out, at
}

// appendUnescaped appends what backslashes and the sign behind them stand for. Of \n only the backslash goes, as of C:\new.
func appendUnescaped(out []byte, text string, at int) ([]byte, int) {
	for at < len(text) && text[at] == '\\' {
		at++
	}
	if at == len(text) {
		return out, at
	}
	switch c := text[at]; {
	case c == '\'' || c == '"':
		return out, at + 1
	case c == 'u':
		if unit, ok := hexAt(text, at+1, 4); ok {
			r, end := rune(unit), at+5
			if low, ok := hexAt(text, end+2, 4); ok && strings.HasPrefix(text[end:], `\u`) && utf16.DecodeRune(r, rune(low)) != utf8.RuneError {
				r, end = utf16.DecodeRune(r, rune(low)), end+6
			}
			return utf8.AppendRune(out, r), end
		}
	case c == 'x':
		if b, ok := hexAt(text, at+1, 2); ok {
			return append(out, byte(b)), at + 3
		}
	case c > ' ' && c < utf8.RuneSelf && !ascii.IsAlnum(c):
		return append(out, c), at + 1
	}
	return out, at
}

// hexAt returns the number that so many hexadecimal digits at an offset write.
func hexAt(text string, at, digits int) (uint64, bool) {
	if at+digits > len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], 16, 16)
	return n, err == nil
}

// start returns where in the text what begins at an offset of the reading is written.
func (r *reading) start(at int) int {
	for i := len(r.rounds) - 1; i >= 0; i-- {
		changes := r.rounds[i]
		n := sort.Search(len(changes), func(n int) bool { return int(changes[n].at) > at })
		if n == 0 {
			continue
		}
		if c := &changes[n-1]; at < int(c.at+c.size) {
			at = int(c.start)
		} else {
			at += int(c.end - c.at - c.size)
		}
	}
	return at
}

// end returns where in the text what ends at an offset of the reading ends.
func (r *reading) end(at int) int {
	for i := len(r.rounds) - 1; i >= 0; i-- {
		changes := r.rounds[i]
		if n := sort.Search(len(changes), func(n int) bool { return int(changes[n].at) >= at }); n > 0 {
			c := &changes[n-1]
			at = int(c.end) + max(0, at-int(c.at+c.size))
		}
	}
	return at
}
