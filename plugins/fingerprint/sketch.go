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
// Jaccard similarity of their shingles. What is short is not estimated: rows with different short texts differ in Exact. The
// bytes are 0 of a row whose texts are all short, and of a short answer.
type Sketch struct {
	Whole  [Bins]byte
	answer [answers]byte
	Exact  uint64
	asked  wording
	words  uint32 // of what users say
	last   uint32 // of the last thing that a user says
	others bool   // others than users say long texts before the response
}

// SketchSize is how many bytes Append makes of a sketch.
const SketchSize = Bins + answers + 8 + 5*cells + 4 + 4 + 1

// Alike returns how similar two rows are, from 0 to 1: as a whole, in their responses or in what users ask, whichever is least. So
// rows with a long common history and different answers are not duplicates, nor are different questions with one stock answer.
func (s *Sketch) Alike(other *Sketch) float64 {
	if s.Exact != other.Exact {
		return 0
	}
	alike := min(share(s.answer[:], other.answer[:]), s.askedAlike(other))
	if s.others || other.others { // otherwise what is known exactly is all that there is
		alike = min(alike, share(s.Whole[:], other.Whole[:]))
	}
	return alike
}

// askedAlike returns the Jaccard similarity of the words of two questions that differ in single words, as if all of them were in
// what was asked last when there are several.
func (s *Sketch) askedAlike(other *Sketch) float64 {
	changed, ok := s.asked.changes(&other.asked)
	if !ok {
		return 0
	}
	if changed == 0 {
		return 1
	}
	n := max(s.words, other.words)
	if changed > 1 {
		n = max(s.last, other.last)
	}
	return max(0, float64(int(n)-changed)/float64(int(n)+changed))
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
	read    tokenizer
}

// empty marks a bin without a shingle.
const empty = ^uint64(0)

// row computes the sketch of a row. A row in which users say nothing has none, since what it asks is not known, and neither has one
// with media, which are not in the reading.
func (s *sketcher) row(row *canonical.Row) (sk Sketch, ok bool) {
	for i := range row.Parts {
		if kind := row.Parts[i].Kind; kind == canonical.MediaPart || kind == canonical.UnknownPart {
			return sk, false
		}
	}
	long := s.exact(row, &sk)
	sk.others = long.others
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
	if !long.answer {
		sk.answer = [answers]byte{}
	}
	if !long.any {
		sk.Whole = [Bins]byte{}
	}
	return sk, ok && sk.words > 0 && !long.tooLong
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
