// Package plaintext returns the visible text, without markup, colours and escapes.
//
// # Private words
//
//	dress  what makes a text read otherwise than it is written: colours, Markdown, HTML, escapes, letters of other widths
package plaintext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
)

// A Reader reads a text from sign to sign, and collects its changes in order.
type Reader struct {
	s         string
	Changes   []Change
	closers   []closer // of what is open, the first last
	line      int      // where the line begins, as far as it was looked for: up to seen
	seen      int
	marks     []uint64                  // of a window of s: a bit for each sign
	first     int                       // the number of the first of them
	lastBlock [prefilter.BlockSize]byte // the bytes of the last block of s, when it is not full
	row       int                       // where the row of a table begins that bars are in, or -1
	form      struct {
		end int
		is  bool
	}
	stretched struct { // the last stretch, of whose text nothing is kept
		text []byte
		at   []int
	}
}

// Release frees memory after a text that needed much of it, and forgets the text.
func (d *Reader) Release() {
	const many = 1 << 16
	if cap(d.Changes) > many {
		d.Changes = nil
	}
	if cap(d.stretched.text) > many {
		d.stretched.text, d.stretched.at = nil, nil
	}
	d.s = ""
}

// A closer is where an emphasis ends.
type closer struct{ start, end int }

// Read collects the changes of a text.
func (d *Reader) Read(text string) {
	d.s, d.Changes, d.closers, d.line, d.row, d.form.end = text, d.Changes[:0], d.closers[:0], 0, -1, 0
	d.seen = 0
	d.marks = d.marks[:0]
	for at := d.nextSign(0); at < len(text); at = d.nextSign(at) {
		c, ok := d.changeAt(at)
		if !ok {
			at = max(at+1, c.End)
			continue
		}
		if n := len(d.Changes); n == cap(d.Changes) {
			d.Changes = slices.Grow(d.Changes, max(n, 16)) // a text of many changes may have many more
		}
		if d.Changes = append(d.Changes, c); strings.HasSuffix(c.Out, "\n") {
			d.line = c.End
		}
		at = c.End
	}
}

// changeAt returns the change that begins at a sign. Without one, what ends at c.end is as it reads.
func (d *Reader) changeAt(at int) (c Change, ok bool) {
	if n := len(d.closers); n > 0 && d.closers[n-1].start <= at {
		end := d.closers[n-1].end
		d.closers = d.closers[:n-1]
		if end > at {
			return d.closed(at, end), true
		}
	}
	switch b := d.s[at]; b {
	case '\x1b', '^':
		return d.colour(at)
	case '\\':
		return d.escape(at)
	case '*', '_', '~':
		return d.emphasis(at)
	case '<':
		return d.tags(at)
	case '|':
		return d.bar(at, 1)
	case '&':
		return d.entity(at)
	case '%':
		return d.percent(at)
	case '+':
		return d.plus(at)
	case '\n':
		return d.wrap(at)
	}
	r, size := utf8.DecodeRuneInString(d.s[at:])
	return d.foreign(at, r, size)
}

// lineStart returns where the line of a sign begins. Calls are from left to right.
func (d *Reader) lineStart(at int) int {
	if n := strings.LastIndexByte(d.s[d.seen:at], '\n'); n >= 0 {
		d.line = max(d.line, d.seen+n+1)
	}
	d.seen = at
	return d.line
}

// before returns the byte that precedes at as the text reads, or 0.
func (d *Reader) before(at int) byte {
	for i := len(d.Changes) - 1; i >= 0 && d.Changes[i].End == at && at > 0; i-- {
		if out := d.Changes[i].Out; out != "" {
			return out[len(out)-1]
		}
		at = d.Changes[i].Start
	}
	if at <= 0 {
		return 0
	}
	return d.s[at-1]
}

// after returns the byte at at, or 0.
func (d *Reader) after(at int) byte {
	if at >= len(d.s) {
		return 0
	}
	return d.s[at]
}

// last returns the end of the last change, before which no other may begin.
func (d *Reader) last() int {
	if n := len(d.Changes); n > 0 {
		return d.Changes[n-1].End
	}
	return 0
}

// removal returns the change that takes dress away. Next to a letter it may be a border too, but not before a sign that ends any value.
func (d *Reader) removal(start, end int) Change {
	c := Change{Start: start, End: end}
	if b, next := d.before(start), d.after(end); b > ' ' && next > ' ' && (isInWord(b) || isInWord(next)) && !(endsSentence[next] && d.after(end+1) <= ' ') {
		c.Apart = " "
	}
	return c
}

