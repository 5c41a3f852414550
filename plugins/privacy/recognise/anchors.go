package recognise

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	uses     []use           // by list
	free     []uint16        // lists without a pair
	puts     int             // how often an anchor was put
	behind   [256]uint32     // by byte: the groups whose second pair may be that byte and any other
	wide     bool            // the steps do not have all of these yet
	seconds  [256]sums       // by the first byte of second pairs: how frequent those of each group are
	collects bool            // anchors are placed later
	later    []anchor
	pages    [256]bool // the high bytes in UTF-16 of letters of anchors, which JSON may write as escapes
}

// clone returns a copy to which anchors can be added.
func (x *index) clone() *index {
	c := *x
	c.placed, c.uses, c.free = slices.Clone(c.placed), slices.Clone(c.uses), slices.Clone(c.free)
	return &c
}

// A step says of a pair in which groups it is the first, and in which the second.
type step struct{ first, second uint32 }

// anchorGroups is the number of groups of anchors. The bit behind theirs is for single pairs, which any pair may follow.
const anchorGroups = 31

const single = 1 << anchorGroups

// A mass is the frequency in prose of the first pairs of a group, and of the second pairs.
type mass struct{ first, second float64 }

func (x *index) init() {
	x.placed, x.uses = make([]list, 1), []use{{pairs: len(x.lists)}}
	for p := range x.steps {
		x.steps[p].second = single
	}
}

// A list holds the anchors in which a pair is first, and which bytes they may have behind it: a bit for each byte by its lower six.
// Pairs with the same anchors share a list.
type list struct {
	third, fourth uint64
	anchors       []*placed
}

// A use counts the pairs that have a list. put is the last put that took pairs from it, and next the list that these got.
type use struct {
	pairs, put int
	next       uint16
}

// with returns the list with one anchor more.
func (l list) with(p *placed) list {
	l.third |= p.lower(2)
	l.fourth |= p.lower(3)
	l.anchors = append(slices.Clip(l.anchors), p)
	return l
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
func (a *anchor) place(off int) *placed {
	p := &placed{anchor: a, off: off}
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
		return
	}
	x.put(a.choose())
	x.finish()
}

// A choice is an anchor and, by the parity of its place, the offset of the first pair to know it by.
type choice struct {
	*anchor
	offs [2]int
	cost float64 // of the better one
}

// choose chooses the pairs of an anchor that are rarest: those whose look is seldom necessary.
func (a *anchor) choose() choice {
	c, least := choice{anchor: a}, [2]float64{-1, -1}
	second := [2]float64{a.pairs(0).often(), a.pairs(-1).often()} // by parity, of the next offset
	for off := -1; off+2 <= max(2, len(a.text)-1); off++ {
		parity := off & 1
		first := second[parity]
		second[parity] = a.pairs(off + 2).often()
		if cost := first * (second[parity] + lookCost); least[parity] < 0 || cost < least[parity] {
			c.offs[parity], least[parity] = off, cost
		}
	}
	c.cost = min(least[0], least[1])
	return c
}

// put joins an anchor to a group for each choice of its pairs.
func (x *index) put(c choice) {
	for _, off := range c.offs {
		first := c.pairs(off)
		x.join(first, c.pairs(off+2))
		at := c.place(off)
		x.puts++
		first.each(func(p uint16) { x.lists[p] = x.move(x.lists[p], at) })
	}
}

// move returns the list of a pair that had another one before the anchor was placed.
func (x *index) move(from uint16, at *placed) uint16 {
	u := &x.uses[from]
	if u.put != x.puts {
		more := x.placed[from].with(at)
		u.put, u.next = x.puts, uint16(len(x.placed))
		if last := len(x.free) - 1; last >= 0 {
			u.next, x.free = x.free[last], x.free[:last]
			x.placed[u.next], x.uses[u.next] = more, use{}
		} else {
			x.placed, x.uses = append(x.placed, more), append(x.uses, use{})
			u = &x.uses[from]
		}
	}
	x.uses[u.next].pairs++
	if u.pairs--; u.pairs == 0 {
		x.free = append(x.free, from)
	}
	return u.next
}

