package recognise

import (
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// An anchor is a short text that every match of a recogniser holds, so that only its places are looked at closely.
type anchor struct {
	text string // lower-case when fold is set
	fold bool   // letters of both cases are meant
	prev string // bytes that can stand before it, or "" for any
	next string // bytes that can stand behind it, or "" for any
	try  recogniser
}

// A recogniser looks at one place of a text, where its anchor stands, and adds what it matches there.
type recogniser func(s *Scan, at int)

// An index finds anchors. It steps through a text two bytes at a time, so an anchor is known by two pairs of bytes:
// one for when it begins on a step, one for when it does not. Of the pairs at hand prose's rarest are taken, and
// whichever comes up says where the anchor would be.
type index struct {
	stops   [1 << 16]uint16 // by a pair of bytes: 0, anyByte, or where its bucket is
	buckets []bucket        // from firstBucket
	unicode bool            // an anchor has letters that JSON may write as \u escapes other than of ASCII
	pages   [256]bool       // the first bytes of these in UTF-16
}

const (
	anyByte     = 1 // a stop for the sake of one of its bytes only
	firstBucket = 2
)

// A bucket is the anchors of a pair. What else they hold is told by sets of bytes, of which one bit stands for four,
// so that most pairs in prose are passed by.
type bucket struct {
	before, behind uint64 // what can stand before and behind the pair
	anchors        []placed
}

// fits tells whether the bytes around step i are those of an anchor in the bucket.
func (b *bucket) fits(s string, i int) bool {
	var before, behind byte
	if i > 0 {
		before = s[i-1]
	}
	if i+2 < len(s) {
		behind = s[i+2]
	}
	return b.before>>(before&63)&1 != 0 && b.behind>>(behind&63)&1 != 0
}

func (a *anchor) setAt(off int) (set uint64) {
	if off < -1 || off > len(a.text) {
		return ^uint64(0)
	}
	for _, c := range a.bytesAt(off) {
		set |= 1 << (c & 63)
	}
	return set
}

// A placed anchor is one with the place of a pair in it.
type placed struct {
	*anchor
	off   int
	probe int  // a byte of the anchor outside of the pair, from the step on
	want  byte // what it is, with the bits of mask
	mask  byte
}

// place puts the anchor off bytes before a step.
func (a *anchor) place(off int) placed {
	p := placed{anchor: a, off: off}
	at := off + 2
	if at >= len(a.text) {
		at = max(0, off-1)
	}
	p.probe, p.want = at-off, a.text[at]
	if a.fold && p.want-'a' < 26 {
		p.mask = 0x20
	}
	return p
}

// may tells whether one more byte of the anchor stands where step i says. Most anchors of a pair do not.
func (p *placed) may(s string, i int) bool {
	j := i + p.probe
	return uint(j) < uint(len(s)) && s[j]|p.mask == p.want
}

// stands tells whether the anchor stands where step i says, and where that is.
func (p *placed) stands(s string, i int) (at int, ok bool) {
	return i - p.off, p.may(s, i) && p.anchor.stands(s, i-p.off)
}

func pair(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// addByte makes every pair that holds a byte a stop.
func (x *index) addByte(c byte) {
	for other := range 256 {
		x.addPair(c, byte(other))
		x.addPair(byte(other), c)
	}
}

func (x *index) addPair(a, b byte) {
	if p := &x.stops[pair(a, b)]; *p == 0 {
		*p = anyByte
	}
}

// add makes the places of a text of two bytes or more stops where try is called.
func (x *index) add(a anchor) {
	for _, unit := range utf16.Encode([]rune(a.text)) {
		if unit >= utf8.RuneSelf {
			x.unicode, x.pages[unit>>8] = true, true
		}
	}
	best, least := [2]int{}, [2]float64{-1, -1} // by parity
	for off := -1; off < len(a.text); off++ {
		cost := 0.0
		a.pairs(off, func(p uint16) {
			cost += frequency()[p]
		})
		if parity := off & 1; least[parity] < 0 || cost < least[parity] {
			best[parity], least[parity] = off, cost
		}
	}
	for _, off := range best {
		a.pairs(off, func(p uint16) {
			if x.stops[p] < firstBucket {
				var b bucket
				if x.stops[p] == anyByte {
					b.before, b.behind = ^uint64(0), ^uint64(0)
				}
				x.buckets = append(x.buckets, b)
				x.stops[p] = uint16(len(x.buckets) - 1 + firstBucket)
			}
			b := &x.buckets[x.stops[p]-firstBucket]
			b.before |= a.setAt(off - 1)
			b.behind |= a.setAt(off + 2)
			b.anchors = append(b.anchors, a.place(off))
		})
	}
}

// pairs calls each for the pairs that can stand at offset off of the anchor.
func (a *anchor) pairs(off int, each func(uint16)) {
	for _, p := range a.bytesAt(off) {
		for _, q := range a.bytesAt(off + 1) {
			each(pair(p, q))
		}
	}
}

// bytesAt gives the bytes that can stand at an offset of the anchor, from -1 to its length.
func (a *anchor) bytesAt(off int) []byte {
	around := a.prev
	if off >= len(a.text) {
		around = a.next
	}
	switch {
	case off >= 0 && off < len(a.text):
		c := a.text[off]
		if a.fold && c-'a' < 26 {
			return []byte{c, c - 0x20}
		}
		return []byte{c}
	case around != "":
		return []byte(around)
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

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

// next gives the first step at or behind i, which is even, that is a stop, or -1.
func (x *index) next(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		v := load64(s, i)
		a, b, c, d := x.stops[uint16(v)], x.stops[uint16(v>>16)], x.stops[uint16(v>>32)], x.stops[uint16(v>>48)]
		switch {
		case a|b|c|d == 0:
		case a != 0 && x.fits(a, s, i):
			return i
		case b != 0 && x.fits(b, s, i+2):
			return i + 2
		case c != 0 && x.fits(c, s, i+4):
			return i + 4
		case d != 0 && x.fits(d, s, i+6):
			return i + 6
		}
	}
	for ; i < len(s); i += 2 {
		second := byte(0)
		if i+1 < len(s) {
			second = s[i+1]
		}
		if stop := x.stops[pair(s[i], second)]; stop != 0 && x.fits(stop, s, i) {
			return i
		}
	}
	return -1
}

// fits tells whether the bytes around step i, where a stop is, let something be there.
func (x *index) fits(stop uint16, s string, i int) bool {
	return stop == anyByte || x.buckets[stop-firstBucket].fits(s, i)
}

// at gives the anchors that step i may belong to.
func (x *index) at(s string, i int) []placed {
	second := byte(0)
	if i+1 < len(s) {
		second = s[i+1]
	}
	if stop := x.stops[pair(s[i], second)]; stop >= firstBucket {
		return x.buckets[stop-firstBucket].anchors
	}
	return nil
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

// load64 is the eight bytes of a text at an offset, which must be there, as a number, the first lowest. The compiler makes it
// one load, without asking for the bounds that every caller's loop has.
func load64(s string, at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), at))[:])
}
