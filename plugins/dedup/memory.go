package dedup

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// A memory is what is known of the rows that went on. Rows are numbers, in the order in which they came.
type memory struct {
	rows    list[origin]
	files   names
	splits  names
	content map[canonical.Digest]uint32 // the row that says it
	runs    map[uint64]uint32           // trajectories: the first row of each that has a split of its own
	ends    map[uint64]uint32           // conversations of a trajectory, whole
	within  map[uint64]uint32           // conversations of a trajectory, as far as an answer that others follow
	near    index
}

func newMemory() *memory {
	return &memory{content: map[canonical.Digest]uint32{}, runs: map[uint64]uint32{}, ends: map[uint64]uint32{}, within: map[uint64]uint32{}}
}

// An origin is where a row came from, and what decides which rows it is compared with.
type origin struct {
	line  uint32
	file  uint32 // in files
	split uint16 // in splits
	run   uint32 // of its trajectory's hash, 0 for none
}

// names are texts with numbers.
type names struct {
	all    []string
	number map[string]int
}

// of gives the number of a name.
func (n *names) of(name string) int {
	i, ok := n.number[name]
	if !ok {
		if n.number == nil {
			n.number = map[string]int{}
		}
		i = len(n.all)
		n.all = append(n.all, name)
		n.number[name] = i
	}
	return i
}

// maxInner is how many answers of one row are remembered that others follow, the last ones.
const maxInner = 64

// A row is what is asked about the record at hand.
type row struct {
	pos        sdk.Pos
	split      string
	content    canonical.Digest
	trajectory uint64   // hash of its id; 0: it has none
	end        uint64   // its conversation in its trajectory
	inner      []uint64 // the same up to each answer that others follow
	sketch     sketch
	sketched   bool // it has words
}

// read fills the row with what a record says. id is of its trajectory, for one that does not say so itself. sketcher is nil
// when nobody asks for near duplicates.
func (w *row) read(r *canonical.Row, id string, content *canonical.Content, sketcher *sketcher) {
	content.Read(r)
	w.content, w.trajectory, w.end, w.inner, w.sketched = content.Whole, 0, 0, w.inner[:0], false
	if r.TrajectoryID != "" {
		id = r.TrajectoryID.Text()
	}
	if id != "" {
		w.trajectory = max(1, xxh3.HashString(id))
	}
	if r.Format != canonical.Format {
		return
	}
	if sketcher != nil {
		w.sketch, w.sketched = sketcher.row(r)
	}
	if w.trajectory == 0 {
		return
	}
	for i, t := range r.Turns {
		if t.Role == canonical.Assistant {
			w.inner = append(w.inner, w.in(content.Until[i]))
		}
	}
	w.inner = slices.Delete(w.inner, 0, max(0, len(w.inner)-maxInner))
	w.end = w.in(content.Until[len(content.Until)-1])
}

// in gives the hash of a conversation in the row's trajectory.
func (w *row) in(said canonical.Digest) uint64 { return mix(said.Lo ^ mix(w.trajectory)) }

// add remembers the row under a key, and tells what its number is.
func (m *memory) add(w *row, key canonical.Digest, near bool) int {
	number := m.rows.len
	m.rows.add(origin{
		line: uint32(w.pos.Line), file: uint32(m.files.of(w.pos.File)), split: uint16(m.splits.of(w.split)), run: uint32(w.trajectory),
	})
	m.content[key] = uint32(number)
	if near {
		m.near.add(w.sketch, w.sketched)
	}
	return number
}

// goesOn remembers how far the row's conversation goes, and with inner also what it goes on from.
func (m *memory) goesOn(w *row, number int, inner bool) {
	if w.end == 0 {
		return
	}
	m.ends[w.end] = uint32(number)
	for _, part := range w.inner {
		if _, known := m.within[part]; inner && !known {
			m.within[part] = uint32(number)
		}
	}
}

// split gives the split of a row.
func (m *memory) split(number int) string { return m.splits.all[m.rows.at(number).split] }

// pos gives where a row came from.
func (m *memory) pos(number int) sdk.Pos {
	o := m.rows.at(number)
	return sdk.Pos{File: m.files.all[o.file], Line: int64(o.line)}
}

// nearest gives the row of another trajectory that is most like w, of those that are compared with it, if it is at least so
// much like it.
func (m *memory) nearest(w *row, least float64, compared func(split string) bool) (t twin, ok bool) {
	if !w.sketched {
		return twin{}, false
	}
	t = twin{kind: near, in: m, number: -1}
	m.near.near(&w.sketch, func(other int) {
		o := m.rows.at(other)
		if other == t.number || w.trajectory != 0 && o.run == uint32(w.trajectory) || !compared(m.splits.all[o.split]) {
			return
		}
		alike := w.sketch.alike(m.near.sketches.at(other))
		if alike >= least && (alike > t.alike || alike == t.alike && other < t.number) {
			t.number, t.alike = other, alike
		}
	})
	return t, t.number >= 0
}
