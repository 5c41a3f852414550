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
	blocks []classes // of the window
	first  int       // the number of the first of them in the text
	looked bool      // the places are in them
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

// classify and mark are the kernels of this machine.
var classify, mark = classifyPlain, markPlain

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
	for i := range m.blocks {
		b := &m.blocks[i]
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
		i := uint(at)/blockSize - uint(m.first)
		if i >= uint(len(m.blocks)) {
			m.load(at / blockSize)
			continue
		}
		if found := m.blocks[i].digits >> (uint(at) % blockSize); found != 0 {
			return min(end, at+bits.TrailingZeros64(found))
		}
		at = (at | (blockSize - 1)) + 1
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
	for i := range m.blocks {
		b := &m.blocks[i]
		b.anchors = 0
		b.places |= b.digits &^ (b.digits<<1 | before)
		before = b.digits >> 63
	}
	l := looking{m.engine.index, m.Text, m.blocks, m.first * blockSize}
	l.stops(min(len(m.Text), l.from+windowBlocks*blockSize))
}

// Hot reports whether Text[start:end], the text of a JSON string with its escapes, can hold a finding. It may be true in vain.
func (m *Map) Hot(start, end int) bool {
	if start >= end || m.engine.always {
		return start < end
	}
	first := uint(max(0, start-1)) // of the step of an anchor
	i, last := int(first/blockSize), int(uint(end-1)/blockSize)
	within := ^uint64(0) << (first % blockSize)
	if k := uint(i - m.first); i == last && m.looked && k < uint(len(m.blocks)) { // as mostly
		found := m.blocks[k].places & within & (^uint64(0) >> (blockSize - 1 - uint(end-1)%blockSize))
		return found != 0 && m.hotAt(i, found, start, end)
	}
	for i <= last {
		blocks := m.places(i)
		for k := i - m.first; k < len(blocks) && i <= last; k++ {
			if i == last {
				within &= ^uint64(0) >> (blockSize - 1 - uint(end-1)%blockSize)
			}
			if found := blocks[k].places & within; found != 0 && m.hotAt(i, found, start, end) {
				return true
			}
			within = ^uint64(0)
			i++
		}
	}
	return false
}

// hotAt reports whether one of these places in a block makes Text[start:end] hot.
func (m *Map) hotAt(i int, places uint64, start, end int) bool {
	e, raw, anchors := m.engine, m.Text[start:end], m.blocks[i-m.first].anchors
	for ; places != 0; places &= places - 1 {
		bit := bits.TrailingZeros64(places)
		at := i*blockSize + bit
		if at >= start {
			switch c := m.Text[at]; {
			case c == '@', isDigit(c) && (at == start || !isDigit(m.Text[at-1])) && e.hotNumber(raw, at-start):
				return true
			}
		}
		if anchors>>bit&1 == 0 {
			continue
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
// apart. Four groups of four steps are written out, since a loop over one needs 1.5 instructions a byte more.
func (l *looking) stops(to int) {
	x, s, at, last := l.index, l.s, l.from, uint32(0) // what the pair of the step before says
	for ahead := jsontext.Bytes(s)[at:to]; len(ahead) >= 32; at, ahead = at+32, ahead[32:] {
		t := (*[32]byte)(ahead)
		p, q := uint16(t[0])|uint16(t[1])<<8, uint16(t[2])|uint16(t[3])<<8
		m1, a := last&x.steps[p].second, x.steps[p].first
		m2, b := a&x.steps[q].second, x.steps[q].first
		p, q = uint16(t[4])|uint16(t[5])<<8, uint16(t[6])|uint16(t[7])<<8
		m3, c := b&x.steps[p].second, x.steps[p].first
		m4, d := c&x.steps[q].second, x.steps[q].first
		if last = d; m1|m2|m3|m4 != 0 {
			l.stopsOf(at, m1, m2, m3, m4)
		}
		p, q = uint16(t[8])|uint16(t[9])<<8, uint16(t[10])|uint16(t[11])<<8
		m1, a = last&x.steps[p].second, x.steps[p].first
		m2, b = a&x.steps[q].second, x.steps[q].first
		p, q = uint16(t[12])|uint16(t[13])<<8, uint16(t[14])|uint16(t[15])<<8
		m3, c = b&x.steps[p].second, x.steps[p].first
		m4, d = c&x.steps[q].second, x.steps[q].first
		if last = d; m1|m2|m3|m4 != 0 {
			l.stopsOf(at+8, m1, m2, m3, m4)
		}
		p, q = uint16(t[16])|uint16(t[17])<<8, uint16(t[18])|uint16(t[19])<<8
		m1, a = last&x.steps[p].second, x.steps[p].first
		m2, b = a&x.steps[q].second, x.steps[q].first
		p, q = uint16(t[20])|uint16(t[21])<<8, uint16(t[22])|uint16(t[23])<<8
		m3, c = b&x.steps[p].second, x.steps[p].first
		m4, d = c&x.steps[q].second, x.steps[q].first
		if last = d; m1|m2|m3|m4 != 0 {
			l.stopsOf(at+16, m1, m2, m3, m4)
		}
		p, q = uint16(t[24])|uint16(t[25])<<8, uint16(t[26])|uint16(t[27])<<8
		m1, a = last&x.steps[p].second, x.steps[p].first
		m2, b = a&x.steps[q].second, x.steps[q].first
		p, q = uint16(t[28])|uint16(t[29])<<8, uint16(t[30])|uint16(t[31])<<8
		m3, c = b&x.steps[p].second, x.steps[p].first
		m4, d = c&x.steps[q].second, x.steps[q].first
		if last = d; m1|m2|m3|m4 != 0 {
			l.stopsOf(at+24, m1, m2, m3, m4)
		}
	}
	for ; at < to; at += 2 {
		step := x.steps[pairAt(s, at)]
		if last&step.second != 0 {
			l.stop(at - 2)
		}
		last = step.first
	}
	next := ^uint32(0) // behind the text anything may be
	if at < len(s) {
		next = x.steps[pairAt(s, at)].second
	}
	if last&next != 0 {
		l.stop(at - 2)
	}
}

// stopsOf notes the stops among the step before at and the three from there on: those whose number is not 0.
func (l *looking) stopsOf(at int, m1, m2, m3, m4 uint32) {
	if m1 != 0 {
		l.stop(at - 2)
	}
	if m2 != 0 {
		l.stop(at)
	}
	if m3 != 0 {
		l.stop(at + 2)
	}
	if m4 != 0 {
		l.stop(at + 4)
	}
}

// stop notes a step if an anchor may begin there by its next bytes, or if it has a colon of an address.
func (l *looking) stop(at int) {
	if !l.isStop(l.s, at) {
		return
	}
	b, bit := &l.blocks[(at-l.from)/blockSize], uint64(1)<<(at%blockSize)
	b.anchors |= bit
	b.places |= bit
}

// isStop reports whether an anchor may begin at a step by its next bytes, or a colon of an address be there.
func (x *index) isStop(s string, at int) bool {
	anchors, ahead := x.at(s, at)
	for k := range anchors {
		if anchors[k].may(ahead) {
			return true
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
