package parquet

import (
	"encoding/binary"
	"math/bits"
)

// A hybrid reads numbers of a few bits each, in runs of one number repeated and of packed numbers: levels, indexes of
// a dictionary, and booleans.
type hybrid struct {
	data   []byte
	width  int
	value  uint32 // of the run
	left   int    // numbers of the run, if they are one repeated
	packed []byte // of the run, if they are packed
	bit    int    // of packed, for the next number
}

func newHybrid(data []byte, width int) hybrid {
	if width > 32 {
		corrupt("want numbers of at most 32 bits, have %d", width)
	}
	return hybrid{data: data, width: width}
}

// header reads the header of the next run.
func (h *hybrid) header() {
	v, n := binary.Uvarint(h.data)
	if n <= 0 || v>>1 > 1<<32 {
		corrupt("want the header of a run, have none")
	}
	h.data = h.data[n:]
	if v&1 == 1 {
		size := int(v>>1) * h.width
		h.packed, h.bit = h.data[:min(size, len(h.data))], 0 // the last run may be cut off where the numbers end
		h.data = h.data[len(h.packed):]
		if len(h.packed) == 0 && h.width > 0 {
			corrupt("want %d bytes of packed numbers, have none", size)
		}
		if h.width == 0 {
			h.value, h.left, h.packed = 0, 8*int(v>>1), nil
		}
		return
	}
	size := (h.width + 7) / 8
	if len(h.data) < size {
		corrupt("want %d bytes of a run, have %d", size, len(h.data))
	}
	h.value = 0
	for i := range size {
		h.value |= uint32(h.data[i]) << (8 * i)
	}
	h.left, h.data = int(v>>1), h.data[size:]
	if h.left == 0 {
		corrupt("want a run of numbers, have an empty one")
	}
}

// each reads as many numbers as dst has, none of them larger than most.
func readHybrid[T uint8 | uint32](h *hybrid, dst []T, most uint32) {
	for len(dst) > 0 {
		switch {
		case h.left > 0:
			n := min(h.left, len(dst))
			if h.value > most {
				corrupt("want numbers up to %d, have %d", most, h.value)
			}
			for i := range dst[:n] {
				dst[i] = T(h.value)
			}
			h.left -= n
			dst = dst[n:]
		case h.bit+h.width <= 8*len(h.packed) && h.width > 0:
			n := min((8*len(h.packed)-h.bit)/h.width, len(dst))
			unpack(h, dst[:n], most)
			dst = dst[n:]
		default:
			h.header()
		}
	}
}

func unpack[T uint8 | uint32](h *hybrid, dst []T, most uint32) {
	mask := uint64(1)<<h.width - 1
	for i := range dst {
		at := h.bit >> 3
		var word uint64
		if at+8 <= len(h.packed) {
			word = binary.LittleEndian.Uint64(h.packed[at:])
		} else {
			for k, b := range h.packed[at:] {
				word |= uint64(b) << (8 * k)
			}
		}
		v := word >> (h.bit & 7) & mask
		if v > uint64(most) {
			corrupt("want numbers up to %d, have %d", most, v)
		}
		dst[i] = T(v)
		h.bit += h.width
	}
}

// bitsOf returns how many bits the numbers up to most take.
func bitsOf(most int) int { return bits.Len(uint(most)) }

// deltas reads numbers that are packed as differences.
func deltas(data []byte, most int) (numbers []int64, rest []byte) {
	at := 0
	uvarint := func() uint64 {
		v, n := binary.Uvarint(data[at:])
		if n <= 0 {
			corrupt("want a number, have the end of the page")
		}
		at += n
		return v
	}
	varint := func() int64 {
		v := uvarint()
		return int64(v>>1) ^ -int64(v&1)
	}
	block, minis, total := uvarint(), uvarint(), uvarint()
	value := varint()
	if total > uint64(most) {
		corrupt("want at most %d numbers, have %d", most, total)
	}
	if block == 0 || block > 1<<20 || minis == 0 || minis > block || block%minis != 0 || block/minis%8 != 0 {
		corrupt("want blocks of differences, have %d in %d", block, minis)
	}
	per := int(block / minis)
	numbers = make([]int64, 0, total)
	if total > 0 {
		numbers = append(numbers, value)
	}
	for len(numbers) < int(total) {
		least := varint()
		if len(data)-at < int(minis) {
			corrupt("want the widths of %d blocks, have %d bytes", minis, len(data)-at)
		}
		widths := data[at : at+int(minis)]
		at += int(minis)
		for _, w := range widths {
			if len(numbers) == int(total) {
				break
			}
			width, size := int(w), int(w)*per/8
			if width > 64 || len(data)-at < size {
				corrupt("want %d bytes of differences of %d bits, have %d bytes", size, width, len(data)-at)
			}
			packed := data[at : at+size]
			at += size
			for i := range min(per, int(total)-len(numbers)) {
				value += least + int64(bitsAt(packed, i*width, width))
				numbers = append(numbers, value)
			}
		}
	}
	return numbers, data[at:]
}

// bitsAt returns a number of up to 64 bits.
func bitsAt(packed []byte, bit, width int) (v uint64) {
	if width == 0 {
		return 0
	}
	at, shift := bit>>3, bit&7
	for k := 0; k < 9 && at+k < len(packed) && 8*k < width+shift; k++ {
		b := uint64(packed[at+k])
		if up := 8*k - shift; up >= 0 {
			v |= b << up
		} else {
			v |= b >> -up
		}
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}
