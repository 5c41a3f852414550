package host

import (
	"container/heap"
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

// A portion is the records of the inputs that a run takes when it does not take all of them.
type portion struct {
	receipt.Partial
	chosen []uint64 // of a sample: which records, counted from 0 over all sources, in order
	seen   uint64   // records that went by
	left   int64    // records to take
	inputs []receipt.Input
}

// portion is what the run takes; nil when it takes everything.
func (o Options) portion() *portion {
	if o.Limit == 0 && o.Sample == 0 {
		return nil
	}
	return &portion{Partial: receipt.Partial{Limit: o.Limit, Sample: o.Sample, Seed: o.Seed}, left: max(o.Limit, o.Sample)}
}

// choose reads the inputs once and chooses the sample: the records with the lowest hashes of the seed and of where they stand.
// So it depends on nothing else, and takes exactly as many as were asked for if there are so many.
func (p *portion) choose(ctx context.Context, intakes []*plan.Source, arena *wire.Arena) error {
	if p.Sample == 0 {
		return nil
	}
	for _, i := range intakes {
		if err := i.Rereadable(); err != nil {
			return err
		}
	}
	var best lowest
	origin := originHash{seed: p.Seed}
	ord := uint64(0)
	for _, i := range intakes {
		i.SetArena(arena)
		for {
			chunk, err := i.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for k := range chunk.Records {
				best.offer(drawn{origin.of(&chunk.Records[k]), ord}, int(p.Sample))
				ord++
			}
			wire.ReleaseAll(chunk.Records)
		}
		p.inputs = append(p.inputs, i.Inputs()...)
		if err := i.Rewind(); err != nil {
			return err
		}
	}
	for _, d := range best {
		p.chosen = append(p.chosen, d.ord)
	}
	slices.Sort(p.chosen)
	p.left = int64(len(p.chosen))
	return nil
}

// takes tells whether the next record is one of the portion.
func (p *portion) takes(r *wire.Record) bool {
	ord := p.seen
	p.seen++
	if p.left == 0 {
		return false
	}
	if p.Sample > 0 {
		if len(p.chosen) == 0 || p.chosen[0] != ord {
			return false
		}
		p.chosen = p.chosen[1:]
	}
	p.left--
	if n := len(p.Taken); n == 0 || p.Taken[n-1].Name != r.File {
		p.Taken = append(p.Taken, receipt.PartialInput{Name: r.File})
	}
	p.Taken[len(p.Taken)-1].Records++
	p.Bytes += int64(r.Size())
	return true
}

// only makes the sources give the portion alone.
func (p *portion) only(sources []*flow.Source) {
	for _, s := range sources {
		s.Reader = &partial{s.Reader, p}
	}
}

// A partial supply gives the records of a portion, and ends with its last.
type partial struct {
	flow.Reader
	portion *portion
}

// Next implements flow.Reader.
func (s *partial) Next(ctx context.Context) (wire.Chunk, error) {
	for s.portion.left > 0 {
		chunk, err := s.Reader.Next(ctx)
		if err != nil {
			return chunk, err
		}
		var kept wire.Chunk
		for i := range chunk.Records {
			if !s.portion.takes(&chunk.Records[i]) {
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

// An originHash hashes where records stand. Several may begin on one line.
type originHash struct {
	seed uint64
	file string
	line int64
	nth  int
	text []byte
}

func (h *originHash) of(r *wire.Record) uint64 {
	if r.File == h.file && r.Line == h.line {
		h.nth++
	} else {
		h.file, h.line, h.nth = r.File, r.Line, 0
	}
	h.text = fmt.Appendf(h.text[:0], "%s\x00%d\x00%d", h.file, h.line, h.nth)
	return xxh3.HashSeed(h.text, h.seed)
}

// A drawn record has its hash and its number.
type drawn struct{ hash, ord uint64 }

// lowest are the records with the lowest hashes, the highest of them on top.
type lowest []drawn

// offer takes in a record, if it is among the n lowest so far.
func (l *lowest) offer(d drawn, n int) {
	switch {
	case len(*l) < n:
		heap.Push(l, d)
	case less(d, (*l)[0]):
		(*l)[0] = d
		heap.Fix(l, 0)
	}
}

func less(a, b drawn) bool { return a.hash < b.hash || a.hash == b.hash && a.ord < b.ord }

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (l lowest) Len() int           { return len(l) }
func (l lowest) Less(i, j int) bool { return less(l[j], l[i]) }
func (l lowest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *lowest) Push(x any)        { *l = append(*l, x.(drawn)) }
func (l *lowest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
