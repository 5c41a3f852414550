package recognise

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Map is the first look at a text, in one pass: where its digits and quotes are, and the places where a finding may begin. What
// reads the text goes from place to place. It holds one window of the text at a time. One goroutine uses it.
type Map struct {
	Text   string
	engine *Engine
	json   bool
	blocks []classes              // of the window
	first  int                    // the number of the first of them in the text
	looked bool                   // the places are in them
	quiet  struct{ from, to int } // no place is between these offsets
}

// Classes have a bit for each of 64 bytes of a text, the first lowest.
type classes struct {
	digits, quotes, slashes uint64
	places                  uint64 // at first only @; then also numbers, and steps with an anchor
	anchors                 uint64 // the steps where an anchor may begin, or a colon of an address be
}

const (
	blockSize    = 64
	windowBlocks = 1 << 10 // few enough to stay in a cache, and more than most records have
)

// classify, mark and follow are the kernels of this machine.
var classify, mark, follow = classifyPlain, markPlain, followPlain

// Read makes a map of a text.
func (m *Map) Read(e *Engine, text string) { *m = Map{Text: text, engine: e, blocks: m.blocks[:0]} }

// ReadJSON makes a map of a JSON text, of whose quotes it has those that begin or end a string.
func (m *Map) ReadJSON(e *Engine, doc string) {
	m.Read(e, doc)
	m.json = true
}

// Release forgets the text, but not what was seen of it, which Restore brings back for the same one.
func (m *Map) Release() { m.Text = "" }

// Restore undoes a release.
func (m *Map) Restore(text string) { m.Text = text }

// load moves the window to a block.
func (m *Map) load(i int) {
	m.first, m.looked = i&^(windowBlocks-1), false
	text := jsontext.Bytes(m.Text)[m.first*blockSize:]
	text = text[:min(len(text), windowBlocks*blockSize)]
	full := len(text) / blockSize
	m.blocks = resize(m.blocks, (len(text)+blockSize-1)/blockSize)
	classify(m.blocks[:full], text[:full*blockSize])
	if full < len(m.blocks) {
		var rest [blockSize]byte
		copy(rest[:], text[full*blockSize:])
		classify(m.blocks[full:], rest[:])
	}
	if m.json {
		m.unescape()
	}
}

func resize[T any](list []T, size int) []T {
	if cap(list) < size {
		return make([]T, size, size+size/4)
	}
	return list[:size]
}

// unescape takes the escaped quotes out of the window.
func (m *Map) unescape() {
	escaped := uint64(0) // whether a backslash at the end of the block before escapes the first byte
	for at := m.first*blockSize - 1; at >= 0 && m.Text[at] == '\\'; at-- {
		escaped ^= 1
	}
	blocks := m.blocks
	for i := range blocks {
		b := &blocks[i]
		if b.slashes|escaped == 0 {
			continue
		}
		// Of backslashes in a row each second one is escaped. The borrow of a subtraction runs through them.
		const odd = 0xaaaaaaaaaaaaaaaa
		escapes := b.slashes &^ escaped
		ends := (escapes<<1 | odd) - escapes ^ odd
		b.quotes &^= ends ^ (b.slashes | escaped)
		escaped = ends & b.slashes >> 63
	}
}

// Quote returns the offset of the first quote of a JSON text from at on that begins or ends a string, or its size.
func (m *Map) Quote(at int) int {
	for i := uint(at)/blockSize - uint(m.first); ; i = uint(at)/blockSize - uint(m.first) {
		if i < uint(len(m.blocks)) {
			found := m.blocks[i].quotes >> (uint(at) % blockSize)
			for ; found == 0; found = m.blocks[i].quotes {
				at = (at | (blockSize - 1)) + 1
				if i++; i == uint(len(m.blocks)) {
					break
				}
			}
			if found != 0 {
				return at + bits.TrailingZeros64(found)
			}
		}
		if at >= len(m.Text) {
			return len(m.Text)
		}
		m.load(at / blockSize)
	}
}

