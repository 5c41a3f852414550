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

// cut puts one piece with the text out in the place of current[start:end].
func (ps *pieces) cut(start, end int, out string) piece {
	first := ps.split(start)
	last := ps.split(end)
	p := piece{(*ps)[first].start, (*ps)[last-1].end, out, true}
	*ps = slices.Replace(*ps, first, last, p)
	return p
}

// split makes a piece begin at offset at of the current text and gives its index.
func (ps *pieces) split(at int) int {
	for i, p := range *ps {
		switch size := p.size(); {
		case at == 0:
			return i
		case at >= size:
			at -= size
		case p.replaced:
			(*ps)[i].out = p.out[:at]
			*ps = slices.Insert(*ps, i+1, piece{p.end, p.end, p.out[at:], true})
			return i + 1
		default:
			(*ps)[i].end = p.start + at
			*ps = slices.Insert(*ps, i+1, piece{p.start + at, p.end, "", false})
			return i + 1
		}
	}
	return len(*ps)
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
