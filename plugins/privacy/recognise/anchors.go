package recognise

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An anchor is a short text that every match of a recogniser holds, so that only its places are looked at closely.
type anchor struct {
	text string // lower-case when fold is set
	fold bool   // letters of both cases are meant
	prev string // bytes that can stand before it, or "" for any
	next string // bytes that can stand behind it, or "" for any
	try  recogniser
	hot  func(e *Engine, raw string, at int) bool // whether it says anything of the text of a JSON string, nil for yes
}

// A recogniser looks at one place of a text, where its anchor stands, and adds what it matches there.
type recogniser func(s *Scan, at int)

// An index finds anchors. It steps through a text two bytes at a time, so an anchor is known by the pairs of bytes of two
// steps: one two of them for when it begins on a step, others for when it does not. Of those at hand prose's rarest are
// taken. Anchors are in groups, of which each has a bit, and a pair says of which groups it may be the first or the second
// one. So nearly all of a text is passed by with one look into a table for two bytes.
type index struct {
	steps  [1 << 16]uint32 // by pair: the groups of which it is the first in the low half, of which it is the second in the high one
	masses [anchorGroups]mass
	lists  [1 << 16]uint16 // by pair: where the anchors are in placed of which it is the first
	placed [][]placed      // the first is empty
	pages  [256]bool       // the first bytes in UTF-16 of letters of anchors that JSON may write as escapes
}

// anchorGroups is the number of groups of anchors. The bit behind theirs is for single bytes, which any pair may follow.
const anchorGroups = 15

const byteGroup, behindByte = 1 << anchorGroups, 1 << (anchorGroups + 16)

// A mass is how often prose has one of the first pairs of a group, and one of the second pairs.
type mass struct{ first, second float64 }

func (x *index) init() {
	x.placed = make([][]placed, 1)
	for p := range x.steps {
		x.steps[p] = behindByte
	}
}

// A placed anchor is one with the place of a pair in it.
type placed struct {
	*anchor
	off              int
	want, fold, mask uint32 // what the four bytes from the step on are, with the bits of fold set, as far as mask goes
}

// place puts the anchor off bytes before a step.
func (a *anchor) place(off int) placed {
	p := placed{anchor: a, off: off}
	for k := max(0, -off); k < min(4, len(a.text)-off); k++ {
		c := a.text[off+k]
		p.want |= uint32(c) << (8 * k)
		p.mask |= 0xff << (8 * k)
		if a.fold && c-'a' < 26 {
			p.fold |= 0x20 << (8 * k)
		}
	}
	return p
}

// may tells whether the anchor can stand where the step says before four bytes. Most anchors of a pair do not.
func (p *placed) may(four uint32) bool { return (four|p.fold)&p.mask == p.want }

func pair(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// addByte makes every pair that holds a byte a stop.
func (x *index) addByte(c byte) {
	for other := range 256 {
		x.addPair(c, byte(other))
		x.addPair(byte(other), c)
	}
}

func (x *index) addPair(a, b byte) { x.steps[pair(a, b)] |= byteGroup }

// add makes the places of a text of two bytes or more stops where try is called.
func (x *index) add(a anchor) {
	for _, unit := range utf16.Encode([]rune(a.text)) {
		if unit >= utf8.RuneSelf {
			x.pages[unit>>8] = true
		}
	}
	best, least := [2]int{}, [2]float64{-1, -1} // by parity
	for off := -1; off+2 <= max(2, len(a.text)-1); off++ {
		cost := often(a.pairs(off)) * (often(a.pairs(off+2)) + aLook)
		if parity := off & 1; least[parity] < 0 || cost < least[parity] {
			best[parity], least[parity] = off, cost
		}
	}
	for _, off := range best {
		first := a.pairs(off)
		x.join(first, a.pairs(off+2))
		for p := range first {
			if x.lists[p] == 0 {
				x.lists[p] = uint16(len(x.placed))
				x.placed = append(x.placed, nil)
			}
			list := &x.placed[x.lists[p]]
			*list = append(*list, a.place(off))
		}
	}
}

// aLook is what it costs to look whether an anchor stands where the first pair does, in parts of what any second one would.
const aLook = 0.001 * 1000

// often is how often prose has one of some pairs.
func often(pairs iter.Seq[uint16]) (sum float64) {
	f := frequency()
	for p := range pairs {
		sum += f[p]
	}
	return sum
}

// join takes an anchor with these pairs into the group where that makes the fewest stops.
func (x *index) join(first, second iter.Seq[uint16]) {
	f, more := frequency(), x.masses
	for p := range first {
		for not := ^x.steps[p] & (byteGroup - 1); not != 0; not &= not - 1 {
			more[bits.TrailingZeros32(not)].first += f[p]
		}
	}
	for p := range second {
		for not := ^x.steps[p] >> 16 & (byteGroup - 1); not != 0; not &= not - 1 {
			more[bits.TrailingZeros32(not)].second += f[p]
		}
	}
	best, least := 0, -1.0
	for g, m := range x.masses {
		if cost := more[g].first*more[g].second - m.first*m.second; least < 0 || cost < least {
			best, least = g, cost
		}
	}
	x.masses[best] = more[best]
	for p := range first {
		x.steps[p] |= 1 << best
	}
	for p := range second {
		x.steps[p] |= 1 << (best + 16)
	}
}

// pairs gives those that can stand at offset off of the anchor.
func (a *anchor) pairs(off int) iter.Seq[uint16] {
	one, two := a.bytesAt(off), a.bytesAt(off+1)
	return func(yield func(uint16) bool) {
		for i := range len(one) {
			for j := range len(two) {
				if !yield(pair(one[i], two[j])) {
					return
				}
			}
		}
	}
}

// bytesAt gives the bytes that can stand at an offset of the anchor, which may lie before or behind it.
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

var allBytes = func() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}()

