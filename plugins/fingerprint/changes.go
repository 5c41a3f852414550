package fingerprint

import "slices"

// A wording holds the pairs of neighbouring words of what users asked, in a form that shows how it differs from another wording
// as long as the difference is small, whatever the length of both: an invertible Bloom lookup table. Each pair is added to four
// cells. In the difference of two tables a cell with a single pair shows it, and without that pair others become single.
type wording struct {
	sums   [cells]uint32
	counts [cells]uint8
}

const (
	cells  = 40
	hashes = 4 // cells of a pair

	// most is how many pairs of one wording may be missing in the other: those around four changed words.
	most = 8
)

// A pair is two neighbouring words, 12 bits of each, and a check of 8 bits.
type pair uint32

func pairOf(left, right uint64) pair { return checked(left>>52<<12 | right>>52) }

func checked(words uint64) pair { return pair(words<<8 | spread(words)>>56) }

func (p pair) left() pair  { return p >> 20 }
func (p pair) right() pair { return p >> 8 & 0xfff }

// cells returns where a pair is added.
func (p pair) cells() [hashes]int {
	const each = cells / hashes
	h := spread(spread(uint64(p)))
	return [hashes]int{int(h & 0xffff % each), each + int(h>>16&0xffff%each), 2*each + int(h>>32&0xffff%each), 3*each + int(h>>48%each)}
}

// add adds a pair n times.
func (w *wording) add(p pair, n int) {
	sum, count := uint32(n)*uint32(p), uint8(n)
	for _, i := range p.cells() {
		w.sums[i] += sum
		w.counts[i] += count
	}
}

// single returns the pair of a cell that holds one, and 1, or -1 when it was subtracted.
func (w *wording) single(cell int) (p pair, n int) {
	switch w.counts[cell] {
	case 1:
		p, n = pair(w.sums[cell]), 1
	case 255:
		p, n = -pair(w.sums[cell]), -1
	default:
		return 0, 0
	}
	if at := p.cells(); checked(uint64(p>>8)) != p || !slices.Contains(at[:], cell) {
		return 0, 0
	}
	return p, n
}

// changes counts the words that are others in one wording than in the other. It is not ok when they are many, or when two of
// them are neighbours: then something else is asked in a text that both share.
func (w wording) changes(other *wording) (n int, ok bool) {
	for i := range w.sums {
		w.sums[i] -= other.sums[i]
		w.counts[i] -= other.counts[i]
	}
	var only [2][]pair // in w, in other
	for progress := true; progress; {
		progress = false
		for i := range w.sums {
			p, sign := w.single(i)
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