// finish makes the steps what the anchors placed so far need.
func (x *index) finish() {
	if x.wide {
		for p := range x.steps {
			x.steps[p].second |= x.behind[byte(p)]
		}
		x.wide = false
	}
}

// lookCost is the cost of a look whether the anchor follows its first pair, as a part of the cost of any second pair.
const lookCost = 1.0

// join adds an anchor with these pairs to the group where that makes the fewest stops.
func (x *index) join(first, second pairs) {
	firsts, seconds := x.addedFirst(first), x.addedSecond(second)
	best, least := 0, -1.0
	for g, m := range x.masses {
		if cost := (m.first+firsts[g])*(m.second+seconds[g]) - m.first*m.second; least < 0 || cost < least {
			best, least = g, cost
		}
	}
	x.masses[best].first += firsts[best]
	x.masses[best].second += seconds[best]
	first.each(func(p uint16) { x.steps[p].first |= 1 << best })
	if second.second == allBytes {
		x.wide = true
		for i := range len(second.first) {
			c := second.first[i]
			x.behind[c] |= 1 << best
			x.seconds[c][best] = frequency().first[c]
		}
		return
	}
	second.each(func(p uint16) {
		if x.isSecond(p)>>best&1 == 0 {
			x.steps[p].second |= 1 << best
			x.seconds[byte(p)][best] += frequency().of(p)
		}
	})
}

// isSecond returns the groups in which a pair is the second.
func (x *index) isSecond(p uint16) uint32 { return x.steps[p].second | x.behind[byte(p)] }

// sums are those of each group.
type sums [anchorGroups]float64

// addedFirst returns the frequency of those pairs that each group does not have yet as first ones.
func (x *index) addedFirst(all pairs) (s sums) {
	s.add(all.often())
	all.each(func(p uint16) { s.without(x.steps[p].first, p) })
	return s
}

// addedSecond returns the frequency of those pairs that each group does not have yet as second ones.
func (x *index) addedSecond(all pairs) (s sums) {
	s.add(all.often())
	if all.second != allBytes {
		all.each(func(p uint16) { s.without(x.isSecond(p), p) })
		return s
	}
	for i := range len(all.first) {
		for g, had := range x.seconds[all.first[i]] {
			s[g] -= had
		}
	}
	return s
}

func (s *sums) add(n float64) {
	for g := range s {
		s[g] += n
	}
}

// without takes the frequency of a pair out of the sums of the groups that have it.
func (s *sums) without(groups uint32, p uint16) {
	if groups &= single - 1; groups == 0 {
		return
	}
	for n := frequency().of(p); groups != 0; groups &= groups - 1 {
		s[bits.TrailingZeros32(groups)] -= n
	}
}

// pairAt returns the pair at an offset, whose second byte is 0 where the text ends.
func pairAt(s string, at int) uint16 {
	if at+1 < len(s) {
		return pair(s[at], s[at+1])
	}
	return pair(s[at], 0)
}

// at returns the anchors that the step at i may belong to, and the eight bytes from there on, which are 0 behind the text.
func (x *index) at(s string, i int) (anchors []*placed, ahead uint64) {
	if i+8 <= len(s) {
		ahead = Load64(s, i)
	} else {
		ahead = rest64(s, i)
	}
	if l := &x.placed[x.lists[uint16(ahead)]]; l.may(ahead) {
		return l.anchors, ahead
	}
	return nil, ahead
}

// rest64 returns the last bytes of a text, fewer than eight, as Load64 does.
func rest64(s string, at int) (ahead uint64) {
	for k := range len(s) - at {
		ahead |= uint64(s[at+k]) << (8 * k)
	}
	return ahead
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
	b := s[at : at+8] // in one load, with fewer checks than of a slice of bytes
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// placeLater places the anchors that were added so far, the costliest first, while the groups still have room to keep it apart.
func (x *index) placeLater() {
	choices := make([]choice, len(x.later))
	for i := range x.later {
		choices[i] = x.later[i].choose()
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.cost, a.cost) })
	for _, c := range choices {
		x.put(c)
	}
	x.finish()
	x.collects, x.later = false, nil
}