// String returns the offsets of the quotes around the first string of a JSON text from at on, the size of the text for what is not there.
func (m *Map) String(at int) (open, shut int) {
	if i := uint(at)/blockSize - uint(m.first); i < uint(len(m.blocks)) {
		found := m.blocks[i].quotes >> (uint(at) % blockSize)
		if rest := found & (found - 1); rest != 0 { // mostly one block has both
			return at + bits.TrailingZeros64(found), at + bits.TrailingZeros64(rest)
		}
	}
	open = m.Quote(at)
	return open, m.Quote(open + 1)
}

// digit returns the offset of the first digit of Text[at:end], or end.
func (m *Map) digit(at, end int) int {
	for at < end {
		blocks := m.blocks
		i := uint(at)/blockSize - uint(m.first)
		if i >= uint(len(blocks)) {
			m.load(at / blockSize)
			continue
		}
		found := blocks[i].digits >> (uint(at) % blockSize)
		for i++; found == 0; i++ {
			at = (at | (blockSize - 1)) + 1
			if i >= uint(len(blocks)) || at >= end {
				break
			}
			found = blocks[i].digits
		}
		if found != 0 {
			return min(end, at+bits.TrailingZeros64(found))
		}
	}
	return end
}

// places returns the blocks of the window with a block of the text, in which the places are known.
func (m *Map) places(i int) []classes {
	if uint(i-m.first) >= uint(len(m.blocks)) {
		m.load(i)
	}
	if !m.looked {
		m.look()
	}
	return m.blocks
}

// look finds the places in the window.
func (m *Map) look() {
	m.looked = true
	before := uint64(0) // whether a digit precedes the block
	if m.first > 0 && isDigit(m.Text[m.first*blockSize-1]) {
		before = 1
	}
	blocks := m.blocks
	for i := range blocks {
		b := &blocks[i]
		b.places |= b.digits &^ (b.digits<<1 | before)
		before = b.digits >> 63
	}
	l := looking{m.engine.index, m.Text, m.blocks, m.first * blockSize}
	l.stops(min(len(m.Text), l.from+windowBlocks*blockSize))
}

// Hot reports whether Text[start:end], the text of a JSON string with its escapes, can hold a finding. It may be true in vain.
func (m *Map) Hot(start, end int) bool {
	if m.quiet.from < start && end <= m.quiet.to { // the step of an anchor may be one byte before it
		return false
	}
	return m.hot(start, end)
}

func (m *Map) hot(start, end int) bool {
	if start >= end || m.engine.always {
		return start < end
	}
	for from := max(0, start-1); ; {
		at := m.place(from, end)
		if at >= end {
			m.quiet.from, m.quiet.to = from, at
			return false
		}
		if m.isHot(at, start, end) {
			return true
		}
		from = at + 1
	}
}

// place returns the first place from at on, or where the window with the end of a text ends if that has none.
func (m *Map) place(at, end int) int {
	for at < end {
		i := at / blockSize
		blocks := m.places(i)
		i -= m.first
		found := blocks[i].places >> (uint(at) % blockSize)
		for ; found == 0; found = blocks[i].places {
			at = (at | (blockSize - 1)) + 1
			if i++; i == len(blocks) {
				break
			}
		}
		if found != 0 {
			return at + bits.TrailingZeros64(found)
		}
	}
	return at
}

// isHot reports whether the place at at makes Text[start:end] hot.
func (m *Map) isHot(at, start, end int) bool {
	e, raw := m.engine, m.Text[start:end]
	if at >= start {
		switch c := m.Text[at]; {
		case c == '@', isDigit(c) && (at == start || !isDigit(m.Text[at-1])) && e.hotNumber(raw, at-start):
			return true
		}
	}
	if m.blocks[at/blockSize-m.first].anchors>>(uint(at)%blockSize)&1 == 0 {
		return false
	}
	near, ahead := e.at(m.Text, at)
	for k := range near {
		if p := near[k]; p.may(ahead) && p.matchesAt(raw, at-start-p.off) && (p.hot == nil || p.hot(e, raw, at-start-p.off)) {
			return true
		}
	}
	for j := max(at, start); j < min(at+2, end); j++ {
		if isAddressColon(m.Text[:end], j) {
			return true
		}
	}
	return false
}

// isAddressColon reports whether a colon is at at, and another one as near as in an IPv6 or MAC address.
func isAddressColon(s string, at int) bool {
	return s[at] == ':' && strings.IndexByte(s[at+1:min(len(s), at+6)], ':') >= 0
}

