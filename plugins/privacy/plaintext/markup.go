package plaintext

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// emphasis reads the signs of Markdown at the beginning of an emphasis that ends in the same line.
func (d *Reader) emphasis(at int) (Change, bool) {
	mark := d.s[at]
	n := 1
	for d.after(at+n) == mark {
		n++
	}
	end := at + n
	if !isEmphasis(mark, n) || !opensEmphasis(n, d.before(at), d.after(end)) {
		return Change{End: end}, false
	}
	text := d.s[end:min(len(d.s), end+maxEmphasis)]
	if line := strings.IndexByte(text, '\n'); line >= 0 {
		text = text[:line]
	}
	for i := 1; i < len(text); {
		more := strings.IndexByte(text[i:], mark)
		if more < 0 {
			break
		}
		i += more
		size := 1
		for i+size < len(text) && text[i+size] == mark {
			size++
		}
		if size == n && text[i-1] > ' ' && !isInWord(d.after(end+i+n)) {
			d.closers = append(d.closers, closer{end + i, end + i + n})
			return Change{Start: at, End: end}, true
		}
		i += size
	}
	return Change{End: end}, false
}

// isEmphasis reports whether so many of a sign are one of the emphases of Markdown.
func isEmphasis(mark byte, n int) bool {
	switch mark {
	case '*':
		return n <= 3
	case '_':
		return n <= 2
	}
	return n == 2
}

// opensEmphasis reports whether n signs between two bytes may begin an emphasis. One alone needs a word, a plus or
// an opening quotation mark behind it.
func opensEmphasis(n int, before, next byte) bool {
	switch {
	case next <= ' ', before > ' ' && !beforeEmphasis[before]:
		return false
	case n > 1, isInWord(next), next == '+':
		return true
	}
	return ascii.IsQuote(next) && !ascii.IsQuote(before)
}

// beforeEmphasis are the signs that an emphasis may follow without a blank.
var beforeEmphasis = ascii.Set("([{<\"'|>:=,;-")

// maxEmphasis is the most bytes of an emphasis.
const maxEmphasis = 200

// A tagKind says what an element of HTML does with its text.
type tagKind uint8

const (
	noTag  tagKind = iota
	inline         // it goes on
	cell           // it is a part of a row
	block          // it has lines of its own
)

var tagKinds = func() map[string]tagKind {
	kinds := map[string]tagKind{}
	for kind, names := range map[tagKind]string{
		inline: "a abbr b bdi big cite code del em font i ins kbd label mark q s samp small span strike strong sub sup tt u var",
		cell:   "td th dt dd",
		block: "table thead tbody tfoot tr br p div li ul ol dl h1 h2 h3 h4 h5 h6 hr section article header footer main nav body html head title " +
			"option select form blockquote pre summary details legend fieldset figure figcaption caption",
	} {
		for _, name := range strings.Fields(names) {
			kinds[name] = kind
		}
	}
	return kinds
}()

// tagAt returns the kind of a tag at at and its end.
func (d *Reader) tagAt(at int) (kind tagKind, closing bool, end int) {
	if d.after(at) != '<' {
		return noTag, false, at
	}
	i := at + 1
	if d.after(i) == '/' {
		closing = true
		i++
	}
	name := ascii.Forward(d.s, i, 11, ascii.AlnumSet)
	if c := d.after(name); name == i || c != '>' && c != '/' && c != ' ' && c != '\n' {
		return noTag, false, at
	}
	if kind = tagKinds[strings.ToLower(d.s[i:name])]; kind == noTag {
		return noTag, false, at
	}
	size := strings.IndexByte(d.s[name:min(len(d.s), name+513)], '>')
	if size < 0 || strings.IndexByte(d.s[name:name+size], '<') >= 0 {
		return noTag, false, at
	}
	return kind, closing, name + size + 1
}

// tags reads the tags at at, with blanks between them.
func (d *Reader) tags(at int) (Change, bool) {
	const open, shut = "<![CDATA[", "]]>"
	if strings.HasPrefix(d.s[at:], open) {
		end := at + len(open)
		if n := strings.Index(d.s[end:min(len(d.s), end+4096)], shut); n >= 0 {
			d.closers = append(d.closers, closer{end + n, end + n + len(shut)})
			return Change{Start: at, End: end}, true
		}
		return Change{}, false
	}
	var most tagKind
	var closed, opened, gap bool // the last closing tag is before the first opening one
	var left, entered tagKind    // by the last closing tag, and by the first opening one behind it
	end := at
	for i := at; ; i = ascii.Forward(d.s, end, len(d.s), blankSet) {
		kind, closing, next := d.tagAt(i)
		if kind == noTag {
			break
		}
		gap = gap || i > end
		end, most = next, max(most, kind)
		switch {
		case closing && !opened:
			closed, left = true, max(left, kind)
		case !closing:
			opened, entered = true, max(entered, kind)
		}
	}
	switch {
	case most == noTag:
		return Change{}, false
	case most == cell && left == cell && entered == cell && !strings.EqualFold(d.s[at:min(len(d.s), at+4)], "</dd"):
		return d.operator(at, end), true
	case most >= cell:
		return Change{at, end, "\n", "\n"}, true
	case closed && !opened:
		return d.closed(at, end), true
	}
	c := d.removal(at, end)
	if gap {
		c.Out, c.Apart = " ", " "
	}
	if next := d.after(end); closed && opened && isInWord(d.before(at)) && (isInWord(next) || ascii.IsQuote(next)) {
		c.Apart = ": "
	}
	return c, true
}

