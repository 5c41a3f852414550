package flow

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A pace divides the records of batches so that a worker, or a sink, is at a part for about partTime, however slow it is. Otherwise one
// worker would get all records of a small input, the answers about a later batch would wait for minutes behind an earlier one, and
// nobody could say how far the run is.
type pace struct {
	records atomic.Int64 // of the next part; 0: batches stay as they come
}

// A node begins with parts of firstRecords, and each has at most growth times as many as the one before.
const (
	partTime     = 250 * time.Millisecond
	firstRecords = 4
	growth       = 8
)

func newPace() *pace {
	p := &pace{}
	p.records.Store(firstRecords)
	return p
}

// paceOf returns the pace of a node. The batches of a concurrent step stay as they come, since it works on the records of one at
// once, and so do those whose size the pipeline says.
func paceOf(n workerNode) *pace {
	for _, s := range stepsOf(n) {
		if s.Concurrent || s.Batch != (BatchSize{}) {
			return &pace{}
		}
	}
	return newPace()
}

// next returns how many of n records come next.
func (p *pace) next(n int) int {
	if most := int(p.records.Load()); most > 0 {
		return min(n, most)
	}
	return n
}

// took notes how long n records took.
func (p *pace) took(n int, d time.Duration) {
	if p.records.Load() > 0 {
		next := float64(n) * float64(partTime) / float64(d+1)
		p.records.Store(int64(max(1, min(next, growth*max(float64(n), firstRecords)))))
	}
}

// each calls pass with batches of the records of b, in order, and at last with b itself.
func (p *pace) each(b *batch, pass func(*batch) error) error {
	for n := p.next(len(b.records)); n < len(b.records); n = p.next(len(b.records)) {
		if err := pass(b.takeFirst(n)); err != nil {
			return err
		}
	}
	return pass(b)
}

// call calls a worker of a node with a batch, unless that has no records, and notes how long it took.
func (p *pace) call(ctx context.Context, n workerNode, at slot, b *batch, emit func(section) error) error {
	records := len(b.records)
	if records == 0 {
		return nil
	}
	began := time.Now()
	at.tally = b.chunk.tally
	err := n.call(ctx, at, b.records, emit)
	p.took(records, time.Since(began))
	return err
}

// write writes records to a sink part by part, and calls wrote with how many each time.
func (p *pace) write(s *Sink, records []wire.Record, wrote func(n int)) error {
	for len(records) > 0 {
		n := p.next(len(records))
		began := time.Now()
		if err := s.write(records[:n]); err != nil {
			return err
		}
		p.took(n, time.Since(began))
		wrote(n)
		records = records[n:]
	}
	return nil
}
