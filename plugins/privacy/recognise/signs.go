package recognise

import (
	"math/bits"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// signs are the bytes that dress begins with. Of letters of Asia, and of the rest of a character, none are.
var signs = byteSet("\x1b\\^*_~<]|&%+\n\xc2\xea\xef\xf0" + rules.Bytes("\xd8-\xe3"))

// signTables are the signs for mark.
var signTables = tablesOf(signs)

// tablesOf returns a set as mark takes it: for the lower half of all bytes, and for the upper half, a table by the lower four bits of a
// byte, with a bit for its upper four.
func tablesOf(set *[256]bool) (tables [32]byte) {
	for c, is := range set {
		if is {
			tables[c&15|c>>7<<4] |= 1 << (c >> 4 & 7)
		}
	}
	return tables
}

// signBlocks is the size of the window in which signs are marked.
const signBlocks = 64

// nextSign returns the offset of the first sign that matters from at on, or the end. It marks the signs of a window at a time.
func (d *dress) nextSign(at int) int {
	for at < len(d.s) {
		i := at/blockSize - d.first
		if uint(i) >= uint(len(d.marks)) {
			d.mark(at / blockSize)
			continue
		}
		for found := d.marks[i] >> (uint(at) % blockSize); found != 0; found &= found - 1 {
			if n := at + bits.TrailingZeros64(found); d.matters(n) {
				return n
			}
		}
		at = (at | (blockSize - 1)) + 1
	}
	return len(d.s)
}

// mark moves the window to a block.
func (d *dress) mark(i int) {
	d.first = i
	text := jsontext.Bytes(d.s)[i*blockSize:]
	text = text[:min(len(text), signBlocks*blockSize)]
	full := len(text) / blockSize
	d.marks = resize(d.marks, (len(text)+blockSize-1)/blockSize)
	mark(d.marks[:full], text[:full*blockSize], &signTables)
	if full < len(d.marks) {
		clear(d.rest[copy(d.rest[:], text[full*blockSize:]):])
		mark(d.marks[full:], d.rest[:], &signTables)
	}
}

// matters reports whether a sign may change how a text reads. Of underscores two or more do, and one that may begin or end an
// emphasis; of line breaks those behind what a value can end with.
func (d *dress) matters(at int) bool {
	switch d.s[at] {
	case '_':
		return d.after(at+1) == '_' || at > 0 && d.s[at-1] == '_' || len(d.closers) > 0 || (isAlnum(d.after(at+1)) || d.after(at+1) == '+') && (at == 0 || !isInWord(d.s[at-1]))
	case '\n':
		return at > 0 && breakSet[d.s[at-1]]
	case 0xe3, 0xea, 0xf0:
		return len(d.closers) > 0 || mayReadAs(d.s[at:])
	}
	return true
}

// mayReadAs reports whether the character that begins a text, of E3, EA or F0, may read as another one. Kana, Hangul and emoji, which texts
// are full of, do not.
func mayReadAs(s string) bool {
	if len(s) < 3 {
		return true
	}
	switch s[0] {
	case 0xe3:
		return s[1] == 0x80 && s[2] == 0x80 // the blank of their width
	case 0xea:
		return s[1] < 0xb0
	}
	return s[1] != 0x9f || s[2] == 0xaf
}

// breakSet are the bytes that a value can have before a line break.
var breakSet = byteSet(tokenBytes + "+/=." + quotes + "\r")