var blankSet = ascii.Set(" \t\n\r")

// bar reads a border between cells of a row, which begins with one. The border is an operator, and ends what is before it.
func (d *Reader) bar(at, size int) (Change, bool) {
	line := d.lineStart(at)
	if ascii.Forward(d.s, line, len(d.s), ascii.SpaceSet) == at {
		d.row = line
		return Change{at, at + size, "|", "|"}, size > 1
	}
	end := ascii.Forward(d.s, at+size, len(d.s), ascii.SpaceSet)
	if d.row != line || end == len(d.s) || d.s[end] == '\n' || d.s[end] == '\r' || d.s[end] == '\\' {
		return Change{at, at + size, " ", " "}, size > 1 || d.row == line
	}
	if cell := d.s[d.line:at]; strings.IndexByte(cell[strings.LastIndexByte(cell, '|')+1:], ',') >= 0 {
		return Change{at, at + size, ";", ";"}, true // behind a list, which names nothing
	}
	return d.operator(at, at+size), true
}

// Entities are the names of characters in HTML that matter inside of values and next to them.
var Entities = map[string]string{
	"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'", "nbsp": " ", "ensp": " ", "emsp": " ", "thinsp": " ", "commat": "@",
	"period": ".", "colon": ":", "equals": "=", "plus": "+", "lowbar": "_", "hyphen": "-", "dash": "-", "ndash": "-", "mdash": "-", "minus": "-",
	"sol": "/", "num": "#", "excl": "!", "dollar": "$", "percnt": "%", "ast": "*", "lpar": "(", "rpar": ")", "comma": ",", "semi": ";",
	"vert": "|", "tab": "\t", "newline": "\n", "rarr": "->", "shy": "", "zwnj": "", "zwj": "",
}

// entity reads a character reference of HTML.
func (d *Reader) entity(at int) (Change, bool) {
	name, _, ok := strings.Cut(d.s[at+1:min(len(d.s), at+12)], ";")
	if !ok || name == "" {
		return Change{}, false
	}
	end := at + len(name) + 2
	if name[0] == '#' {
		base, digits := 10, name[1:]
		if digits != "" && digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
		code, err := strconv.ParseUint(digits, base, 21)
		if err != nil {
			return Change{}, false
		}
		return d.reads(at, end, rune(code))
	}
	out, ok := Entities[name]
	if !ok {
		out, ok = Entities[strings.ToLower(name)]
	}
	return Change{at, end, out, out}, ok
}

// plainRune returns how a character reads that has another form than ASCII's: full-width letters, digits of other scripts,
// blanks and hyphens of all kinds, and what has no width.
func plainRune(r rune) (string, bool) {
	switch {
	case r < 0x80:
		return "", false
	case r >= 0xff01 && r <= 0xff5e:
		return asciiText[r-0xff01:][:1], true
	case r == 0xad, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2064, r >= 0x2066 && r <= 0x2069,
		r == 0xfeff, r >= 0xfe00 && r <= 0xfe0f, r == 0x180e:
		return "", true
	case r == 0xa0, r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000, r == 0x1680:
		return " ", true
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xfe58, r == 0xfe63:
		return "-", true
	case unicode.Is(unicode.Nd, r):
		return ascii.DigitBytes[DigitValue(r):][:1], true
	}
	return "", false
}

const asciiText = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// DigitValue returns the value of a decimal digit. Those of a script follow each other, from zero on.
func DigitValue(r rune) int {
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	return 0
}

// foreign reads a character that is not ASCII. A sign that texts of some language are full of is read only where it matters.
func (d *Reader) foreign(at int, r rune, size int) (Change, bool) {
	end := at + size
	as := Change{End: end}
	switch {
	case r == '│' || r == '┃' || r == '║':
		return d.bar(at, size)
	case r >= 0x2500 && r <= 0x257f:
		return Change{at, end, " ", " "}, d.lineStart(at) == d.row
	case size > 2 && r >= '–' && r <= '⟿' && isDash(d.s[at:end]) && d.separates(at, end):
		return d.operator(at, end), true
	}
	out, ok := plainRune(r)
	if !ok {
		return as, false
	}
	b := d.before(at)
	switch {
	case r >= 0xff01 && out != "@" && !ascii.IsAlnum(out[0]): // a sign, which counts between letters of its width
		next, _ := utf8.DecodeRuneInString(d.s[end:])
		goesOn := at > 0 && d.last() == at
		if next > 0xff5e || next < 0xff01 && (!goesOn || next != ' ') || !goesOn && out != "+" {
			return as, false
		}
	case out == "-":
		if next := d.after(end); !ascii.IsAlnum(b) || !ascii.IsAlnum(next) && next < utf8.RuneSelf || r > '‑' && !d.isGroup(at, size) {
			return as, false
		}
	case out == "" && !isGraphic(b) && !isGraphic(d.after(end)):
		return as, false
	}
	return Change{at, end, out, out}, true
}

