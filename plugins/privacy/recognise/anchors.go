package recognise

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An anchor is a short text in every match of a recogniser, so that only the places of anchors need a close look.
type anchor struct {
	text string // lower-case when fold is set
	fold bool   // matches letters of both cases
	prev string // bytes that can precede it, or "" for any
	next string // bytes that can follow it, or "" for any
	try  recogniser
	hot  func(e *Engine, raw string, at int) bool // reports whether it counts in the text of a JSON string; nil for always
}

// A recogniser looks at the place of its anchor in a text, and adds what it matches there.
type recogniser func(s *Scan, at int)

// An index finds anchors. It steps through a text two bytes at a time, so it knows an anchor by the pairs of bytes of two
// successive steps: one choice of them for an anchor that begins on a step, another for one that does not. It chooses the pairs that
// are rarest in prose. Each anchor is in a group, each group has a bit, and a table says for each pair in which groups it may be
// the first or the second one. So nearly all of a text costs one look into a table for two bytes.
type index struct {
	steps    [1 << 16]step // by pair
	masses   [anchorGroups]mass
	lists    [1 << 16]uint16 // by pair: the index in placed of the anchors in which it is first
	placed   []list          // the first is empty
	collects bool            // anchors are placed later
	later    []anchor
	pages    [256]bool // the high bytes in UTF-16 of letters of anchors, which JSON may write as escapes
}

// A step says of a pair in which groups it is the first, and in which the second.
type step struct{ first, second uint32 }

// anchorGroups is the number of groups of anchors. The bit behind theirs is for single pairs, which any pair may follow.
const anchorGroups = 31

const single = 1 << anchorGroups

// A mass is the frequency in prose of the first pairs of a group, and of the second pairs.
type mass struct{ first, second float64 }

func (x *index) init() {
	x.placed = make([]list, 1)
	for p := range x.steps {
		x.steps[p].second = single
	}
}

// A list holds the anchors in which a pair is first, and which bytes they may have behind it: a bit for each byte by its lower six.
type list struct {
	third, fourth uint64
	anchors       []placed
}

func (l *list) add(p placed) {
	l.third |= p.lower(2)
	l.fourth |= p.lower(3)
	l.anchors = append(l.anchors, p)
}

// may reports whether the anchors have to be compared with the bytes from the step on.
func (l *list) may(ahead uint64) bool {
	return l.third>>(ahead>>16&63)&(l.fourth>>(ahead>>24&63))&1 != 0
}

// lower returns the bits of the bytes that the anchor can have at a place behind the step, by their lower six.
func (p *placed) lower(k int) uint64 {
	if byte(p.mask>>(8*k)) == 0 {
		return ^uint64(0)
	}
	c, fold := byte(p.want>>(8*k)), byte(p.fold>>(8*k))
	return 1<<(c&63) | 1<<(c&^fold&63)
}

// A placed anchor has the place of a pair in it.
type placed struct {
	*anchor
	off              int
	want, fold, mask uint64 // the eight bytes from the step on, once the bits of fold are set, under the mask
}

// place returns the anchor for a step off bytes after its beginning.
func (a *anchor) place(off int) placed {
	p := placed{anchor: a, off: off}
	for k := max(0, -off); k < min(8, len(a.text)-off); k++ {
		c := a.text[off+k]
		p.want |= uint64(c) << (8 * k)
		p.mask |= 0xff << (8 * k)
		if a.fold && c-'a' < 26 {
			p.fold |= 0x20 << (8 * k)
		}
	}
	return p
}

// may reports whether the anchor can match by the eight bytes from the step on. Most anchors of a pair cannot.
func (p *placed) may(ahead uint64) bool { return (ahead|p.fold)&p.mask == p.want }

