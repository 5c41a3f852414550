package sdk

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A chain is a worker of one or more steps. It takes one record of a batch after the other through them, and what a step emits
// piece by piece through the later steps. Only what leaves the chain is written to the host's memory.
type chain struct {
	steps    []*step
	readings readings // of the current record
	marks    *marks   // of all steps
	poison   bool
	trust    bool // the host checks what leaves the chain, and the rows
	trace    bool // the reply shows the bytes of records that stay inside
	depth    int  // deepest nesting of new records and rows

	// What is decided about the batch and not sent yet.
	ctx    context.Context
	space  wire.Space
	send   func(*wire.Reply) error
	failed error // of growing space in the middle of a record
	reply  *wire.Reply
	rows   int           // bytes of side rows and of rejected records in reply
	timer  *time.Timer   // since the last reply, or the beginning of the batch
	due    chan struct{} // has something once it has run out
	index  int           // of the current record
	left   int           // records of the batch without a verdict

	touched []*step // steps that have answers about the current record, or are at it
	skips   []*step // steps that declined it by their marks; those that got more of it are in touched too

	// Of the first steps, which get every record once: what they declined by their marks.
	first    int    // how many there are
	declined []skip // the current record
	same     []skip // each of the last records, which is in no reply yet
	times    int    // how many records

	// What leaves the chain for the current record.
	leaving []pieceAt
	bytes   int    // of leaving, in space
	traced  int    // bytes of records that stay inside, copied for the reply
	spilled bool   // leaving lies in scratch instead, since space is too small for it
	scratch []byte // kept from record to record
}

var _ wire.Worker = (*chain)(nil)

// After replyAfter, or with maxRows bytes of side rows and rejects, a worker sends what it has. So the host's time limit
// holds for one record and its memory for a few, not for a batch.
const (
	replyAfter = time.Second
	maxRows    = 4 << 20
	rowCost    = 64      // bytes that a row takes besides its JSON
	maxNew     = 1 << 14 // emitted records of a step in a reply, with which it is sent
)

// timedEvery says that one in so many records is timed.
const timedEvery = 16

func newChain(steps []*step, req wire.OpenRequest) *chain {
	c := &chain{steps: steps, marks: newMarks(steps), poison: req.Poison, trust: req.Trust, trace: req.Trace, depth: req.Depth}
	if c.depth == 0 {
		c.depth = maxDepth
	}
	next := 0
	for i, s := range slices.Backward(steps) {
		s.chain, s.readings, s.index, s.next, s.onEmit = c, &c.readings, i, next, s.emit
		if !s.or {
			next = i
		}
	}
	for c.first = 1; c.first < len(steps) && steps[c.first].or; {
		c.first++
	}
	if p, ok := steps[0].proc.(*concurrent); ok {
		steps[0].ahead = newLookahead(steps[0], p.n, req.Timeout)
	}
	return c
}

// LabelValues implements wire.Labeller.
func (c *chain) LabelValues() (all []wire.LabelValues) {
	for i, s := range c.steps {
		for _, v := range s.labelValues {
			v.Step = i
			all = append(all, v)
		}
	}
	return all
}

// orNext reports whether another step gets what the step declines.
func (c *chain) orNext(at int) bool { return at+1 < len(c.steps) && c.steps[at+1].or }

