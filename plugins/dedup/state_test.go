package dedup

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/sdk"
)

// remembering returns a deduper that knows n rows, near ones too.
func remembering(n int, near float64) *deduper {
	d := &deduper{config: config{Near: near, MaxRows: 10_000_000, Prefixes: "drop", Extensions: "keep", Across: "drop", Text: fingerprint.DefaultText}, known: newMemory(), held: newMemory(), loaded: true}
	var w row
	for i := range uint64(n) {
		h := mix(i + 1)
		w = row{pos: sdk.Pos{File: "in.jsonl", Line: int64(i)}, split: []string{"", "val"}[i%2]}
		w.Native, w.Content.Hi, w.Content.Lo, w.Trajectory, w.End = true, h, mix(h), mix(i/4+1), mix(h+1)
		w.Inner, w.Asked, w.Answered = []uint64{mix(h + 2)}, fmt.Appendf(nil, "question %d", i), []byte("answer")
		w.Sketch.Exact, w.Sketched = h%1000, true
		d.remember(&w)
	}
	return d
}

func empty(d *deduper) *deduper {
	return &deduper{config: d.config, known: newMemory(), held: newMemory()}
}

// TestStateInPieces holds that a state is written while it is made, and that a memory which is restored is as large as the first.
func TestStateInPieces(t *testing.T) {
	const n = 10_000
	for _, near := range []float64{0, 0.8} {
		d := remembering(n, near)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var state bytes.Buffer
		state.Grow(64 << 20)
		runtime.ReadMemStats(&before)
		if err := d.Save(&state); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 1<<20 {
			t.Errorf("near %v: want at most 1 MiB allocated for a state of %d bytes, have %d", near, state.Len(), made)
		}
		e := empty(d)
		if err := e.Restore(bytes.NewReader(state.Bytes())); err != nil {
			t.Fatal(err)
		}
		if len(e.known.content) != n || len(e.known.ends) != n || len(e.known.within) != n || e.known.rows.len != n || e.known.near.sketches.len != d.known.near.sketches.len {
			t.Errorf("near %v: want %d rows of each, have %d, %d, %d, %d", near, n, len(e.known.content), len(e.known.ends), len(e.known.within), e.known.rows.len)
		}
	}
}

// TestStateOfOthers holds that a state of other attributes, another version or a changed file is an error.
func TestStateOfOthers(t *testing.T) {
	file := write(t, "test.jsonl", chat("q", "a"))
	d := remembering(3, 0.8)
	d.HeldOut, d.loaded = []string{file}, false
	if err := d.load(); err != nil {
		t.Fatal(err)
	}
	d.loaded = true
	var state bytes.Buffer
	if err := d.Save(&state); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		change func(e *deduper, state []byte) []byte
		want   string
	}{
		{"the same", func(_ *deduper, state []byte) []byte { return state }, ""},
		{"other attributes", func(e *deduper, state []byte) []byte { e.Near = 0.9; return state }, "of this version with these attributes"},
		{"another version", func(_ *deduper, state []byte) []byte {
			return bytes.Replace(state, []byte("dedup 1"), []byte("dedup 0"), 1)
		}, "of this version with these attributes"},
		{"a byte too many", func(_ *deduper, state []byte) []byte { return append(state, 0) }, "want the end of the state"},
		{"a byte too few", func(_ *deduper, state []byte) []byte { return state[:len(state)-1] }, io.ErrUnexpectedEOF.Error()},
		{"nothing", func(*deduper, []byte) []byte { return nil }, io.ErrUnexpectedEOF.Error()},
	} {
		e := empty(d)
		if err := e.Restore(bytes.NewReader(c.change(e, bytes.Clone(state.Bytes())))); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
	if err := os.WriteFile(file, []byte(chat("q", "b")), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := empty(d).Restore(&state); err == nil || !strings.Contains(err.Error(), "have changed ones") {
		t.Errorf("want an error for a changed file, have %v", err)
	}
}

// FuzzRestore holds that a broken state is an error, or leaves a step that can go on: it never panics, hangs or takes memory for more
// than is there.
func FuzzRestore(f *testing.F) {
	for _, near := range []float64{0, 0.8} {
		var state bytes.Buffer
		if err := remembering(10, near).Save(&state); err != nil {
			f.Fatal(err)
		}
		f.Add(near > 0, state.Bytes())
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			broken := bytes.Clone(state.Bytes())
			broken[r.IntN(len(broken))] ^= 1 << r.IntN(8)
			f.Add(near > 0, broken)
		}
	}
	f.Fuzz(func(t *testing.T, isNear bool, state []byte) {
		near := 0.0
		if isNear {
			near = 0.8
		}
		d := remembering(0, near)
		if d.Restore(bytes.NewReader(state)) != nil {
			return
		}
		var again bytes.Buffer
		if err := d.Save(&again); err != nil {
			t.Fatal(err)
		}
		var w row
		w.Sketched = near > 0
		for n := range d.known.rows.len {
			if o := d.known.rows.at(n); near > 0 {
				w.Sketch = *d.known.near.sketches.at(n)
				w.Trajectory = uint64(o.run) + 1
			}
			if at, ok := d.twin(&w); ok {
				_, _ = at.in.pos(at.number), at.in.split(at.number)
			}
			d.known.texts.at(n)
			w.Content.Lo = uint64(n)
			d.remember(&w)
		}
	})
}

// BenchmarkState measures how long a step of a million rows stands still for a checkpoint, and how long it takes to go on from one.
func BenchmarkState(b *testing.B) {
	for _, near := range []float64{0, 0.8} {
		d := remembering(1_000_000, near)
		var state bytes.Buffer
		if err := d.Save(&state); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("save near=%v", near), func(b *testing.B) {
			b.SetBytes(int64(state.Len()))
			for b.Loop() {
				if err := d.Save(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("restore near=%v", near), func(b *testing.B) {
			b.SetBytes(int64(state.Len()))
			for b.Loop() {
				if err := empty(d).Restore(bytes.NewReader(state.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
