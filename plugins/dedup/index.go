package dedup

import (
	"encoding/binary"

	"github.com/sluicehq/sluice/plugins/fingerprint"
)

// An index finds the rows whose sketches agree with another in all bytes of one band. A row of similarity s is found with
// probability 1-(1-s^width)^bands.
type index struct {
	sketches list[fingerprint.Sketch] // of rows, by number
	bands    [bands]table
}

const (
	width = 6 // bytes of a band
	bands = fingerprint.Bins / width

	// alikes bounds how many rows with the same bytes in a band are kept, so that rows of one template do not take quadratic time.
	alikes = 4
)

// band returns a number for the bytes of one band and what two rows must have the same exactly, so that rows of one template with
// other requests are in other places.
func band(s *fingerprint.Sketch, b int) uint64 {
	var key [8]byte
	copy(key[:], s.Whole[b*width:(b+1)*width])
	return binary.LittleEndian.Uint64(key[:]) ^ s.Exact
}

// near yields each row that agrees with a sketch in a band, some of them several times.
func (x *index) near(s *fingerprint.Sketch, yield func(row int)) {
	for b := range x.bands {
		key := band(s, b)
		x.bands[b].walk(key, func(row int) bool {
			if band(x.sketches.at(row), b) == key {
				yield(row)
			}
			return true
		})
	}
}

// add adds the sketch of the next row, and with found its bands to the tables.
func (x *index) add(s fingerprint.Sketch, found bool) {
	row := x.sketches.len
	x.sketches.add(s)
	if !found {
		return
	}
	for b := range x.bands {
		t, key, same := &x.bands[b], band(&s, b), 0
		t.grow(func(row int) uint64 { return band(x.sketches.at(row), b) })
		t.walk(key, func(row int) bool {
			if band(x.sketches.at(row), b) == key {
				same++
			}
			return same < alikes
		})
		if same < alikes {
			t.put(key, row)
		}
	}
}

// A table is a hash table of rows by a band, with linear probing.
type table struct {
	slots []uint32 // rows, counted from 1; 0 is a free slot
	used  int
}

// leastSlots is how many slots a table has at first.
const leastSlots = 64

// walk yields the rows that may have a key, until yield returns false.
func (t *table) walk(key uint64, yield func(row int) bool) {
	if len(t.slots) == 0 {
		return
	}
	for at := mix(key); ; at++ {
		row := t.slots[at&uint64(len(t.slots)-1)]
		if row == 0 || !yield(int(row-1)) {
			return
		}
	}
}

func (t *table) put(key uint64, row int) {
	at := mix(key)
	for t.slots[at&uint64(len(t.slots)-1)] != 0 {
		at++
	}
	t.slots[at&uint64(len(t.slots)-1)] = uint32(row + 1)
	t.used++
}

// grow makes room for one more row, so that at most three slots of four are taken.
func (t *table) grow(key func(row int) uint64) {
	if t.used < len(t.slots)/4*3 {
		return
	}
	old := t.slots
	t.slots, t.used = make([]uint32, max(leastSlots, 2*len(old))), 0
	for _, row := range old {
		if row != 0 {
			t.put(key(int(row-1)), int(row-1))
		}
	}
}

// A list grows without copying its elements.
type list[T any] struct {
	chunks [][]T
	len    int
}

const chunk = 4096

func (l *list[T]) add(x T) {
	if l.len%chunk == 0 {
		l.chunks = append(l.chunks, make([]T, chunk))
	}
	l.chunks[l.len/chunk][l.len%chunk] = x
	l.len++
}

func (l *list[T]) at(i int) *T { return &l.chunks[i/chunk][i%chunk] }

// mix hashes a number.
func mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xe9846af9b1a615d
	x = (x ^ x>>32) * 0xe9846af9b1a615d
	return x ^ x>>28
}
