package ascii

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// everyByte has a one in each byte.
const everyByte = (1<<64 - 1) / 255

// Load64 returns the eight bytes of a text at an offset, which must be there, as a number, the first lowest.
func Load64(s string, at int) uint64 {
	b := s[at : at+8] // in one load, with fewer checks than of a slice of bytes
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// NextDigit returns the first digit at or behind at, or the end.
func NextDigit(s string, at int) int {
	zeros, rest, highest := digitMasks[0], digitMasks[1], digitMasks[2] // in registers
	seven := ^highest
	at = min(at, len(s))
	for ahead := jsontext.Bytes(s)[at:]; len(ahead) >= 32; ahead = ahead[32:] {
		t := (*[32]byte)(ahead)
		a, b := binary.LittleEndian.Uint64(t[:8])^zeros, binary.LittleEndian.Uint64(t[8:16])^zeros // below 10 for a digit
		c, d := binary.LittleEndian.Uint64(t[16:24])^zeros, binary.LittleEndian.Uint64(t[24:])^zeros
		a, b, c, d = a&seven+rest|a, b&seven+rest|b, c&seven+rest|c, d&seven+rest|d // the highest bit set for none
		if a&b&c&d&highest == highest {
			at += 32
			continue
		}
		for a&highest == highest {
			a, b, c, at = b, c, d, at+8
		}
		return at + bits.TrailingZeros64(^a&highest)>>3
	}
	for at < len(s) && !IsDigit(s[at]) {
		at++
	}
	return at
}

// digitMasks are, for each of eight bytes, what makes a digit one below 10, what lifts 10 and more to the highest bit, and
// that bit.
var digitMasks = [3]uint64{'0' * ((1<<64 - 1) / 255), (0x80 - 10) * ((1<<64 - 1) / 255), 0x80 * ((1<<64 - 1) / 255)}

// All reports whether all bytes of a text are of ASCII.
func All(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		if Load64(text, 0)&(everyByte<<7) != 0 {
			return false
		}
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
