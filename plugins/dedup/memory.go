package dedup

import (
	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// A memory holds the rows that were emitted, numbered in their order.
type memory struct {
	rows    list[origin]
	files   names
	splits  names
	content map[canonical.Digest]uint32 // the row with that content
	runs    map[uint64]uint32           // trajectories: the first row of each that has a split of its own
	ends    map[uint64]uint32           // conversations of a trajectory, whole
	within  map[uint64]uint32           // conversations of a trajectory, as far as an answer that others follow
	near    index
	texts   texts
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

// of returns the number of a name.
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

// A row is what dedup knows about the current record.
type row struct {
	pos   sdk.Pos
	split string
	fingerprint.Print
}

// add adds the row under a key, and returns its number.
func (m *memory) add(w *row, key canonical.Digest, near bool) int {
	number := m.rows.len
	m.rows.add(origin{
		line: uint32(w.pos.Line), file: uint32(m.files.of(w.pos.File)), split: uint16(m.splits.of(w.split)), run: uint32(w.Trajectory),
	})
	m.texts.add(w.Asked, w.Answered)
	m.content[key] = uint32(number)
	if near {
		m.near.add(w.Sketch, w.Sketched)
	}
	return number
}

// goesOn adds the end of the row's conversation, and with inner also the ends that it continues.
func (m *memory) goesOn(w *row, number int, inner bool) {
	if w.End == 0 {
		return
	}
	m.ends[w.End] = uint32(number)
	for _, part := range w.Inner {
		if _, known := m.within[part]; inner && !known {
			m.within[part] = uint32(number)
		}
	}
}

// split returns the split of a row.
func (m *memory) split(number int) string { return m.splits.all[m.rows.at(number).split] }

// pos returns where a row came from.
func (m *memory) pos(number int) sdk.Pos {
	o := m.rows.at(number)
	return sdk.Pos{File: m.files.all[o.file], Line: int64(o.line)}
}

// nearest returns the row of another trajectory that is most like w, if it is at least as similar as asked.
func (m *memory) nearest(w *row, least float64, compared func(split string) bool) (t twin, ok bool) {
	if !w.Sketched {
		return twin{}, false
	}
	t = twin{kind: near, in: m, number: -1}
	m.near.near(&w.Sketch, func(other int) {
		o := m.rows.at(other)
		if other == t.number || w.Trajectory != 0 && o.run == uint32(w.Trajectory) || !compared(m.splits.all[o.split]) {
			return
		}
		alike := w.Sketch.Alike(m.near.sketches.at(other))
		if alike >= least && (alike > t.alike || alike == t.alike && other < t.number) {
			t.number, t.alike = other, alike
		}
	})
	return t, t.number >= 0
}
