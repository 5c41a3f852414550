package fingerprint

import (
	"math/bits"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// How near duplicates are found: one-permutation MinHash. The hash of a shingle chooses its bin, and the least hash in a bin
// serves as the minimum of one permutation.
const (
	shingle = 5 // words

	Bins    = 60 // of the whole conversation
	answers = 20 // of the response alone
)

// A Sketch has one byte of the least shingle of each bin. The share of bytes that two sketches have in common estimates the
// Jaccard similarity of their shingles.
type Sketch struct {
	Whole  [Bins]byte
	answer [answers]byte
}

// Alike estimates how similar two conversations are, from 0 to 1: as a whole or in their responses, whichever is less, so that
// rows with a long common history and different answers are not duplicates.
func (s *Sketch) Alike(other *Sketch) float64 {
	return min(share(s.Whole[:], other.Whole[:]), share(s.answer[:], other.answer[:]))
}

func share(a, b []byte) float64 {
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// A sketcher computes sketches from the words of users, the assistant and tools. System texts and tool lists are left out, since
// many rows share them that have nothing else in common.
type sketcher struct {
	history [Bins]uint64 // the least shingle of each bin
	answer  [Bins]uint64
	least   *[Bins]uint64  // history or answer
	last    [recent]uint64 // words of the text, the last ones
	n       int            // words of the text
	sum     uint64         // of the words of a shingle
	text    []byte
}

// empty marks a bin without a shingle.
const empty = ^uint64(0)

// row computes the sketch of a row. A row without words has none.
func (s *sketcher) row(row *canonical.Row) (sk Sketch, ok bool) {
	s.begin(&s.history) // the shingles of these turns
	for _, t := range row.Turns {
		if t.Role != canonical.System && t.Role != canonical.Developer {
			s.turn(row, t)
		}
	}
	s.begin(&s.answer) // and apart from them, those of the response
	s.turn(row, row.Response)
	whole := &s.history
	for i, least := range s.answer {
		whole[i] = min(whole[i], least)
	}
	ok = settle(whole[:], sk.Whole[:])
	settle(fewer(s.answer[:]), sk.answer[:])
	return sk, ok
}

// fewer joins neighbouring bins, so that there are as many as an answer has.
func fewer(least []uint64) []uint64 {
	const each = Bins / answers
	for i := range answers {
		of := least[i*each:][:each]
		joined := empty
		for k := each - 1; k >= 0; k-- {
			if of[k] != empty {
				joined = of[k] ^ uint64(k)
			}
		}
		least[i] = joined
	}
	return least[:answers]
}

// begin empties the bins, which get the shingles of the turns that follow.
func (s *sketcher) begin(least *[Bins]uint64) {
	s.least = least
	for i := range least {
		least[i] = empty
	}
}

func (s *sketcher) turn(row *canonical.Row, t canonical.Turn) {
	for i := t.From; i < t.To; i++ {
		p := &row.Parts[i]
		s.add(p.Body)
		if p.Kind == canonical.CallPart || p.Kind == canonical.ResultPart {
			s.add(p.Name)
			s.add(jsontext.Body(p.Value))
		}
	}
}

// recent is how many words are kept, at least as many as a shingle has.
const recent = 8

// turned is by how many bits each word rotates the sum.
const turned = 11

// word adds a word, and the shingle that ends with it. It is a rolling hash: each word in the sum is rotated once for every word
// after it, so that the one that leaves can be subtracted.
func (s *sketcher) word(word uint64) {
	s.sum = bits.RotateLeft64(s.sum, turned) ^ word
	s.last[s.n%recent] = word
	if s.n >= shingle {
		s.sum ^= bits.RotateLeft64(s.last[(s.n-shingle)%recent], turned*shingle)
	}
	if s.n++; s.n >= shingle {
		s.put(s.sum)
	}
}

func (s *sketcher) put(h uint64) {
	bin, rest := bits.Mul64(h, Bins)
	s.least[bin] = min(s.least[bin], rest)
}

// settle takes a byte from each bin. An empty bin borrows from another, drawn by its number, so that two sketches agree there as
// often as elsewhere. It returns false when all are empty.
func settle(least []uint64, into []byte) (ok bool) {
	for _, m := range least {
		ok = ok || m != empty
	}
	for i, m := range least {
		for try := uint64(1); ok && m == empty; try++ {
			from, _ := bits.Mul64(spread(uint64(i)<<32|try), uint64(len(least)))
			m = least[from]
		}
		into[i] = byte(spread(m) >> 56)
	}
	return ok
}