// endsSentence are the signs that end a value when a blank follows.
var endsSentence = ascii.Set(".,:;!?)")

func isGraphic(c byte) bool { return c > ' ' && c < 0x7f }

func isInWord(c byte) bool { return ascii.IsWord(c) || c >= utf8.RuneSelf }

// operator returns the change of what separates a name from its value in a text for people, with the blanks around it.
func (d *Reader) operator(start, end int) Change {
	start = max(d.last(), len(strings.TrimRight(d.s[:start], " \t")))
	c := Change{Start: start, End: ascii.Forward(d.s, end, len(d.s), ascii.SpaceSet), Out: ": "}
	switch b := d.before(start); {
	case b == ':' || b == '=':
		c.Out = " "
	case ascii.IsDigit(b):
		c.Out = " | " // of no name, and no port follows
	}
	c.Apart = c.Out
	return c
}

// closed returns the change that takes an end of an emphasis away, and a dash behind it.
func (d *Reader) closed(start, end int) Change {
	at := ascii.Forward(d.s, end, len(d.s), ascii.SpaceSet)
	n := 0
	if next := d.after(at); next != '-' && next < utf8.RuneSelf {
		return d.removal(start, end)
	}
	for _, dash := range operatorDashes {
		if strings.HasPrefix(d.s[at:], dash) {
			n = len(dash)
			break
		}
	}
	if next := d.after(at + n); n > 0 && at > end && (next == ' ' || next == '\t') {
		return d.operator(start, at+n)
	}
	return d.removal(start, end)
}

// operatorDashes separate names from values in lists for people.
var operatorDashes = []string{"-", "–", "—", "→", "➜", "⇒", "➔", "⟶", "⟹", "↦"}

// colour reads the sequences with which programs steer a terminal, one or more.
func (d *Reader) colour(at int) (Change, bool) {
	end, moves := at, false
	for {
		next, moved := d.sequence(end)
		if next < 0 {
			break
		}
		end, moves = next, moves || moved
	}
	if end == at {
		return Change{}, false
	}
	if moves {
		return Change{Start: at, End: end, Out: " ", Apart: " "}, true
	}
	return d.removal(at, end), true
}

// escapes are the ways in which the byte that begins a sequence is written.
var escapes = []string{"\x1b", `\x1b`, `\x1B`, `\033`, `\u001b`, `\u001B`, `\e`, "^["}

// sequence returns the end of a sequence at at, or -1, and whether it moves on the screen.
func (d *Reader) sequence(at int) (end int, moves bool) {
	s := d.s[at:]
	if c := d.after(at); c != '\x1b' && c != '\\' && c != '^' {
		return -1, false
	}
	for _, esc := range escapes {
		slashes := 0
		if esc[0] == '\\' {
			slashes = max(0, ascii.Forward(s, 0, 8, ascii.Backslashes)-1)
		}
		if !strings.HasPrefix(s[slashes:], esc) {
			continue
		}
		i := at + slashes + len(esc)
		switch c := d.after(i); {
		case c == '[':
			for i++; i < len(d.s) && d.s[i] >= ' ' && d.s[i] < '@' && i-at < 64; i++ {
			}
			if c := d.after(i); c >= '@' && c <= '~' {
				return i + 1, c != 'm' && c != 'K'
			}
		case c == ']':
			return d.titleEnd(i + 1), false
		case esc == "\x1b" && c >= ' ' && c <= '~':
			return i + 1, false
		}
		return -1, false
	}
	return -1, false
}