// commonPairs are the most common pairs of bytes in records of chats, the first most often.
const commonPairs = `  \\\"e on, \ner":s inre tn : esnttetien== a "t at \heanorlestthrar dese sta",me cioalroacconed  iaredndtongri` +
	`ct rouetisy it fcesiliec oaspeel peacailns blovesstrpric.\pl w d- geuschom ne"l ma"t eoltssuepo unna m"clall -` +
	`urex{"utemdaulg scfo"sim. n\a = ag =tyfr $t" u { (umid [di},mocroockhipo"}mp,\finc00abowamm ieaiip$.rs:\qu\fni` +
	`c{}{"]paefotptk  lhoyph sheeodlysoxte\s"curyad,"lshapslts\f )\ ++ ap"rtun-no"pbl[\sprrevpp} ],wesaboue 1osp ay` +
	`kerm) "dfet\"air{\ocva:"wirtskivifbeucop`

// frequency is how often a pair is, in parts of a thousand. Pairs not listed are rare, with ASCII letters less so.
var frequency = sync.OnceValue(func() *[1 << 16]float64 {
	var f [1 << 16]float64
	for a := range 256 {
		for b := range 256 {
			if f[pair(byte(a), byte(b))] = 0.001; isAlnum(byte(a)) && isAlnum(byte(b)) {
				f[pair(byte(a), byte(b))] = 0.02
			}
		}
	}
	for i := 0; i+1 < len(commonPairs); i += 2 {
		f[pair(commonPairs[i], commonPairs[i+1])] = 60 / float64(i/2+5)
	}
	return &f
})

// next gives the first step of s[:end] at or behind i that is a stop, or -1. Steps are two bytes apart, from i on. What is
// behind end may be read.
func (x *index) next(s string, i, end int) int {
	last, at := uint32(0), i // what the pair of the step before says
	for ; at < end && at+16 <= len(s); at += 16 {
		t := (*[16]byte)(jsontext.Bytes(s)[at:])
		a, b := x.steps[uint16(t[0])|uint16(t[1])<<8], x.steps[uint16(t[2])|uint16(t[3])<<8]
		c, d := x.steps[uint16(t[4])|uint16(t[5])<<8], x.steps[uint16(t[6])|uint16(t[7])<<8]
		any := last<<16&a | a<<16&b | b<<16&c | c<<16&d
		a, b = x.steps[uint16(t[8])|uint16(t[9])<<8], x.steps[uint16(t[10])|uint16(t[11])<<8]
		c, last = x.steps[uint16(t[12])|uint16(t[13])<<8], x.steps[uint16(t[14])|uint16(t[15])<<8]
		if any|d<<16&a|a<<16&b|b<<16&c|c<<16&last == 0 {
			continue
		}
		at = max(i, at-2)
		for before := x.steps[pair(s[at], s[at+1])]; ; before = last {
			if last = x.steps[pair(s[at+2], s[at+3])]; before<<16&last != 0 {
				break
			}
			at += 2
		}
		if at >= end {
			return -1
		}
		return at
	}
	for ; at < end; at += 2 {
		step := x.steps[pairAt(s, at)]
		if last<<16&step != 0 {
			return at - 2
		}
		last = step
	}
	if last&(1<<(anchorGroups+1)-1) != 0 && at-2 < end {
		return at - 2 // behind which anything may be
	}
	return -1
}

// pairAt gives the pair at an offset, of which the second byte is 0 where the text ends.
func pairAt(s string, at int) uint16 {
	if at+1 < len(s) {
		return pair(s[at], s[at+1])
	}
	return pair(s[at], 0)
}

// at gives the anchors that the step at i may belong to, and the four bytes from there on.
func (x *index) at(s string, i int) (list []placed, four uint32) {
	if i+4 <= len(s) {
		four = binary.LittleEndian.Uint32(jsontext.Bytes(s)[i:])
		return x.placed[x.lists[uint16(four)]], four
	}
	for k := range len(s) - i {
		four |= uint32(s[i+k]) << (8 * k)
	}
	return x.placed[x.lists[uint16(four)]], four
}

// stands tells whether the anchor stands at at.
func (a *anchor) stands(s string, at int) bool {
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

// load64 returns the eight bytes of a text at an offset, which must be there, as a number, the first lowest.
func load64(s string, at int) uint64 {
	return binary.LittleEndian.Uint64(jsontext.Bytes(s)[at:])
}