// isGroup reports whether a dash in a number is one of several, as between its groups: one alone is between two numbers.
func (d *Reader) isGroup(at, size int) bool {
	dash := d.s[at : at+size]
	return ascii.IsDigit(d.s[at-1]) && strings.Contains(d.s[max(0, at-8):at]+" "+d.s[at+size:min(len(d.s), at+size+8)], dash)
}

func isDash(s string) bool {
	return slices.Contains(operatorDashes, s)
}

// separates reports whether a dash or an arrow has a letter before it and blanks around it.
func (d *Reader) separates(start, end int) bool {
	next := d.after(end)
	before := strings.TrimRight(d.s[max(d.last(), start-8):start], " ")
	if before == "" || next != ' ' || d.s[start-1] != ' ' {
		return false
	}
	c := before[len(before)-1]
	return !ascii.IsDigit(c) && (isInWord(c) || ascii.IsQuote(c))
}

// joint reads a line break behind a sign that says that the line goes on, and the indent of the next line.
func (d *Reader) joint(start, at int) (Change, bool) {
	end := ascii.Forward(d.s, at+1, len(d.s), ascii.SpaceSet)
	return Change{start, end, "", " "}, true
}

// wrap reads a line break inside of a value: between quoted parts of it, or where a line is full.
func (d *Reader) wrap(at int) (Change, bool) {
	before := at
	if before > 0 && d.s[before-1] == '\r' {
		before--
	}
	if before == 0 {
		return Change{}, false
	}
	if ascii.IsQuote(d.s[before-1]) {
		return d.quotedJoint(before-1, at+1)
	}
	next, ok := d.tornAt(before, at+1)
	if !ok {
		return Change{}, false
	}
	return Change{before, next, "", d.s[before:next]}, true
}

// tornAt returns where a value goes on that a line break from before to at tears: behind the indent or the signs of a comment.
func (d *Reader) tornAt(before, at int) (next int, ok bool) {
	left := ascii.Back(d.s, before, maxWrapped, wrapSet)
	if before-left < leastWrapped || left < d.last() {
		return 0, false
	}
	for next = at; next < len(d.s) && strings.IndexByte(" \t#/*>|\"'", d.s[next]) >= 0 && next-at < 40; {
		next++
	}
	right := ascii.Forward(d.s, next, maxWrapped, wrapSet)
	v := d.s[next:right]
	if len(v) < 4 || len(v) > before-left+8 || !behindWrapped[d.after(right)] {
		return 0, false
	}
	if !isTorn(d.s[left:before]) {
		return 0, false
	}
	if len(v) >= 16 {
		return next, isTorn(v)
	}
	return next, ascii.HasDigit(v) || shape.HasBothCases(v) || strings.HasSuffix(v, "=")
}

const leastWrapped, maxWrapped = 24, 1024

var wrapSet = ascii.Set(ascii.TokenBytes + "+/=.")

// behindWrapped are the bytes that may follow a wrapped value; 0 stands for the end of the text.
var behindWrapped = ascii.Set("\x00\n\r,;\\" + ascii.Quotes)

// isTorn reports whether a part of a line may be one of a longer value: it looks drawn, and is no hash.
func isTorn(v string) bool {
	v = shape.Sample(v)
	return ascii.HasDigit(v) && shape.HasBothCases(v) && shape.Oddness(v) >= 0.2
}

// quotedJoint reads what is between two quoted parts of a value: "a" + "b". The mark that closes the first is at at, and the second
// begins behind from.
func (d *Reader) quotedJoint(at, from int) (Change, bool) {
	if at < d.last() {
		return Change{}, false
	}
	next := ascii.Forward(d.s, from, 200, blankSet)
	if d.after(next) == '+' || d.after(next) == '.' {
		next = ascii.Forward(d.s, next+1, 200, blankSet)
	}
	slashes := ascii.Back(d.s, at, 3, ascii.Backslashes)
	mark := d.s[slashes : at+1]
	if !strings.HasPrefix(d.s[next:], mark) || slashes < d.last() {
		return Change{}, false
	}
	next += len(mark)
	if at-ascii.Back(d.s, slashes, 8, wrapSet) < 8 || next == len(d.s) || !wrapSet[d.s[next]] {
		return Change{}, false
	}
	return Change{slashes, next, "", d.s[slashes:next]}, true
}
