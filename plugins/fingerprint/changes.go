package fingerprint

import "slices"

// A wording holds the pairs of neighbouring words of what users asked, in a form that shows how it differs from another wording
// as long as the difference is small, whatever the length of both: an invertible Bloom lookup table. Each pair is added to four
// cells. In the difference of two tables a cell with a single pair shows it, and without that pair others become single.
type wording [cells]uint32

const (
	cells  = 40
	hashes = 4 // cells of a pair

	// most is how many pairs of one wording may be missing in the other: those around four changed words.
	most = 8
)

// A pair is two neighbouring words, 12 bits of each.
type pair uint32

func pairOf(left, right uint64) pair { return pair(left>>52<<12 | right>>52) }

func (p pair) left() pair  { return p >> 12 }
func (p pair) right() pair { return p & 0xfff }

// cells returns where a pair is added.
func (p pair) cells() (at [hashes]uint32) {
	h := spread(uint64(p))
	for i := range at {
		const each = cells / hashes
		at[i] = uint32(i*each) + uint32(h>>(16*i)&0xffff)%each
	}
	return at
}

// add adds a pair n times. A cell has their sum above the lowest byte, and their number in it.
func (w *wording) add(p pair, n int32) {
	for _, i := range p.cells() {
		w[i] += uint32(n) * uint32(p<<8|1)
	}
}

// single returns the pair of a cell that holds one, and 1, or -1 when it was subtracted.
func (w *wording) single(cell uint32) (p pair, n int32) {
	for _, n := range []int32{1, -1} {
		if value := w[cell] * uint32(n); value&0xff == 1 {
			p := pair(value >> 8)
			if at := p.cells(); slices.Contains(at[:], cell) {
				return p, n
			}
		}
	}
	return 0, 0
}

// changes counts the words that are others in one wording than in the other. It is not ok when they are many, or when two of
// them are neighbours: then something else is asked in a text that both share.
func (w wording) changes(other *wording) (n int, ok bool) {
	for i := range w {
		w[i] -= other[i]
	}
	var only [2][]pair // in w, in other
	for progress := true; progress; {
		progress = false
		for i := range w {
			p, sign := w.single(uint32(i))
			if sign == 0 {
				continue
			}
			side := &only[(1-sign)/2]
			if *side = append(*side, p); len(*side) > most {
				return 0, false
			}
			w.add(p, -sign)
			progress = true
		}
	}
	if w != (wording{}) || together(only[0]) || together(only[1]) {
		return 0, false
	}
	return (max(len(only[0]), len(only[1])) + 1) / 2, true
}

// together reports whether three pairs follow each other: with a changed word on both sides of the one in the middle.
func together(pairs []pair) bool {
	return slices.ContainsFunc(pairs, func(middle pair) bool {
		return slices.ContainsFunc(pairs, func(p pair) bool { return p.right() == middle.left() && p != middle }) &&
			slices.ContainsFunc(pairs, func(p pair) bool { return p.left() == middle.right() && p != middle })
	})
}
