package sdk

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/sdk/wire"
)

// orderedMethod names a method of a processor that only makes sense when one worker gets all records, "" when it has none.
func orderedMethod(proc Processor) string {
	switch unwrapped(proc).(type) {
	case Flusher:
		return "Flush"
	case Finisher:
		return "Finish"
	case Saver:
		return "Save"
	}
	return ""
}

// unwrapped returns the processor that Concurrent was given, or proc.
func unwrapped(proc Processor) Processor {
	if c, ok := proc.(*concurrent); ok {
		return c.Processor
	}
	return proc
}

// finish calls Flush and Finish of the first step, and sends the records, rows and counts, which belong to no record of the batch.
func (c *chain) finish(ctx context.Context) error {
	s := c.steps[0]
	s.atEnd = true
	defer func() { s.atEnd = false }()
	s.touch()
	c.space.Note(wire.Spot{Record: -1})
	var err error
	proc := unwrapped(s.proc)
	if f, ok := proc.(Flusher); ok {
		err = s.flush(ctx, f)
	}
	if f, ok := proc.(Finisher); ok && err == nil {
		if err = f.Finish(s.none()); err == nil {
			err = s.blamed()
		}
		s.turn++
	}
	if err == nil {
		err = c.sendRows(s)
	}
	if err != nil {
		return &wire.StepError{Err: err}
	}
	c.reply.Done = true
	return c.flush()
}

// none returns the record that Flush and Finish get: it has no bytes and no position.
func (s *step) none() *Record { return &Record{document: &document{step: s}, turn: s.turn} }

// blamed returns the error for a mistake of the plugin's code after the last record.
func (s *step) blamed() error {
	if s.fault == nil {
		return nil
	}
	return errors.New(s.fault.message)
}

// sendRows adds the rows and counts of Flush or Finish to the reply, and sends replies of bounded size.
func (c *chain) sendRows(s *step) error {
	s.counts.settle(true)
	s.counts.keep()
	sides := s.sides
	s.sides = nil
	for _, row := range sides {
		if c.rows > maxRows {
			if err := c.flush(); err != nil {
				return err
			}
		}
		c.reply.Sides = append(c.reply.Sides, row)
		c.rows += len(row.JSON) + rowCost
	}
	return nil
}

// maxHeld is how many records of Flush one reply has.
const maxHeld = 4096

// flush calls Flush and sends what it emits. Unlike the output of a record it may be larger than one grant.
func (s *step) flush(ctx context.Context, f Flusher) error {
	var failed error
	err := f.Flush(ctx, s.none(), func(r *Record) {
		if failed == nil {
			failed = s.emitHeld(ctx, r)
		}
	})
	s.turn++
	switch {
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return s.blamed()
}

// emitHeld adds a record of Flush to the reply. It sends the reply first when there is no room for the record.
func (s *step) emitHeld(ctx context.Context, r *Record) error {
	c := s.chain
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.checkHeld(r); err != nil {
		return err
	}
	if err := c.sendRows(s); err != nil {
		return err
	}
	if c.rows > maxRows || len(c.reply.Lengths) >= maxHeld || c.isDue() {
		if err := c.flush(); err != nil {
			return err
		}
	}
	n := r.length()
	offset, mem := c.space.Take(n)
	if mem == nil {
		if err := c.flush(); err != nil {
			return err
		}
		if err := c.space.Grow(ctx, n); err != nil {
			return err
		}
		if offset, mem = c.space.Take(n); mem == nil {
			return fmt.Errorf("want the %d bytes that were waited for, have a smaller grant", n)
		}
	}
	r.appendTo(mem[:0])
	p, index := c.reply, uint32(len(c.reply.Lengths))
	p.Offsets, p.Lengths = append(p.Offsets, offset), append(p.Lengths, uint64(n))
	p.Origins = append(p.Origins, wire.NewOrigins{Index: index, Origins: r.from})
	if len(r.labels) > 0 {
		p.AddLabels(int(index), r.labels)
	}
	return nil
}

// checkHeld returns what is wrong with a record of Flush.
func (s *step) checkHeld(r *Record) error {
	if r == nil {
		s.blame(wire.InvalidOutput, "want a record to emit, have nil")
		return s.blamed()
	}
	r.check()
	if r.step != s {
		panic("sdk: emitted a record of another processor")
	}
	switch n, limit := r.length(), s.chain.space.Limit(); {
	case s.fault != nil:
	case n == 0:
		s.blame(wire.InvalidOutput, "want JSON to emit, have a record without bytes")
	case n > limit:
		return fmt.Errorf("%w: want at most %d bytes, have %d", wire.ErrTooLarge, limit, n)
	case r.from == nil:
		s.blame(wire.InvalidOutput, "want SetOrigins on a record that Flush emits, which names the records that it was made of")
	}
	return s.blamed()
}
