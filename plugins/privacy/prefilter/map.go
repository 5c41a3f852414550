package prefilter

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Map is the first look at a text, in one pass: where its digits and quotes are, and its stops, where a finding may begin. What
// reads the text goes from stop to stop. It holds one window of the text at a time. One goroutine uses it.
type Map struct {
	Text      string
	index     *Index
	json      bool
	blocks    []classes              // of the window
	first     int                    // the number of the first of them in the text
	lastBlock [BlockSize]byte        // the bytes of the text's last block, when it is not full
	looked    uint64                 // a bit for each run of blocks whose stops are known
	quiet     struct{ from, to int } // no stop is between these offsets
	escapes   Escapes

	knowsEscapes bool // of a long text
}

// BlockSize is how many bytes of a text a number has the bits of.
const BlockSize = 64

// Classes have a bit for each of 64 bytes of a text, the first lowest.
type classes struct {
	digits, quotes, slashes uint64
	stops                   uint64 // at first only @; then also numbers, and steps with an anchor
	anchors                 uint64 // the steps where an anchor may begin, or where a colon of an address is
}

const (
	windowBlocks = 1 << 10 // few enough to stay in a cache, and more than most records have
	runBlocks    = windowBlocks / 64
)

// Read makes a map of a text, with the stops of an index.
func (m *Map) Read(x *Index, text string) { *m = Map{Text: text, index: x, blocks: m.blocks[:0]} }

// ReadJSON makes a map of a JSON text, of whose quotes it has those that begin or end a string.
func (m *Map) ReadJSON(x *Index, doc string) {
	m.Read(x, doc)
	m.json = true
}

// Release forgets the text, but not what was seen of it, which Restore brings back for the same one.
func (m *Map) Release() { m.Text = "" }

// Restore undoes a release.
func (m *Map) Restore(text string) { m.Text = text }

// load moves the window to a block.
func (m *Map) load(i int) {
	m.first, m.looked = i&^(windowBlocks-1), 0
	text := jsontext.Bytes(m.Text)[m.first*BlockSize:]
	text = text[:min(len(text), windowBlocks*BlockSize)]
	full := len(text) / BlockSize
	size := (len(text) + BlockSize - 1) / BlockSize
	m.blocks = slices.Grow(m.blocks[:0], size)[:size]
	classify(m.blocks[:full], text[:full*BlockSize])
	if full < len(m.blocks) {
		clear(m.lastBlock[copy(m.lastBlock[:], text[full*BlockSize:]):])
		classify(m.blocks[full:], m.lastBlock[:])
		m.blocks[full].anchors = 0 // follow sets those of whole blocks only
	}
	if m.json {
		m.unescape()
	}
}

// unescape takes the escaped quotes out of the window, and notes its escapes.
func (m *Map) unescape() {
	escaped := uint64(0) // whether a backslash at the end of the block before escapes the first byte
	behind := uint64(0)  // whether a backslash ends the block before
	for at := m.first*BlockSize - 1; at >= 0 && m.Text[at] == '\\'; at-- {
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
	for i := uint(at)/BlockSize - uint(m.first); ; i = uint(at)/BlockSize - uint(m.first) {
		if i < uint(len(m.blocks)) {
			found := m.blocks[i].quotes >> (uint(at) % BlockSize)
			for ; found == 0; found = m.blocks[i].quotes {
				at = (at | (BlockSize - 1)) + 1
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
		m.load(at / BlockSize)
	}
}

// String returns the offsets of the quotes around the first string of a JSON text from at on, the size of the text for what is not there.
func (m *Map) String(at int) (open, shut int) {
	if i := uint(at)/BlockSize - uint(m.first); i < uint(len(m.blocks)) {
		found := m.blocks[i].quotes >> (uint(at) % BlockSize)
		if rest := found & (found - 1); rest != 0 { // mostly one block has both
			return at + bits.TrailingZeros64(found), at + bits.TrailingZeros64(rest)
		}
	}
	open = m.Quote(at)
	return open, m.Quote(open + 1)
}

// Digit returns the offset of the first digit of Text[at:end], or end.
func (m *Map) Digit(at, end int) int {
	for at < end {
		blocks := m.blocks
		i := uint(at)/BlockSize - uint(m.first)
		if i >= uint(len(blocks)) {
			m.load(at / BlockSize)
			continue
		}
		found := blocks[i].digits >> (uint(at) % BlockSize)
		for i++; found == 0; i++ {
			at = (at | (BlockSize - 1)) + 1
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

// DigitsEnd returns the end of the digits at at.
func (m *Map) DigitsEnd(at int) int {
	for {
		i := uint(at)/BlockSize - uint(m.first)
		if i >= uint(len(m.blocks)) {
			return ascii.Forward(m.Text, at, len(m.Text), ascii.DigitSet)
		}
		left := BlockSize - at%BlockSize
		digits := bits.TrailingZeros64(^(m.blocks[i].digits >> (uint(at) % BlockSize)))
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
	from := (m.first + first) * BlockSize
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
	l := search{m.index, m.Text, blocks, from}
	l.stops(min(len(m.Text), from+len(blocks)*BlockSize))
}

// Stops returns which bytes of a block are stops, and at which of them an anchor may begin, or a colon of an address is: a bit for each
// byte, the first lowest.
func (m *Map) Stops(block int) (stops, anchors uint64) {
	b := &m.known(block)[block-m.first]
	return b.stops, b.anchors
}

// IsQuiet reports whether a call of Stop has shown that Text[start:end] has no stop.
func (m *Map) IsQuiet(start, end int) bool {
	return m.quiet.from < start && end <= m.quiet.to // the step of an anchor may be one byte before it
}

// Stop returns the first stop from at on, or, when none comes before end, an offset from end on that no stop precedes.
func (m *Map) Stop(at, end int) int {
	from := at
	for at < end {
		i := at / BlockSize
		blocks := m.known(i)
		i -= m.first
		found := blocks[i].stops >> (uint(at) % BlockSize)
		for ; found == 0; found = blocks[i].stops {
			at = (at | (BlockSize - 1)) + 1
			if i++; i == len(blocks) {
				break
			}
		}
		if found != 0 {
			return at + bits.TrailingZeros64(found)
		}
	}
	m.quiet.from, m.quiet.to = from, at
	return at
}

// MayBegin reports whether an anchor may begin at a stop that Stop has returned, or whether a colon of an address is there.
func (m *Map) MayBegin(stop int) bool {
	return m.blocks[stop/BlockSize-m.first].anchors>>(uint(stop)%BlockSize)&1 != 0
}

// IsAddressColon reports whether a colon is at at, and another one as near as in an IPv6 or MAC address.
func IsAddressColon(s string, at int) bool {
	return s[at] == ':' && strings.IndexByte(s[at+1:min(len(s), at+6)], ':') >= 0
}
