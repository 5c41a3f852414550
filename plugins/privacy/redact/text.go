package redact

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Text is the decoded content of a JSON string.
type Text struct {
	Decoded string
	raw     string // what was decoded
	base    int    // where that begins in its document
	reached place
}

// A place is an offset in a text that was read from a JSON text, and the same place in the latter.
type place struct{ at, rawAt int }

// move moves to an offset of the text, with the number of bytes that a character has there, which is an escape in raw. Calls from left to
// right cost one pass.
func (p *place) move(at int, raw string, size func(char string) int) {
	if at < p.at {
		*p = place{}
	}
	for p.at < at {
		plain := strings.IndexByte(raw[p.rawAt:min(len(raw), p.rawAt+at-p.at)], '\\')
		if plain < 0 {
			p.rawAt += at - p.at
			p.at = at
			return
		}
		char, n := jsontext.Unescape(jsontext.Body(raw[p.rawAt+plain:]))
		p.at += plain + size(string(char))
		p.rawAt += plain + n
	}
}

// Decode reads the content of a JSON string. A surrogate without its other half becomes U+FFFD, though in the record it stays.
func Decode(raw string, base int) Text {
	t, _ := decode(nil, raw, base)
	return t
}

// decode does what Decode does, in the memory of out, of which the text is a view. It returns that memory, which may have grown.
func decode(out []byte, raw string, base int) (Text, []byte) {
	t := Text{Decoded: raw, raw: raw, base: base}
	if strings.IndexByte(raw, '\\') < 0 {
		return t, out
	}
	if cap(out) < len(raw) {
		out = make([]byte, 0, len(raw))
	}
	out = out[:0]
	for i := 0; i < len(raw); {
		plain := strings.IndexByte(raw[i:], '\\')
		if plain < 0 {
			plain = len(raw) - i
		}
		out = append(out, raw[i:i+plain]...)
		if i += plain; i+1 < len(raw) && shortEscapes[raw[i+1]] != 0 {
			out = append(out, shortEscapes[raw[i+1]])
			i += 2
		} else if i < len(raw) {
			r, size := jsontext.Unescape(jsontext.Body(raw[i:]))
			out = utf8.AppendRune(out, r)
			i += size
		}
	}
	t.Decoded = jsontext.View(out)
	return t, out
}

// shortEscapes are the characters of ASCII that two bytes stand for, by the second one.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// InDocument returns the offset in the document of a decoded offset.
func (t *Text) InDocument(at int) int {
	if len(t.Decoded) == len(t.raw) {
		return t.base + at
	}
	t.reached.move(at, t.raw, func(char string) int { return len(char) })
	return t.base + t.reached.rawAt
}

// escaped returns a text as the content of a JSON string.
func escaped(s string) string {
	var small [64]byte // of most texts, which have nothing to escape
	body := jsontext.AppendBody(small[:0], s)
	if string(body) == s {
		return s
	}
	return string(body)
}

// An Edit replaces doc[Start:End] by Text.
type Edit struct {
	Start, End int
	Text       string
}

// Apply returns a text after its edits, which are sorted and do not overlap.
func Apply(doc string, edits []Edit) (dst []byte) {
	at := 0
	for _, e := range edits {
		dst = append(append(dst, doc[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(dst, doc[at:]...)
}

// Locate returns where the code points start to end of the value at a path are in a text. The path comes from a ledger row: empty
// for the text itself, and with @fromstr before a path in its JSON. ok is false for a key, and below a key that the path hides.
func Locate(text, path string, inKey bool, start, end int) (from, to int, ok bool) {
	if path == "" {
		return start, end, !inKey
	}
	path, ok = strings.CutPrefix(path, "@fromstr.")
	if !ok || inKey {
		return 0, 0, false
	}
	path, inner, deeper := strings.Cut(path, ".@fromstr.")
	value := gjson.Get(text, path)
	if !value.Exists() || value.Index == 0 {
		return 0, 0, false
	}
	if value.Type != gjson.String {
		before := utf8.RuneCountInString(text[:value.Index])
		return before + start, before + end, true
	}
	t := Decode(text[value.Index+1:value.Index+len(value.Raw)-1], value.Index+1)
	if deeper {
		if start, end, ok = Locate(t.Decoded, "@fromstr."+inner, inKey, start, end); !ok {
			return 0, 0, false
		}
	}
	place := func(runes int) int {
		at := t.InDocument(byteOf(t.Decoded, runes))
		return utf8.RuneCountInString(text[:at])
	}
	return place(start), place(end), true
}

func byteOf(text string, runes int) int {
	for at := range text {
		if runes == 0 {
			return at
		}
		runes--
	}
	return len(text)
}

// A piece is a part of the current text of a string: original[start:end], or its replacement.
type piece struct {
	start, end int
	out        string
	replaced   bool
}

func (p *piece) size() int {
	if p.replaced {
		return len(p.out)
	}
	return p.end - p.start
}

// Pieces is the current text of a string with its replacements. Cuts go from left to right; Turn begins again at the left.
type Pieces struct {
	now, next []piece
	index     int // the first piece of now that is not in next
	offset    int // of that piece in the current text
}

// Reset starts with a text of size bytes.
func (p *Pieces) Reset(size int) {
	p.now, p.next = append(p.now[:0], piece{end: size}), p.next[:0]
	p.index, p.offset = 0, 0
}

// Cut replaces current[start:end] by out, and returns where that is in the original.
func (p *Pieces) Cut(start, end int, out string) (from, to int) {
	p.split(start)
	first := len(p.next)
	p.split(end)
	from, to = p.next[first].start, p.next[len(p.next)-1].end
	p.next = append(p.next[:first], piece{from, to, out, true})
	return from, to
}

// Turn makes the text after all cuts the current one.
func (p *Pieces) Turn() {
	p.split(math.MaxInt)
	p.now, p.next = p.next, p.now[:0]
	p.index, p.offset = 0, 0
}

// split moves what precedes offset at of the current text to next.
func (p *Pieces) split(at int) {
	for ; p.index < len(p.now) && p.offset < at; p.index++ {
		q := &p.now[p.index]
		if size := q.size(); p.offset+size <= at {
			p.next = append(p.next, *q)
			p.offset += size
			continue
		}
		left, n := *q, at-p.offset
		if q.replaced {
			left.out, q.out, q.start = q.out[:n], q.out[n:], q.end
		} else {
			left.end, q.start = q.start+n, q.start+n
		}
		p.next = append(p.next, left)
		p.offset = at
		return
	}
}

// Edits appends the replacements as edits of the document.
func (p *Pieces) Edits(dst []Edit, t *Text) []Edit {
	for _, q := range p.now {
		if q.replaced {
			start := t.InDocument(q.start)
			dst = append(dst, Edit{start, t.InDocument(q.end), escaped(q.out)})
		}
	}
	return dst
}

func (p *Pieces) release() {
	p.now, p.next = jsontext.Reuse(p.now), jsontext.Reuse(p.next)
}
