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
		corrupt("want the header of a run, have %d bytes that begin otherwise", len(h.data))
	}
	h.data = h.data[n:]
	if v&1 == 1 {
		size := int(v>>1) * h.width
		h.packed, h.bit = h.data[:min(size, len(h.data))], 0 // the last run may be cut off where the numbers end
		h.data = h.data[len(h.packed):]
		if len(h.packed) == 0 && h.width > 0 {
			corrupt("want %d bytes of packed numbers, have 0", size)
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

// readHybrid reads as many numbers as dst has, none of them larger than most.
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

// deltas are numbers that are packed as differences, in blocks of several packs. They are read one at a time, since differences of no bits
// take no bytes.
type deltas struct {
	data    []byte // that is not read yet
	left    int    // numbers
	begun   bool
	value   int64 // the last one, or the first
	least   int64 // difference of the block
	packs   int   // of a block
	per     int   // numbers of a pack
	widths  []byte
	packed  []byte
	width   int
	bit     int
	further int // numbers of the pack at hand
}

func newDeltas(data []byte, most int) *deltas {
	d := &deltas{data: data}
	block, packs, total := d.uvarint(), d.uvarint(), d.uvarint()
	d.value = d.varint()
	if total > uint64(most) {
		corrupt("want at most %d numbers, have %d", most, total)
	}
	if block == 0 || block > 1<<20 || packs == 0 || packs > block || block%packs != 0 || block/packs%8 != 0 {
		corrupt("want blocks of differences, have %d in %d", block, packs)
	}
	d.left, d.packs, d.per = int(total), int(packs), int(block/packs)
	return d
}

func (d *deltas) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		corrupt("want a number, have the end of the page")
	}
	d.data = d.data[n:]
	return v
}

func (d *deltas) varint() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *deltas) next() int64 {
	if d.left == 0 {
		corrupt("want more values in the page, have the end")
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.value
	}
	if d.further == 0 {
		d.nextPack()
	}
	d.further--
	d.value += d.least + int64(bitsAt(d.packed, d.bit, d.width))
	d.bit += d.width
	return d.value
}

func (d *deltas) nextPack() {
	if len(d.widths) == 0 {
		d.least = d.varint()
		if len(d.data) < d.packs {
			corrupt("want the widths of %d blocks, have %d bytes", d.packs, len(d.data))
		}
		d.widths, d.data = d.data[:d.packs], d.data[d.packs:]
	}
	d.width, d.bit, d.further = int(d.widths[0]), 0, d.per
	size := d.width * d.per / 8
	if d.width > 64 || len(d.data) < size {
		corrupt("want %d bytes of differences of %d bits, have %d bytes", size, d.width, len(d.data))
	}
	d.widths, d.packed, d.data = d.widths[1:], d.data[:size], d.data[size:]
}

// rest returns what is behind all numbers, of which none is read.
func (d deltas) rest() []byte {
	for d.left--; d.left > 0; d.left -= d.per {
		d.nextPack()
	}
	return d.data
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