// titleEnd returns the end of a title or a link that begins at at, or -1.
func (d *Reader) titleEnd(at int) int {
	text := d.s[at:min(len(d.s), at+2048)]
	best, end := len(text), -1
	for _, bell := range []string{"\a", `\a`, `\x07`, `\007`, `\u0007`, "^G", "\x1b\\", `\x1b\\`, `\x1b\`, `\033\\`, `\033\`, `\u001b\\`, `\u001b\`, `\e\\`} {
		if n := strings.Index(text[:best], bell); n >= 0 {
			best, end = n, at+n+len(bell)
		}
	}
	return end
}

// escape reads an escape of a programming language that is in the text as such, with any number of backslashes.
func (d *Reader) escape(at int) (Change, bool) {
	if c, ok := d.colour(at); ok {
		return c, true
	}
	i := ascii.Forward(d.s, at, 8, ascii.Backslashes)
	c := Change{Start: at, End: i + 1}
	switch b := d.after(i); b {
	case 'n', 'r':
		c.Out = "\n"
	case 't':
		c.Out = "\t"
	case '/':
		c.Out = "/"
	case '\n':
		return d.joint(at, i)
	case 'u', 'x':
		return d.coded(at, i+1, int(b-'t')&1*2+2)
	default:
		return Change{End: i}, false
	}
	c.Apart = c.Out
	if c.Out != "\n" {
		return c, true
	}
	if b := d.before(at); b == ':' || b == '=' {
		c.Out = " " // the value has the next line to itself
	} else if next, ok := d.tornAt(at, c.End); ok {
		c.Out, c.End = "", next
	}
	return c, true
}

// coded reads the code of a character in so many hexadecimal digits.
func (d *Reader) coded(start, at, digits int) (Change, bool) {
	r := rune(0)
	for i := at; i < at+digits; i++ {
		c := d.after(i)
		if !ascii.IsHex(c) {
			return Change{End: at}, false
		}
		r = r<<4 | rune(ascii.HexValue(c))
	}
	return d.reads(start, at+digits, r)
}

// reads returns the change to a character.
func (d *Reader) reads(start, end int, r rune) (Change, bool) {
	out, plain := plainRune(r)
	switch {
	case !plain && (r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || !utf8.ValidRune(r)):
		return Change{End: end}, false
	case !plain:
		out = string(r)
	}
	return Change{start, end, out, out}, true
}

// percent reads a character of a URL or a form, whose bytes are written as %XX.
func (d *Reader) percent(at int) (Change, bool) {
	var bytes [4]byte
	n, end := 0, at
	for n < len(bytes) {
		if end+2 >= len(d.s) || d.s[end] != '%' || !ascii.IsHex(d.s[end+1]) || !ascii.IsHex(d.s[end+2]) {
			break
		}
		bytes[n] = ascii.HexValue(d.s[end+1])<<4 | ascii.HexValue(d.s[end+2])
		if end, n = end+3, n+1; bytes[0] == '%' && ascii.IsHex(d.after(end)) && ascii.IsHex(d.after(end+1)) {
			bytes[0], end, n = ascii.HexValue(d.s[end])<<4|ascii.HexValue(d.s[end+1]), end+2, 1 // %2540 is %40, which is an @
		}
		if utf8.FullRune(bytes[:n]) {
			break
		}
	}
	r, size := utf8.DecodeRune(bytes[:n])
	if n == 0 || size != n || r == utf8.RuneError {
		return Change{}, false
	}
	return d.reads(at, end, r)
}

// plus reads the blank of a form, and the sign between parts of a value.
func (d *Reader) plus(at int) (Change, bool) {
	if d.isForm(at) {
		c := Change{at, at + 1, " ", " "}
		if ascii.IsWord(d.before(at)) && d.last() != at {
			c.Apart = "+" // of an address that is encoded only in part
		}
		return c, true
	}
	before := len(strings.TrimRight(d.s[:at], " \t\n\r"))
	if before == 0 || !ascii.IsQuote(d.s[before-1]) {
		return Change{}, false
	}
	return d.quotedJoint(before-1, at+1)
}

// isForm reports whether the text without blanks around a plus is of a form or a query, by others like name=value in it or by %XX.
func (d *Reader) isForm(at int) bool {
	if at < d.form.end {
		return d.form.is
	}
	start := ascii.Back(d.s, at, 512, formSet)
	d.form.end = max(at+1, ascii.Forward(d.s, at, len(d.s), formSet))
	text := d.s[start:d.form.end]
	name := strings.IndexByte(text, '=')
	d.form.is = name > 0 && ascii.IsWord(text[name-1]) && strings.Count(text[name:], "=") > 1 && strings.Contains(text, "&") ||
		strings.Contains(text, "%2") || strings.Contains(text, "%3") || strings.Contains(text, "%4")
	return d.form.is
}

var formSet = ascii.Set(ascii.Bytes("A-Za-z0-9") + "-._~:/?#[]@!$&'()*+,;=%")