func pair(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// addPair makes a pair of bytes a stop.
func (x *index) addPair(a, b byte) { x.steps[pair(a, b)].first |= single }

// add makes the places of a text of two bytes or more stops where try is called.
func (x *index) add(a anchor) {
	for _, unit := range utf16.Encode([]rune(a.text)) {
		if unit >= utf8.RuneSelf {
			x.pages[unit>>8] = true
		}
	}
	if x.collects {
		x.later = append(x.later, a)
	} else {
		x.put(a)
	}
}

// put chooses the pairs of an anchor, and joins it to a group.
func (x *index) put(a anchor) {
	best, least := [2]int{}, [2]float64{-1, -1} // by parity
	for off := -1; off+2 <= max(2, len(a.text)-1); off++ {
		cost := a.cost(off)
		if parity := off & 1; least[parity] < 0 || cost < least[parity] {
			best[parity], least[parity] = off, cost
		}
	}
	for _, off := range best {
		first := a.pairs(off)
		x.join(first, a.pairs(off+2))
		at := a.place(off)
		first.each(func(p uint16) {
			if x.lists[p] == 0 {
				x.lists[p] = uint16(len(x.placed))
				x.placed = append(x.placed, list{})
			}
			x.placed[x.lists[p]].add(at)
		})
	}
}

// lookCost is the cost of a look whether the anchor follows its first pair, as a part of the cost of any second pair.
const lookCost = 1.0

// join adds an anchor with these pairs to the group where that makes the fewest stops.
func (x *index) join(first, second pairs) {
	firsts := x.added(first, func(s step) uint32 { return s.first })
	seconds := x.added(second, func(s step) uint32 { return s.second })
	best, least := 0, -1.0
	for g, m := range x.masses {
		if cost := (m.first+firsts[g])*(m.second+seconds[g]) - m.first*m.second; least < 0 || cost < least {
			best, least = g, cost
		}
	}
	x.masses[best].first += firsts[best]
	x.masses[best].second += seconds[best]
	first.each(func(p uint16) { x.steps[p].first |= 1 << best })
	second.each(func(p uint16) { x.steps[p].second |= 1 << best })
}

// added returns for each group the frequency of those pairs that it does not have yet, at one place.
func (x *index) added(all pairs, groups func(s step) uint32) (sums [anchorGroups]float64) {
	f, whole := frequency(), all.often()
	for g := range sums {
		sums[g] = whole
	}
	all.each(func(p uint16) {
		for has := groups(x.steps[p]) & (single - 1); has != 0; has &= has - 1 {
			sums[bits.TrailingZeros32(has)] -= f.of[p]
		}
	})
	return sums
}

// pairs are those of one of the first bytes and one of the second.
type pairs struct{ first, second string }

// pairs returns the pairs of bytes that the anchor can have at an offset.
func (a *anchor) pairs(off int) pairs { return pairs{a.bytesAt(off), a.bytesAt(off + 1)} }

func (s pairs) each(do func(p uint16)) {
	for i := range len(s.first) {
		for j := range len(s.second) {
			do(pair(s.first[i], s.second[j]))
		}
	}
}

// often returns how frequent the pairs are.
func (s pairs) often() (sum float64) {
	f := frequency()
	switch anyFirst, anySecond := len(s.first) == len(allBytes), len(s.second) == len(allBytes); {
	case anyFirst && anySecond:
		return f.all
	case anyFirst:
		for j := range len(s.second) {
			sum += f.second[s.second[j]]
		}
	case anySecond:
		for i := range len(s.first) {
			sum += f.first[s.first[i]]
		}
	default:
		s.each(func(p uint16) { sum += f.of[p] })
	}
	return sum
}

// bytesAt returns the bytes that the anchor can have at an offset, which may be before or after it.
func (a *anchor) bytesAt(off int) string {
	around := ""
	switch off {
	case -1:
		around = a.prev
	case len(a.text):
		around = a.next
	}
	switch {
	case off >= 0 && off < len(a.text) && a.fold && a.text[off]-'a' < 26:
		return bothCases[2*(a.text[off]-'a'):][:2]
	case off >= 0 && off < len(a.text):
		return a.text[off : off+1]
	case around != "":
		return around
	}
	return allBytes
}

const bothCases = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

var allBytes = rules.Bytes("\x00-\xff")

// commonPairs are the most common pairs of bytes in records of chats, the first most often.
const commonPairs = `  \\\"e on, \ner":s inre tn : esnttetien== a "t at \heanorlestthrar dese sta",me cioalroacconed  iaredndtongri` +
	`ct rouetisy it fcesiliec oaspeel peacailns blovesstrpric.\pl w d- geuschom ne"l ma"t eoltssuepo unna m"clall -` +
	`urex{"utemdaulg scfo"sim. n\a = ag =tyfr $t" u { (umid [di},mocroockhipo"}mp,\finc00abowamm ieaiip$.rs:\qu\fni` +
	`c{}{"]paefotptk  lhoyph sheeodlysoxte\s"curyad,"lshapslts\f )\ ++ ap"rtun-no"pbl[\sprrevpp} ],wesaboue 1osp ay` +
	`kerm) "dfet\"air{\ocva:"wirtskivifbeucop`

// frequencies of pairs, in parts of a thousand, with their sums by the first byte, by the second, and of all.
type frequencies struct {
	of            [1 << 16]float64
	first, second [256]float64
	all           float64
}

// frequency returns the frequencies. Pairs that are not listed are rare, ASCII letters less so.
var frequency = sync.OnceValue(func() *frequencies {
	var f frequencies
	for a := range 256 {
		for b := range 256 {
			if f.of[pair(byte(a), byte(b))] = 0.001; isAlnum(byte(a)) && isAlnum(byte(b)) {
				f.of[pair(byte(a), byte(b))] = 0.02
			}
		}
	}
	for i := 0; i+1 < len(commonPairs); i += 2 {
		f.of[pair(commonPairs[i], commonPairs[i+1])] = 60 / float64(i/2+5)
	}
	for p, n := range f.of {
		f.first[byte(p)] += n
		f.second[p>>8] += n
		f.all += n
	}
	return &f
})

// pairAt returns the pair at an offset, whose second byte is 0 where the text ends.
func pairAt(s string, at int) uint16 {
	if at+1 < len(s) {
		return pair(s[at], s[at+1])
	}
	return pair(s[at], 0)
}

// at returns the anchors that the step at i may belong to, and the eight bytes from there on, which are 0 behind the text.
func (x *index) at(s string, i int) (anchors []placed, ahead uint64) {
	if i+8 <= len(s) {
		ahead = Load64(s, i)
	} else {
		for k := range len(s) - i {
			ahead |= uint64(s[i+k]) << (8 * k)
		}
	}
	if l := &x.placed[x.lists[uint16(ahead)]]; l.may(ahead) {
		return l.anchors, ahead
	}
	return nil, ahead
}

// matchesAt reports whether the text has the anchor at an offset.
func (a *anchor) matchesAt(s string, at int) bool {
	if at < 0 || at+len(a.text) > len(s) {
		return false
	}
	if !a.fold {
		return strings.HasPrefix(s[at:], a.text)
	}
	for i := range len(a.text) {
		c := s[at+i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != a.text[i] {
			return false
		}
	}
	return true
}

// Load64 returns the eight bytes of a text at an offset, which must be there, as a number, the first lowest.
func Load64(s string, at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(jsontext.Bytes(s)[at:])[:])
}

// placeLater places the anchors that were added so far, the costliest first, while the groups still have room to keep it apart.
func (x *index) placeLater() {
	costs := map[string]float64{}
	for _, a := range x.later {
		least := -1.0
		for off := -1; off+2 <= max(2, len(a.text)-1); off++ {
			if cost := a.cost(off); least < 0 || cost < least {
				least = cost
			}
		}
		costs[a.text] = least
	}
	slices.SortStableFunc(x.later, func(a, b anchor) int { return cmp.Compare(costs[b.text], costs[a.text]) })
	x.collects = false
	for _, a := range x.later {
		x.put(a)
	}
	x.later = nil
}

// cost returns how often the pairs of the anchor at an offset make a look necessary.
func (a *anchor) cost(off int) float64 {
	return a.pairs(off).often() * (a.pairs(off+2).often() + lookCost)
}
