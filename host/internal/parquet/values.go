package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// A mode is how the values of a page are found.
type mode uint8

const (
	fixed    mode = iota // one behind the other, all of one size
	own                  // each behind its size
	indexed              // in the dictionary
	measured             // one behind the other, with sizes apart
	prefixed             // the same, and each begins as the one before
	summed               // sums of differences
)

// values reads the values of a page, of which nulls are no part.
type values struct {
	mode     mode
	width    int
	data     []byte
	at       int
	indexes  []uint32
	dict     *dictionary
	numbers  *deltas // sizes, or the values
	prefixes *deltas
	last     []byte
	spread   []byte // for reuse
}

// open begins a page with n values. Only what is decoded before it is read is decoded here.
func (v *values) open(c *column, encoding format.Encoding, data []byte, n int) {
	*v = values{width: c.width, data: data, indexes: v.indexes, spread: v.spread, last: v.last}
	switch encoding {
	case format.Plain:
		v.mode = own
		if c.width > 0 {
			v.mode = fixed
		}
		if c.kind == format.Boolean {
			h := hybrid{packed: data, width: 1}
			v.bools(&h, n)
		}
	case oldDictionary, format.RLEDictionary:
		v.openIndexes(c, data, n)
	case format.RLE:
		if c.kind != format.Boolean {
			corrupt("want the encoding RLE for booleans, have it for %v", c.kind)
		}
		packed, _ := sized(data, 0)
		h := newHybrid(packed, 1)
		v.bools(&h, n)
	case format.DeltaBinaryPacked:
		if c.kind != format.Int32 && c.kind != format.Int64 {
			corrupt("want differences of integers, have them of %v", c.kind)
		}
		v.mode, v.numbers = summed, newDeltas(data, n)
	case format.DeltaLengthByteArray:
		v.mode, v.numbers = measured, newDeltas(data, n)
		v.data = v.numbers.rest()
	case format.DeltaByteArray:
		v.mode, v.last, v.prefixes = prefixed, v.last[:0], newDeltas(data, n)
		v.numbers = newDeltas(v.prefixes.rest(), n)
		v.data = v.numbers.rest()
		if v.prefixes.left != v.numbers.left {
			corrupt("want a prefix for each value, have %d for %d", v.prefixes.left, v.numbers.left)
		}
	case format.ByteStreamSplit:
		v.openStreams(c, data, n)
	default:
		corrupt("want an encoding of Parquet, have %v", encoding)
	}
	if (v.mode == measured || v.mode == prefixed) && c.kind != format.ByteArray && c.kind != format.FixedLenByteArray {
		corrupt("want the encoding %v for bytes, have it for %v", encoding, c.kind)
	}
}

// bools spreads booleans to a byte each.
func (v *values) bools(h *hybrid, n int) {
	v.mode, v.spread = fixed, slices.Grow(v.spread[:0], n)[:n]
	readHybrid(h, v.spread, 1)
	v.data = v.spread
}

func (v *values) openIndexes(c *column, data []byte, n int) {
	v.mode, v.dict = indexed, &c.dictionary
	v.indexes = slices.Grow(v.indexes[:0], n)[:n]
	if n == 0 {
		return
	}
	if len(data) == 0 || v.dict.n == 0 {
		corrupt("want indexes of a dictionary, have %d bytes of them for %d values", len(data), v.dict.n)
	}
	h := newHybrid(data[1:], int(data[0]))
	readHybrid(&h, v.indexes, uint32(v.dict.n-1))
}

// openStreams puts values together whose first bytes lie together, and whose second, and so on.
func (v *values) openStreams(c *column, data []byte, n int) {
	if c.width == 0 || c.kind == format.Boolean || n*c.width > len(data) {
		corrupt("want %d split values of %d bytes, have %d bytes", n, c.width, len(data))
	}
	v.mode, v.spread = fixed, slices.Grow(v.spread[:0], n*c.width)[:n*c.width]
	for k := range c.width {
		stream := data[k*n : (k+1)*n]
		for i, b := range stream {
			v.spread[i*c.width+k] = b
		}
	}
	v.data = v.spread
}

// next returns the next value. It is valid until the next call.
func (v *values) next() []byte {
	switch v.mode {
	case own:
		value, end := sized(v.data, v.at)
		v.at = end
		return value
	case fixed:
		return v.take(v.width)
	case indexed:
		if v.at == len(v.indexes) {
			corrupt("want more values in the page, have the end")
		}
		v.at++
		return v.dict.value(int(v.indexes[v.at-1]), v.width)
	case summed:
		v.last = binary.LittleEndian.AppendUint64(v.last[:0], uint64(v.numbers.next()))
		return v.last[:v.width]
	}
	size := v.numbers.next()
	if size < 0 || size > int64(len(v.data)) {
		corrupt("want a value within the page, have one of %d bytes", size)
	}
	value := v.take(int(size))
	if v.mode == prefixed {
		prefix := v.prefixes.next()
		if prefix < 0 || prefix > int64(len(v.last)) {
			corrupt("want a prefix of the value before, have one of %d bytes", prefix)
		}
		v.last = append(v.last[:prefix], value...)
		value = v.last
	}
	if v.width > 0 && len(value) != v.width {
		corrupt("want a value of %d bytes, have %d", v.width, len(value))
	}
	return value
}

func (v *values) take(n int) []byte {
	if n > len(v.data)-v.at {
		corrupt("want %d more bytes of values in the page, have %d", n, len(v.data)-v.at)
	}
	v.at += n
	return v.data[v.at-n : v.at]
}

func (d *dictionary) value(i, width int) []byte {
	if width > 0 {
		return d.data[i*width : (i+1)*width]
	}
	from := 0
	if i > 0 {
		from = int(d.ends[i-1])
	}
	return d.data[from+4 : d.ends[i]]
}
