// Package prefilter finds the few places of a text that recognisers have to look at, two bytes at a time.
package prefilter

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// An Anchor is a short text in every match of a recogniser, so that only the places of anchors need a close look.
type Anchor struct {
	Text string // lower-case when Fold is set
	Fold bool   // matches letters of both cases
	Prev string // bytes that can precede it, or "" for any
	Next string // bytes that can follow it, or "" for any
}

// An Index finds anchors. It steps through a text two bytes at a time, so it knows an anchor by the pairs of bytes of two
// successive steps: one choice of them for an anchor that begins on a step, another for one that does not. It chooses the pairs that
// are rarest in prose. Each anchor is in a group, each group has a bit, and a table says for each pair in which groups it may be
// the first or the second one. So nearly all of a text costs one look into a table for two bytes.
type Index struct {
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
	anchors  []Anchor        // by number
	isPlaced bool            // what is added now is placed at once
	listed   bool            // the anchors were placed by a list: masses and seconds are not known
}

// NewIndex returns an index without anchors. It finds those that are added once they are placed.
func NewIndex() *Index {
	x := &Index{placed: make([]list, 1)}
	x.uses = []use{{pairs: len(x.lists)}}
	for p := range x.steps {
		x.steps[p].second = single
	}
	return x
}

// Anchors returns the anchors by number: that of the first one is 0.
func (x *Index) Anchors() []Anchor { return x.anchors }

// Clone returns a copy to which anchors can be added.
func (x *Index) Clone() *Index {
	if x.listed {
		c := x.unplaced()
		c.placeByCost()
		return c
	}
	c := *x
	c.placed, c.uses, c.free, c.anchors = slices.Clone(c.placed), slices.Clone(c.uses), slices.Clone(c.free), slices.Clip(c.anchors)
	return &c
}

// unplaced returns an index of the same anchors, none of which is placed.
func (x *Index) unplaced() *Index {
	c := NewIndex()
	c.anchors = slices.Clip(x.anchors)
	for p := range x.steps {
		c.steps[p].first = x.steps[p].first & single
	}
	return c
}

// A step says of a pair in which groups it is the first, and in which the second.
type step struct{ first, second uint32 }

// anchorGroups is the number of groups of anchors. The bit behind theirs is for single pairs, which any pair may follow.
const anchorGroups = 31

const single = 1 << anchorGroups

// A mass is the frequency in prose of the first pairs of a group, and of the second pairs.
type mass struct{ first, second float64 }

// A list holds the anchors in which a pair is first, and which bytes they may have behind it: a bit for each byte by its lower six.
// Pairs with the same anchors share a list.
type list struct {
	third, fourth uint64
	anchors       []*Placed
}

// A use counts the pairs that have a list. put is the last put that took pairs from it, and next the list that these got.
type use struct {
	pairs, put int
	next       uint16
}

// with returns the list with one anchor more.
func (l list) with(p *Placed) list {
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
func (p *Placed) lower(k int) uint64 {
	if byte(p.mask>>(8*k)) == 0 {
		return ^uint64(0)
	}
	c, fold := byte(p.want>>(8*k)), byte(p.fold>>(8*k))
	return 1<<(c&63) | 1<<(c&^fold&63)
}

// A Placed anchor has the place of a pair in it.
type Placed struct {
	*Anchor
	Number           int // of the anchor
	off              int
	want, fold, mask uint64 // the eight bytes from the step on, once the bits of fold are set, under the mask
}

// place returns the anchor of a number for a step off bytes after its beginning.
func (x *Index) place(number, off int) *Placed {
	a := &x.anchors[number]
	p := &Placed{Anchor: a, Number: number, off: off}
	for k := max(0, -off); k < min(8, len(a.Text)-off); k++ {
		c := a.Text[off+k]
		p.want |= uint64(c) << (8 * k)
		p.mask |= 0xff << (8 * k)
		if a.Fold && c-'a' < 26 {
			p.fold |= 0x20 << (8 * k)
		}
	}
	return p
}

// may reports whether the anchor can match by the eight bytes from the step on. Most anchors of a pair cannot.
func (p *Placed) may(ahead uint64) bool { return (ahead|p.fold)&p.mask == p.want }

// Match returns where the anchor begins in a text by its step at at, whose next eight bytes are ahead, or less than 0. The text may end, or
// begin, before these.
func (p *Placed) Match(s string, at int, ahead uint64) int {
	if p.may(ahead) && p.isAt(s, at-p.off) {
		return at - p.off
	}
	return -1
}

func pair(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// AddPair makes a pair of bytes a stop.
func (x *Index) AddPair(a, b byte) { x.steps[pair(a, b)].first |= single }

// Add makes the places of an anchor, whose text has two bytes or more, stops.
func (x *Index) Add(a Anchor) {
	x.anchors = append(x.anchors, a)
	if x.isPlaced {
		x.put(x.choose(len(x.anchors) - 1))
		x.finish()
	}
}

// pairAt returns the pair at an offset, whose second byte is 0 where the text ends.
func pairAt(s string, at int) uint16 {
	if at+1 < len(s) {
		return pair(s[at], s[at+1])
	}
	return pair(s[at], 0)
}

// At returns the anchors that the step at i may belong to, and the eight bytes from there on, which are 0 behind the text.
func (x *Index) At(s string, i int) (anchors []*Placed, ahead uint64) {
	if i+8 <= len(s) {
		ahead = ascii.Load64(s, i)
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

// isAt reports whether the text has the anchor at an offset.
func (a *Anchor) isAt(s string, at int) bool {
	if at < 0 || at+len(a.Text) > len(s) {
		return false
	}
	if !a.Fold {
		return strings.HasPrefix(s[at:], a.Text)
	}
	for i := range len(a.Text) {
		c := s[at+i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != a.Text[i] {
			return false
		}
	}
	return true
}