func (c *chain) Process(ctx context.Context, in []wire.Record, space wire.Space, reply func(*wire.Reply) error) error {
	c.ctx, c.space, c.send, c.left, c.failed = ctx, space, reply, len(in), nil
	c.forget() // what a failed call has left
	c.times = 0
	c.begin()
	defer c.timer.Stop()
	if len(in) == 0 {
		return c.finish(ctx)
	}
	if ahead := c.steps[0].ahead; ahead != nil {
		ahead.begin(ctx, in, space)
		defer ahead.end()
	}
	large := false
	for i := range in {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.index = i
		if err := c.passNext(ctx, &in[i]); err != nil {
			return &wire.RecordError{Record: i, Err: err}
		}
		if c.failed == nil && c.spilled && c.bytes > 0 {
			c.failed = c.place()
		}
		if c.failed != nil {
			return c.failed
		}
		c.commit()
		c.left--
		large = large || len(in[i].Data) >= largeRecord
		if c.left > 0 && (c.rows > maxRows || c.isLong() || c.isDue()) {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	c.reply.Done = true
	err := c.flush()
	if large {
		c.release()
	}
	return err
}

// largeRecord is the size in bytes from which on a collection of garbage costs little beside a record.
const largeRecord = 16 << 20

// release returns the memory that a large record needed. The next large one would take as much in addition.
func (c *chain) release() {
	c.readings.forget()
	debug.FreeOSMemory()
}

func (c *chain) Check() { c.trust = false }

// Close closes all processors, frees memory, and returns the first error.
func (c *chain) Close() error {
	var first error
	for i, s := range c.steps {
		if proc, ok := s.proc.(io.Closer); ok {
			if c.space != nil {
				c.space.Note(wire.Spot{Record: -1, Step: i})
			}
			if err := proc.Close(); err != nil && first == nil {
				first = &wire.StepError{Step: i, Err: err}
			}
		}
	}
	for _, s := range c.steps {
		if s.ahead != nil {
			s.ahead.close()
		}
		s.scratch.close()
	}
	return first
}

// Mistake returns the first mistake of a plugin's code, even when its record was rejected for something else: a test kit fails on it.
func (c *chain) Mistake() error {
	for _, s := range c.steps {
		if s.mistake != nil {
			return s.mistake
		}
	}
	return nil
}

// pass takes an input through a step, and what the step emits through the later ones.
func (c *chain) pass(ctx context.Context, at int, in inputRecord) error {
	for c.screen(at, &in) {
		if !c.orNext(at) {
			return nil
		}
		at++
	}
	s := c.steps[at]
	v, err := c.handle(ctx, s, in)
	switch {
	case err != nil:
		return &wire.StepError{Step: at, Err: err}
	case v != nil && v.kind == wire.Declined && c.orNext(at):
		return c.pass(ctx, at+1, in)
	case v != nil:
		return nil
	}
	for i := s.before.pieces; i < len(s.pieces); i++ { // later steps do not touch them
		p := &s.pieces[i]
		switch {
		case s.next > 0:
			out := inputRecord{Record: in.Record, data: in.data, labels: p.labels, from: p.from, bytesOf: in.bytesOf}
			if p.bytes != wire.InputBytes {
				out.data, out.bytesOf = p.mem, pieceAt{step: at, piece: i, made: true}
			}
			if err := c.pass(ctx, s.next, out); err != nil {
				return err
			}
		case p.bytes == wire.InputBytes && in.bytesOf.made:
			c.leave(in.bytesOf)
		}
	}
	return nil
}

// handle calls a step, and times some of the calls.
func (c *chain) handle(ctx context.Context, s *step, in inputRecord) (*verdict, error) {
	if len(c.steps) == 1 || c.index%timedEvery > 0 {
		return s.handle(ctx, in)
	}
	began := time.Now()
	defer func() { s.spent += time.Since(began) }()
	return s.handle(ctx, in)
}

func (c *chain) piece(at pieceAt) *piece { return &c.steps[at.step].pieces[at.piece] }

// leave writes a piece, which no later step has changed, to where it leaves the chain.
func (c *chain) leave(at pieceAt) {
	p := c.piece(at)
	if p.bytes != wire.AwayBytes {
		return
	}
	var mem []byte
	p.offset, mem = c.take(len(p.mem))
	copy(mem, p.mem)
	p.bytes, p.mem = wire.NewBytes, mem
	c.leaving = append(c.leaving, at)
}

// take returns n bytes to write to: in space, or in scratch when space has no room.
func (c *chain) take(n int) (offset uint64, mem []byte) {
	if !c.spilled {
		if offset, mem = c.space.Take(n); mem == nil && c.bytes == 0 && n >= jsontext.LongPiece {
			c.failed = c.grow(n)
			offset, mem = c.space.Take(n)
		}
		if mem != nil {
			c.bytes += n
			return offset, mem
		}
		c.spill()
	}
	c.scratch = slices.Grow(c.scratch, n)[:c.bytes+n]
	offset, mem = uint64(c.bytes), c.scratch[c.bytes:c.bytes+n:c.bytes+n]
	c.bytes += n
	return offset, mem
}

// spill moves the pieces of this record that leave the chain to scratch.
func (c *chain) spill() {
	for _, at := range c.leaving {
		p := c.piece(at)
		p.offset = uint64(len(c.scratch))
		c.scratch = append(c.scratch, p.mem...)
	}
	c.space.Untake(c.bytes)
	c.spilled = true
}

// untake returns the bytes taken since the chain had an extent.
func (c *chain) untake(since extent) {
	if c.spilled {
		c.scratch = c.scratch[:since.bytes]
	} else {
		c.space.Untake(c.bytes - since.bytes)
	}
	c.leaving, c.bytes = c.leaving[:since.leaving], since.bytes
}

// grow asks for a grant. It flushes first, since the host may free space only when it has passed that on.
func (c *chain) grow(n int) error {
	if err := c.flush(); err != nil {
		return err
	}
	return c.space.Grow(c.ctx, n)
}

// place copies scratch into one grant.
func (c *chain) place() error {
	if err := c.grow(c.bytes); err != nil {
		return err
	}
	base, mem := c.space.Take(c.bytes)
	if mem == nil {
		return fmt.Errorf("want the %d bytes that were waited for, have a smaller grant", c.bytes)
	}
	copy(mem, c.scratch)
	for _, at := range c.leaving {
		c.piece(at).offset += base
	}
	return nil
}

func (c *chain) forget() {
	c.readings.end()
	for _, s := range c.touched {
		s.reset()
	}
	for _, s := range c.skips {
		s.touched, s.skipped = false, nil
	}
	c.touched, c.skips, c.declined = c.touched[:0], c.skips[:0], c.declined[:0]
	c.leaving, c.bytes, c.traced, c.spilled, c.scratch = c.leaving[:0], 0, 0, false, jsontext.Reuse(c.scratch)
}

// isLong reports whether the reply has many emitted records.
func (c *chain) isLong() bool {
	for i := range c.steps {
		if len(c.replyOf(i).Lengths) > maxNew {
			return true
		}
	}
	return false
}

// isDue reports whether replyAfter has passed. It is asked after every record, so it does not look at the clock.
func (c *chain) isDue() bool { return len(c.due) > 0 }

// begin starts a reply about the records that are left.
func (c *chain) begin() {
	c.reply, c.rows = &wire.Reply{Behind: make([]wire.Reply, len(c.steps)-1)}, 0
	if c.timer == nil {
		c.due = make(chan struct{}, 1)
		c.timer = time.AfterFunc(replyAfter, c.setDue)
		return
	}
	c.timer.Reset(replyAfter)
	select {
	case <-c.due:
	default:
	}
}

func (c *chain) setDue() {
	select {
	case c.due <- struct{}{}:
	default: // it is due already
	}
}

// flush sends the reply unless it is empty.
func (c *chain) flush() error {
	c.addDeclined()
	r := c.reply
	for i, s := range c.steps {
		p := c.replyOf(i)
		p.Counts, p.Spent = s.counts.drain(), uint64(s.spent)
		s.spent, s.emitted = 0, len(p.Lengths)
	}
	c.begin()
	if r.Empty() {
		return nil
	}
	return c.send(r)
}
