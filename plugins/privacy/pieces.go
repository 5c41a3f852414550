package privacy

import "slices"

// A piece is a stretch of the current text of a string: original[start:end], or what replaced it.
type piece struct {
	start, end int
	out        string
	replaced   bool
}

// pieces are the current text of a string, of which some may be replaced.
type pieces []piece

func (p piece) size() int {
	if p.replaced {
		return len(p.out)
	}
	return p.end - p.start
}

// A cursor is a place in the current text: where piece index begins. Cuts that go from left to right share one, so
// that they do not begin their search anew.
type cursor struct{ index, offset int }

// cut puts one piece with the text out in the place of current[start:end], which is not left of the cursor.
func (ps *pieces) cut(c *cursor, start, end int, out string) piece {
	ps.split(c, start)
	last := *c
	ps.split(&last, end)
	p := piece{(*ps)[c.index].start, (*ps)[last.index-1].end, out, true}
	*ps = slices.Replace(*ps, c.index, last.index, p)
	return p
}

// split makes a piece begin at offset at of the current text and moves the cursor to it.
func (ps *pieces) split(c *cursor, at int) {
	for ; c.index < len(*ps) && c.offset < at; c.index++ {
		p := &(*ps)[c.index]
		size := p.size()
		if c.offset+size > at {
			rest := *p
			if p.replaced {
				rest.start, rest.out = p.end, p.out[at-c.offset:]
				p.out = p.out[:at-c.offset]
			} else {
				p.end = p.start + at - c.offset
				rest.start = p.end
			}
			*ps = slices.Insert(*ps, c.index+1, rest)
			size = at - c.offset
		}
		c.offset += size
	}
}

// edits appends what the pieces changed in the document.
func (ps pieces) edits(dst []edit, t text) []edit {
	for _, p := range ps {
		if p.replaced {
			dst = append(dst, edit{t.raw(p.start), t.raw(p.end), string(appendEscaped(nil, p.out))})
		}
	}
	return dst
}