// A looking notes the stops of a part of a text in its blocks.
type looking struct {
	*index
	s      string
	blocks []classes
	from   int
}

// stops notes in s[from:to] the steps where an anchor may begin by its next bytes, or a colon of an address be. Steps are two bytes
// apart.
func (l *looking) stops(to int) {
	x, s := l.index, l.s
	full := (to - l.from) / blockSize
	at := l.from + full*blockSize
	last := follow(l.blocks[:full], jsontext.Bytes(s)[l.from:at], &x.steps, 0) // what the pair of the step before says
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
func (l *looking) stopsIn(i int) {
	found := uint32(l.blocks[i].anchors)
	l.blocks[i].anchors = 0
	for at := l.from + i*blockSize - 2; found != 0; {
		k := bits.LeadingZeros32(found)
		found = found << k << 1
		if at += 2 * k; l.isStop(l.s, at) {
			l.note(at)
		}
		at += 2
	}
}

// note notes a stop.
func (l *looking) note(at int) {
	b, bit := &l.blocks[(at-l.from)/blockSize], uint64(1)<<(at%blockSize)
	b.anchors |= bit
	b.places |= bit
}

// isStop reports whether an anchor may begin at a step by its next bytes, or a colon of an address be there.
func (x *index) isStop(s string, at int) bool {
	ahead := uint64(0)
	if at+8 <= len(s) {
		ahead = Load64(s, at)
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
	return byte(ahead) == ':' && isAddressColon(s, at) || byte(ahead>>8) == ':' && isAddressColon(s, at+1)
}

// classifyPlain finds the digits, quotes, backslashes and at signs of a text, whose size is 64 for each block.
func classifyPlain(dst []classes, text []byte) {
	const high = everyByte << 7
	for i := range dst {
		t := (*[blockSize]byte)(text[i*blockSize:])
		var digits, quotes, slashes, ats uint64
		for at := 0; at < blockSize; at += 8 {
			v := binary.LittleEndian.Uint64(t[at : at+8])
			digit := v ^ '0'*everyByte // below 10 for a digit
			if found := ^(digit&^high + (0x80-10)*everyByte | digit) & high; found != 0 {
				digits |= gather(found) << at
			}
			if found := equal(v, '"') & high; found != 0 {
				quotes |= gather(found) << at
			}
			if found := equal(v, '\\') & high; found != 0 {
				slashes |= gather(found) << at
			}
			if found := equal(v, '@') & high; found != 0 {
				ats |= gather(found) << at
			}
		}
		b := &dst[i]
		b.digits, b.quotes, b.slashes, b.places = digits, quotes, slashes, ats
	}
}

// followPlain notes as anchors, the first in bit 31, after which of 32 pairs of each block one with a group of the pair before comes, which
// for the first is last. It returns the groups of the last one.
func followPlain(dst []classes, text []byte, steps *[1 << 16]step, last uint32) uint32 {
	for i := range dst {
		t, found := (*[blockSize]byte)(text[i*blockSize:]), uint64(0)
		for at := 0; at < blockSize; at += 2 {
			step := steps[uint16(t[at])|uint16(t[at+1])<<8]
			found <<= 1
			if last&step.second != 0 {
				found |= 1
			}
			last = step.first
		}
		dst[i].anchors = found
	}
	return last
}

// equal sets the highest bit of each byte of v that is c.
func equal(v uint64, c byte) uint64 {
	v ^= uint64(c) * everyByte
	return ^(v&^(everyByte<<7) + (everyByte<<7 - everyByte) | v)
}

// gather returns the highest bits of eight bytes in the lowest byte.
func gather(v uint64) uint64 { return v >> 7 & everyByte * 0x0102040810204080 >> 56 }

const everyByte = (1<<64 - 1) / 255

// markPlain finds the bytes of a set in a text, whose size is 64 for each number of dst.
func markPlain(dst []uint64, text []byte, set *[32]byte) {
	for i := range dst {
		found := uint64(0)
		for k, c := range text[i*blockSize:][:blockSize] {
			found |= uint64(set[c&15|c>>7<<4]>>(c>>4&7)&1) << k
		}
		dst[i] = found
	}
}
