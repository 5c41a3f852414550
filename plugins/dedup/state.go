package dedup

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/plugins/internal/state"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

var _ sdk.Saver = (*deduper)(nil)

// head names the layout of a state and the attributes that it belongs to.
func (d *deduper) head() string { return fmt.Sprintf("dedup 1 %#v", d.config) }

// Save implements sdk.Saver. What lies in files is not part of the state, only a sum of it.
func (d *deduper) Save(w io.Writer) error {
	s := state.NewWriter(w, d.head())
	loaded := uint64(0)
	if d.loaded {
		loaded = 1
	}
	s.Uint(loaded)
	s.Fixed64(d.sum)
	d.known.save(s, d.Near > 0)
	return s.End()
}

// Restore implements sdk.Saver.
func (d *deduper) Restore(r io.Reader) error {
	s := state.NewReader(r, d.head())
	loaded, sum := s.Uint(1) == 1, s.Fixed64()
	if s.Err() == nil && loaded {
		if err := d.load(); err != nil {
			return err
		}
		if d.sum != sum {
			return errors.New("want the files of held_out and longer as they were, have changed ones")
		}
		d.loaded = true
	}
	d.known.restore(s, d.MaxRows, d.Near > 0)
	return s.End()
}

func (m *memory) save(s *state.Writer, near bool) {
	m.files.save(s)
	m.splits.save(s)
	s.Uint(uint64(m.rows.len))
	for i := range m.rows.len {
		o := m.rows.at(i)
		s.Fixed32(o.line)
		s.Uint(uint64(o.file))
		s.Uint(uint64(o.split))
		s.Fixed32(o.run)
		asked, answered := m.texts.at(i)
		s.Uint(uint64(len(asked)))
		s.Uint(uint64(len(answered)))
		s.Bytes(asked)
		s.Bytes(answered)
	}
	s.Uint(uint64(len(m.content)))
	for key, row := range m.content {
		s.Fixed64(key.Hi)
		s.Fixed64(key.Lo)
		s.Fixed32(row)
	}
	for _, rows := range []map[uint64]uint32{m.runs, m.ends, m.within} {
		s.Uint(uint64(len(rows)))
		for key, row := range rows {
			s.Fixed64(key)
			s.Fixed32(row)
		}
	}
	if near {
		m.near.save(s)
	}
}

// restore fills an empty memory. Every number of a row is one of a row that is there.
func (m *memory) restore(s *state.Reader, most int, near bool) {
	m.files.restore(s, math.MaxUint32)
	m.splits.restore(s, math.MaxUint16+1)
	n := s.Count(most)
	text := make([]byte, 2*fingerprint.MaxText)
	for range n {
		o := origin{line: s.Fixed32(), file: uint32(s.Uint(math.MaxUint32)), split: uint16(s.Uint(math.MaxUint16)), run: s.Fixed32()}
		asked, answered := s.Count(fingerprint.MaxText), s.Count(fingerprint.MaxText)
		s.Bytes(text[:asked+answered])
		if int(o.file) >= len(m.files.all) || int(o.split) >= len(m.splits.all) {
			s.Fail("want rows of the %d files and %d splits of the state, have one of others", len(m.files.all), len(m.splits.all))
		}
		if s.Err() != nil {
			return
		}
		m.rows.add(o)
		m.texts.add(text[:asked], text[asked:asked+answered])
	}
	m.content = restoreRows(s, n, n, func() canonical.Digest { return canonical.Digest{Hi: s.Fixed64(), Lo: s.Fixed64()} })
	for _, rows := range []*map[uint64]uint32{&m.runs, &m.ends, &m.within} {
		*rows = restoreRows(s, n, math.MaxInt, s.Fixed64)
	}
	if near {
		m.near.restore(s, n)
	}
}

// restoreRows restores a map to the numbers of n rows.
func restoreRows[K comparable](s *state.Reader, n, most int, key func() K) map[K]uint32 {
	size := s.Count(most)
	rows := make(map[K]uint32, min(size, n)) // the state may be broken
	for range size {
		k, row := key(), s.Fixed32()
		if int(row) >= n {
			s.Fail("want one of %d rows, have %d", n, row)
		}
		if s.Err() != nil {
			break
		}
		rows[k] = row
	}
	return rows
}

func (n *names) save(s *state.Writer) {
	s.Uint(uint64(len(n.all)))
	for _, name := range n.all {
		s.Text(name)
	}
}

func (n *names) restore(s *state.Reader, most int) {
	for i := range s.Count(most) {
		have := n.of(s.Text(math.MaxUint16))
		if have != i {
			s.Fail("want each name once, have name %d again", have)
		}
		if s.Err() != nil {
			return
		}
	}
}

// save writes the tables too: filling them anew would take much longer.
func (x *index) save(s *state.Writer) {
	var buf []byte
	for i := range x.sketches.len {
		buf = x.sketches.at(i).Append(buf[:0])
		s.Bytes(buf)
	}
	for b := range x.bands {
		slots := x.bands[b].slots
		s.Uint(uint64(len(slots)))
		for _, row := range slots {
			s.Fixed32(row)
		}
	}
}

// restore restores the index of n rows.
func (x *index) restore(s *state.Reader, n int) {
	buf := make([]byte, fingerprint.SketchSize)
	for range n {
		if s.Bytes(buf); s.Err() != nil {
			return
		}
		var sketch fingerprint.Sketch
		sketch.Parse(buf)
		x.sketches.add(sketch)
	}
	for b := range x.bands {
		x.bands[b].restore(s, n)
	}
}

// restore restores a table of some of n rows, which has room for one more.
func (t *table) restore(s *state.Reader, n int) {
	size := s.Count(max(leastSlots, 4*n))
	if size&(size-1) != 0 || size > 0 && size < leastSlots {
		s.Fail("want a power of two as the size of a table, have %d", size)
	}
	if s.Err() != nil {
		return
	}
	t.slots = make([]uint32, size)
	for i := range t.slots {
		row := s.Fixed32()
		if int(row) > n {
			s.Fail("want one of %d rows, have %d", n, row-1)
		}
		if s.Err() != nil {
			return
		}
		if t.slots[i] = row; row > 0 {
			t.used++
		}
	}
	if t.used > size/4*3 {
		s.Fail("want at most %d rows in a table, have %d", size/4*3, t.used)
	}
}
