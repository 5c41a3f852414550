package recognise

import (
	"math/bits"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Map is the first look at a text, in one pass: where its digits and quotes are, and its stops, where a finding may begin. What
// reads the text goes from stop to stop. It holds one window of the text at a time. One goroutine uses it.
type Map struct {
	Text      string
	engine    *Engine
	json      bool
	blocks    []classes              // of the window
	first     int                    // the number of the first of them in the text
	lastBlock [blockSize]byte        // the bytes of the text's last block, when it is not full
	looked    uint64                 // a bit for each run of blocks whose stops are known
	quiet     struct{ from, to int } // no stop is between these offsets
	escapes   Escapes

	knowsEscapes bool // of a long text
}

// Classes have a bit for each of 64 bytes of a text, the first lowest.
type classes struct {
	digits, quotes, slashes uint64
	stops                   uint64 // at first only @; then also numbers, and steps with an anchor
	anchors                 uint64 // the steps where an anchor may begin, or where a colon of an address is
}

const (
	blockSize    = 64
	windowBlocks = 1 << 10 // few enough to stay in a cache, and more than most records have
	runBlocks    = windowBlocks / 64
)

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
	m.first, m.looked = i&^(windowBlocks-1), 0
	text := jsontext.Bytes(m.Text)[m.first*blockSize:]
	text = text[:min(len(text), windowBlocks*blockSize)]
	full := len(text) / blockSize
	m.blocks = resize(m.blocks, (len(text)+blockSize-1)/blockSize)
	classify(m.blocks[:full], text[:full*blockSize])
	if full < len(m.blocks) {
		clear(m.lastBlock[copy(m.lastBlock[:], text[full*blockSize:]):])
		classify(m.blocks[full:], m.lastBlock[:])
		m.blocks[full].anchors = 0 // follow sets those of whole blocks only
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

// unescape takes the escaped quotes out of the window, and notes its escapes.
func (m *Map) unescape() {
	escaped := uint64(0) // whether a backslash at the end of the block before escapes the first byte
	behind := uint64(0)  // whether a backslash ends the block before
	for at := m.first*blockSize - 1; at >= 0 && m.Text[at] == '\\'; at-- {
		escaped ^= 1
		behind = 1
	}
	blocks, long := m.blocks, m.isLong()
	for i := range blocks {
		b := &blocks[i]
		if b.slashes|escaped|behind == 0 {
			continue
		}
		// Of backslashes in a row each second one is escaped. The borrow of a subtraction runs through them.
		const odd = 0xaaaaaaaaaaaaaaaa
		escapes := b.slashes &^ escaped
		ends := (escapes<<1 | odd) - escapes ^ odd
		after := ends ^ (b.slashes | escaped) // the bytes that are escaped
		b.quotes &^= after
		if !long {
			m.noteEscapes(m.first+i, (b.slashes<<1|behind)&^b.slashes, after)
		}
		behind = b.slashes >> 63
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

// digitsEnd returns the end of the digits at at.
func (m *Map) digitsEnd(at int) int {
	for {
		i := uint(at)/blockSize - uint(m.first)
		if i >= uint(len(m.blocks)) {
			return ascii.Forward(m.Text, at, len(m.Text), ascii.DigitSet)
		}
		left := blockSize - at%blockSize
		digits := bits.TrailingZeros64(^(m.blocks[i].digits >> (uint(at) % blockSize)))
		if digits < left {
			return at + digits
		}
		at += left
	}
}

// known returns the blocks of the window up to the end of the run that holds a block of the text, in which the stops are known.
func (m *Map) known(i int) []classes {
	if uint(i-m.first) >= uint(len(m.blocks)) {
		m.load(i)
	}
	run := (i - m.first) / runBlocks
	behind := min((run+1)*runBlocks, len(m.blocks))
	if m.looked>>run&1 == 0 {
		m.looked |= 1 << run
		m.look(run*runBlocks, behind)
	}
	return m.blocks[:behind]
}

// look finds the stops in blocks of the window. Texts that a filter knows already are passed over, so it is not done for all at once.
func (m *Map) look(first, behind int) {
	from := (m.first + first) * blockSize
	before := uint64(0) // whether a digit precedes the block
	if from > 0 && ascii.IsDigit(m.Text[from-1]) {
		before = 1
	}
	blocks := m.blocks[first:behind]
	for i := range blocks {
		b := &blocks[i]
		b.stops |= b.digits &^ (b.digits<<1 | before)
		before = b.digits >> 63
	}
	l := looking{m.engine.index, m.Text, blocks, from}
	l.stops(min(len(m.Text), from+len(blocks)*blockSize))
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
		at := m.stop(from, end)
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

// stop returns the first stop from at on, or, when none comes before end, an offset from end on that no stop precedes.
func (m *Map) stop(at, end int) int {
	for at < end {
		i := at / blockSize
		blocks := m.known(i)
		i -= m.first
		found := blocks[i].stops >> (uint(at) % blockSize)
		for ; found == 0; found = blocks[i].stops {
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

// isHot reports whether the stop at at makes Text[start:end] hot.
func (m *Map) isHot(at, start, end int) bool {
	e, raw := m.engine, m.Text[start:end]
	if at >= start {
		switch c := m.Text[at]; {
		case c == '@', ascii.IsDigit(c) && (at == start || !ascii.IsDigit(m.Text[at-1])) && e.hotNumber(raw, at-start):
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
