package plaintext

import (
	"math/bits"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// signs are the bytes that dress begins with. Of letters of Asia, and of the rest of a character, none are.
var signs = ascii.Set("\x1b\\^*_~<]|&%+\n\xc2\xea\xef\xf0" + ascii.Bytes("\xd8-\xe3"))

// markedSigns are the signs for the kernel.
var markedSigns = prefilter.NewByteSet(signs)

// signBlocks is the size of the window in which signs are marked.
const signBlocks = 64

// nextSign returns the offset of the first sign that matters from at on, or the end. It marks the signs of a window at a time.
func (d *Reader) nextSign(at int) int {
	for at < len(d.s) {
		i := at/prefilter.BlockSize - d.first
		if uint(i) >= uint(len(d.marks)) {
			d.mark(at / prefilter.BlockSize)
			continue
		}
		for found := d.marks[i] >> (uint(at) % prefilter.BlockSize); found != 0; found &= found - 1 {
			if n := at + bits.TrailingZeros64(found); d.matters(n) {
				return n
			}
		}
		at = (at | (prefilter.BlockSize - 1)) + 1
	}
	return len(d.s)
}

// mark moves the window to a block.
func (d *Reader) mark(i int) {
	d.first = i
	text := jsontext.Bytes(d.s)[i*prefilter.BlockSize:]
	text = text[:min(len(text), signBlocks*prefilter.BlockSize)]
	full := len(text) / prefilter.BlockSize
	size := (len(text) + prefilter.BlockSize - 1) / prefilter.BlockSize
	d.marks = slices.Grow(d.marks[:0], size)[:size]
	markedSigns.Mark(d.marks[:full], text[:full*prefilter.BlockSize])
	if full < len(d.marks) {
		clear(d.lastBlock[copy(d.lastBlock[:], text[full*prefilter.BlockSize:]):])
		markedSigns.Mark(d.marks[full:], d.lastBlock[:])
	}
}

// matters reports whether a sign may change how a text reads. Of underscores two or more do, and one that may begin or end an
// emphasis; of line breaks those behind what a value can end with.
func (d *Reader) matters(at int) bool {
	switch d.s[at] {
	case '_':
		next, before := d.after(at+1), byte(0)
		if at > 0 {
			before = d.s[at-1]
		}
		if next == '_' || before == '_' || len(d.closers) > 0 {
			return true
		}
		return (ascii.IsAlnum(next) || next == '+') && !isInWord(before)
	case '\n':
		return at > 0 && breakSet[d.s[at-1]]
	}
	return d.s[at] < utf8.RuneSelf || len(d.closers) > 0 || mayReadAs(d.s[at:])
}

// mayReadAs reports whether the character that begins a text, which is not ASCII, may read as another one. Emoji do not.
func mayReadAs(s string) bool {
	switch {
	case len(s) < 3:
		return true
	case s[0] < 0xe0:
		return lookalikes.Has(rune(s[0]&0x1f)<<6 | rune(s[1]&0x3f))
	case s[0] < 0xf0:
		return lookalikes.Has(rune(s[0]&0x0f)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f))
	}
	return s[1] != 0x9f || s[2] == 0xaf
}

// Characters is a set of those of the first plane.
type Characters [1 << 16 / 64]uint64

func (c *Characters) Has(r rune) bool { return c[uint16(r)/64]>>(r%64)&1 != 0 }

func (c *Characters) add(from, to rune) {
	for r := from; r <= to; r++ {
		c[r/64] |= 1 << (r % 64)
	}
}

// Each yields the characters in order.
func (c *Characters) Each(yield func(rune) bool) {
	for i, left := range c {
		for ; left != 0; left &= left - 1 {
			if !yield(rune(i*64 + bits.TrailingZeros64(left))) {
				return
			}
		}
	}
}

// lookalikes may read as other characters: digits, blanks, dashes, arrows, lines of tables, signs and letters of double width, and what
// shows as nothing.
var lookalikes = func() *Characters {
	c := new(Characters)
	for _, digits := range unicode.Nd.R16[1:] { // the first are those of ASCII
		c.add(rune(digits.Lo), rune(digits.Hi))
	}
	for _, r := range [][2]rune{{0xa0, 0xa0}, {0xad, 0xad}, {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x27ff}, {0x3000, 0x3000}, {0xfe00, 0xfe0f},
		{0xfe58, 0xfe58}, {0xfe63, 0xfe63}, {0xfeff, 0xfeff}, {0xff01, 0xff5e}} {
		c.add(r[0], r[1])
	}
	return c
}()

// Hides reports whether a character reads as a letter, a digit or an @, or as nothing.
func Hides(r rune) bool {
	out, ok := plainRune(r)
	return ok && (out == "" || out == "@" || ascii.IsAlnum(out[0]) || r == '‐' || r == '‑')
}

// Hidden are the lookalikes that hide.
var Hidden = sync.OnceValue(func() *Characters {
	c := new(Characters)
	for r := range lookalikes.Each {
		if Hides(r) {
			c.add(r, r)
		}
	}
	return c
})

// breakSet are the bytes that a value can have before a line break.
var breakSet = ascii.Set(ascii.TokenBytes + "+/=." + ascii.Quotes + "\r")
