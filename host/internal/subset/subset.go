// Package subset selects the records of a run that does not read everything: the first ones, or a sample.
package subset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Subset selects records, and says in its Partial which ones it has selected.
type Subset struct {
	receipt.Partial
	sample []uint64 // the records of the sample, counted from 0 over all sources, in order
	seen   uint64   // records so far
	left   int64    // records to select
	inputs []receipt.Input
}

// New returns a subset of the first limit records, or of a sample drawn by seed; nil when both are 0.
func New(limit, sample int64, seed uint64) *Subset {
	if limit == 0 && sample == 0 {
		return nil
	}
	return &Subset{Partial: receipt.Partial{Limit: limit, Sample: sample, Seed: seed}, left: max(limit, sample)}
}

// Inputs returns the files that were read to draw a sample, nil when none was drawn.
func (s *Subset) Inputs() []receipt.Input { return s.inputs }

// Draw reads the sources to draw the sample: the records whose seed, file and line have the lowest hashes. So the sample depends on
// nothing else, and has exactly the size that was asked for when there are enough records.
func (s *Subset) Draw(ctx context.Context, sources []*plan.Source, arena *wire.Arena) error {
	if s.Sample == 0 {
		return nil
	}
	for _, src := range sources {
		if err := src.Rereadable(); err != nil {
			return err
		}
	}
	drawn := lowest{n: int(s.Sample)}
	hasher := originHasher{seed: s.Seed}
	for _, src := range sources {
		src.SetArena(arena)
		for {
			chunk, err := src.Next(ctx, 0)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for i := range chunk.Records {
				drawn.add(hasher.hash(&chunk.Records[i]))
			}
			wire.ReleaseAll(chunk.Records)
		}
		s.inputs = append(s.inputs, src.Inputs()...)
		if err := src.Rewind(); err != nil {
			return err
		}
	}
	s.sample = drawn.ords()
	s.left = int64(len(s.sample))
	return nil
}

// Filter makes the sources return only selected records.
func (s *Subset) Filter(sources []*flow.Source) {
	for _, src := range sources {
		src.Reader = &filter{src.Reader, s}
	}
}

// selects reports whether the next record is selected, and counts it.
func (s *Subset) selects(r *wire.Record) bool {
	ord := s.seen
	s.seen++
	if s.left == 0 {
		return false
	}
	if s.Sample > 0 {
		if len(s.sample) == 0 || s.sample[0] != ord {
			return false
		}
		s.sample = s.sample[1:]
	}
	s.left--
	if n := len(s.Taken); n == 0 || s.Taken[n-1].Name != r.File {
		s.Taken = append(s.Taken, receipt.PartialInput{Name: r.File})
	}
	s.Taken[len(s.Taken)-1].Records++
	s.Bytes += int64(r.Size())
	return true
}

type filter struct {
	flow.Reader
	subset *Subset
}

// Next implements flow.Reader.
func (f *filter) Next(ctx context.Context, most int) (wire.Chunk, error) {
	for f.subset.left > 0 {
		chunk, err := f.Reader.Next(ctx, most)
		if err != nil {
			return chunk, err
		}
		var kept wire.Chunk
		for i := range chunk.Records {
			if !f.subset.selects(&chunk.Records[i]) {
				wire.ReleaseAll(chunk.Records[i : i+1])
				continue
			}
			var fault *wire.Fault
			if chunk.Faults != nil {
				fault = chunk.Faults[i]
			}
			kept.Add(chunk.Records[i], fault)
		}
		if len(kept.Records) > 0 {
			return kept, nil
		}
	}
	return wire.Chunk{}, io.EOF
}

// originHasher hashes the origins of records. Several records may begin on one line.
type originHasher struct {
	seed uint64
	file string
	line int64
	nth  int // record of the line
	text []byte
}

func (h *originHasher) hash(r *wire.Record) uint64 {
	if r.File == h.file && r.Line == h.line {
		h.nth++
	} else {
		h.file, h.line, h.nth = r.File, r.Line, 0
	}
	h.text = fmt.Appendf(h.text[:0], "%s\x00%d\x00%d", h.file, h.line, h.nth)
	return xxh3.HashSeed(h.text, h.seed)
}

// lowest keeps the n records with the lowest hashes.
type lowest struct {
	n    int
	ord  uint64 // of the next record
	kept []hashed
}

type hashed struct{ hash, ord uint64 }

// add keeps the next record, and trims the list when it has twice as many as are wanted.
func (l *lowest) add(hash uint64) {
	if l.kept = append(l.kept, hashed{hash, l.ord}); len(l.kept)/2 >= l.n {
		l.trim()
	}
	l.ord++
}

func (l *lowest) trim() {
	slices.SortFunc(l.kept, func(a, b hashed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.ord, b.ord)) })
	l.kept = l.kept[:min(l.n, len(l.kept))]
}

func (l *lowest) ords() (ords []uint64) {
	l.trim()
	for _, h := range l.kept {
		ords = append(ords, h.ord)
	}
	slices.Sort(ords)
	return ords
}
