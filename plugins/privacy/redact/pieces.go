package redact

import (
	"math"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

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
