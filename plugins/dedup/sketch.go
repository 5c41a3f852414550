package dedup

import (
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// How near duplicates are told. One permutation is enough: it puts every shingle into one of the bins, and what is least
// in a bin is what the minimum of one more permutation would be.
const (
	shingle = 5  // words
	bins    = 60 // of the whole conversation
	answers = 20 // of the response alone
)

// A sketch stands for the words of a conversation: one byte of the least shingle of each bin. The share of bytes that two
// sketches have in common estimates the Jaccard similarity of the shingles.
type sketch struct {
	whole  [bins]byte
	answer [answers]byte
}

// alike estimates how similar two conversations are, from 0 to 1: as much as the whole of them, or as the responses, whatever
// is less. Rows that share a long history and answer in another way are two rows.
func (s *sketch) alike(other *sketch) float64 {
	return min(share(s.whole[:], other.whole[:]), share(s.answer[:], other.answer[:]))
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

// A sketcher makes sketches. It reads the words of users, the assistant and tools; what systems say and which tools there
// are is the same in many rows that have nothing else in common.
type sketcher struct {
	whole  [bins]uint64
	answer [answers]uint64
	least  []uint64 // whole or answer
	words  [shingle]uint64
	n      int    // words of the text
	sum    uint64 // of the last words
	text   []byte
}

// empty stands for a bin that no shingle fell into.
const empty = ^uint64(0)

// row makes the sketch of a row. A row without words has none.
func (s *sketcher) row(row *canonical.Row) (sk sketch, ok bool) {
	s.begin(s.whole[:])
	for _, t := range row.Turns {
		if t.Role != canonical.System && t.Role != canonical.Developer {
			s.turn(row, t)
		}
	}
	s.turn(row, row.Response)
	ok = settle(s.whole[:], sk.whole[:])
	s.begin(s.answer[:])
	s.turn(row, row.Response)
	settle(s.answer[:], sk.answer[:])
	return sk, ok
}

func (s *sketcher) begin(least []uint64) {
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

// add adds the shingles of one text. Words are runs of letters and digits, in lower case as far as they are ASCII; of Chinese,
// Japanese and Korean each character is a word. A text of fewer words than a shingle is one shingle.
func (s *sketcher) add(body jsontext.Body) {
	if strings.Contains(string(body), `\u`) {
		s.text = jsontext.AppendText(jsontext.Reuse(s.text), body)
		body = jsontext.Body(jsontext.View(s.text))
	}
	s.n, s.sum = 0, 0
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '\\': // with the letter of an escape
			i += 2
		case isAlone(c):
			word := uint64(c)
			for i++; i < len(body) && body[i]&0xc0 == 0x80; i++ {
				word = bits.RotateLeft64(word, 7) ^ uint64(body[i])
			}
			s.word(word)
		case folded[c] == 0:
			i++
		default:
			word := uint64(0)
			for ; i < len(body) && folded[body[i]] != 0; i++ {
				word = bits.RotateLeft64(word, 7) ^ uint64(folded[body[i]])
			}
			s.word(word)
		}
	}
	if s.n > 0 && s.n < shingle {
		s.put(mix(s.sum + uint64(s.n)))
	}
}

// isAlone tells whether a byte begins a character that is a word: one from U+3000 to U+DFFF.
func isAlone(c byte) bool { return c >= 0xe3 && c <= 0xed }

// folded gives letters and digits in lower case, and bytes of other characters as they are; 0 for what stands between words
// and for what isAlone.
var folded = func() (t [256]byte) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80 && !isAlone(byte(c)):
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// word adds a word, and the shingle that ends with it. The sum is a polynomial of the last words, so that it costs the same
// whatever their number.
func (s *sketcher) word(word uint64) {
	const base = 0xd6e8feb86659fd93
	const gone = base * base * base * base * base & (1<<64 - 1)
	place := &s.words[s.n%shingle]
	s.sum = s.sum*base + word
	if s.n >= shingle {
		s.sum -= *place * gone
	}
	*place = word
	if s.n++; s.n >= shingle {
		s.put(mix(s.sum))
	}
}

func (s *sketcher) put(h uint64) {
	bin, rest := bits.Mul64(h, uint64(len(s.least)))
	s.least[bin] = min(s.least[bin], rest)
}

// settle makes a byte of each bin. An empty one takes what another has, drawn by the number of the bin, so that two sketches
// agree there as often as elsewhere. It is not ok when all are empty.
func settle(least []uint64, into []byte) (ok bool) {
	for _, m := range least {
		ok = ok || m != empty
	}
	for i, m := range least {
		for try := uint64(1); ok && m == empty; try++ {
			from, _ := bits.Mul64(mix(uint64(i)<<32|try), uint64(len(least)))
			m = least[from]
		}
		into[i] = byte(mix(m) >> 56)
	}
	return ok
}

// mix spreads what tells numbers apart over all their bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xe9846af9b1a615d
	x = (x ^ x>>32) * 0xe9846af9b1a615d
	return x ^ x>>28
}
