package prefilter

import (
	"encoding/binary"
)

// classify, mark and follow are the kernels of this machine.
var classify, mark, follow = classifyPlain, markPlain, followPlain

// classifyPlain finds the digits, quotes, backslashes and at signs of a text, whose size is 64 for each block.
func classifyPlain(dst []classes, text []byte) {
	const high = everyByte << 7
	for i := range dst {
		t := (*[BlockSize]byte)(text[i*BlockSize:])
		var digits, quotes, slashes, ats uint64
		for at := 0; at < BlockSize; at += 8 {
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
		b.digits, b.quotes, b.slashes, b.stops = digits, quotes, slashes, ats
	}
}

// followPlain notes in the anchors of each block which of its 32 pairs may follow the pair before, the first one in bit 31: those that
// are the second pair of a group in which that one is the first. last are the groups of the pair before the text. It returns those of the
// last pair.
func followPlain(dst []classes, text []byte, steps *[1 << 16]step, last uint32) uint32 {
	for i := range dst {
		t, found := (*[BlockSize]byte)(text[i*BlockSize:]), uint64(0)
		for at := 0; at < BlockSize; at += 2 {
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

// everyByte has a one in each byte.
const everyByte = (1<<64 - 1) / 255

// gather returns the highest bits of eight bytes in the lowest byte.
func gather(v uint64) uint64 { return v >> 7 & everyByte * 0x0102040810204080 >> 56 }

// markPlain finds the bytes of a set in a text, whose size is 64 for each number of dst.
func markPlain(dst []uint64, text []byte, set *[32]byte) {
	for i := range dst {
		found := uint64(0)
		for k, c := range text[i*BlockSize:][:BlockSize] {
			found |= uint64(set[c&15|c>>7<<4]>>(c>>4&7)&1) << k
		}
		dst[i] = found
	}
}
