package prefilter

import (
	"math/bits"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A search notes the stops of a part of a text in its blocks.
type search struct {
	*Index
	s      string
	blocks []classes
	from   int
}

// stops notes in s[from:to] the steps where an anchor may begin by its next bytes, or where a colon of an address is. Steps are
// two bytes apart.
func (l *search) stops(to int) {
	x, s := l.Index, l.s
	full := (to - l.from) / BlockSize
	at := l.from + full*BlockSize
	last := follow(l.blocks[:full], jsontext.Bytes(s)[l.from:at], &x.steps, 0) // the groups of the pair before
	blocks := l.blocks[:full]
	for i := range blocks {
		if blocks[i].anchors != 0 {
			l.stopsIn(i)
		}
	}
	for ; at < to; at += 2 {
		step := x.steps[pairAt(s, at)]
		if last&step.second != 0 && l.isStop(s, at-2) {
			l.note(at - 2)
		}
		last = step.first
	}
	next := ^uint32(0) // behind the text anything may be
	if at < len(s) {
		next = x.steps[pairAt(s, at)].second
	}
	if last&next != 0 && l.isStop(s, at-2) {
		l.note(at - 2)
	}
}

// stopsIn notes the stops of a block, among the steps before the pairs that may follow them.
func (l *search) stopsIn(i int) {
	found := uint32(l.blocks[i].anchors)
	l.blocks[i].anchors = 0
	for at := l.from + i*BlockSize - 2; found != 0; {
		k := bits.LeadingZeros32(found)
		found = found << k << 1
		if at += 2 * k; l.isStop(l.s, at) {
			l.note(at)
		}
		at += 2
	}
}

// note notes a stop.
func (l *search) note(at int) {
	b, bit := &l.blocks[(at-l.from)/BlockSize], uint64(1)<<(at%BlockSize)
	b.anchors |= bit
	b.stops |= bit
}

// isStop reports whether an anchor may begin at a step by its next bytes, or whether it has a colon of an address.
func (x *Index) isStop(s string, at int) bool {
	ahead := uint64(0)
	if at+8 <= len(s) {
		ahead = ascii.Load64(s, at)
	} else {
		ahead = rest64(s, at)
	}
	if l := &x.placed[x.lists[uint16(ahead)]]; l.may(ahead) {
		for _, p := range l.anchors {
			if p.may(ahead) {
				return true
			}
		}
	}
	return byte(ahead) == ':' && IsAddressColon(s, at) || byte(ahead>>8) == ':' && IsAddressColon(s, at+1)
}
