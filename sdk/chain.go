package sdk

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A chain is a worker of one or more steps. Each record of a batch goes through them by itself, and what a step emits goes
// through the steps behind it piece by piece. Only what leaves the chain is written to the host's memory.
type chain struct {
	steps    []*worker
	readings readings // of the record at hand
	poison   bool
	trust    bool // the door checks what leaves the chain, and the rows
	trace    bool // the host is told the bytes of what stays inside
	depth    int  // deepest nesting of what is new

	// What is decided about the batch and not sent yet.
	space wire.Space
	send  func(*wire.Reply) error
	reply *wire.Reply
	rows  int       // bytes of side rows and of rejected records in reply
	late  *lateness // since the last reply, or the begin of the batch
	index int       // of the record at hand
	left  int       // records of the batch that have no verdict yet

	// What leaves the chain of the record at hand.
	leaving []home
	bytes   int    // of them, which lie in space
	told    int    // bytes of what stays inside that the host is told
	spilled bool   // they lie in scratch instead, since space does not hold them
	scratch []byte // kept from record to record
}

var _ wire.Worker = (*chain)(nil)

// After replyAfter, or with maxRows bytes of side rows and rejects, a worker says what it has: the host's time limit is
// then about one record and its memory about a few, not about a batch.
const (
	replyAfter = time.Second
	maxRows    = 4 << 20
)

// A lateness tells when replyAfter has gone by, without a look at the clock for each record.
type lateness struct {
	timer *time.Timer
	yet   atomic.Bool
}

// next begins anew, for the next reply.
func (l *lateness) next() *lateness {
	if l != nil {
		l.timer.Stop()
	}
	l = &lateness{}
	l.timer = time.AfterFunc(replyAfter, func() { l.yet.Store(true) })
	return l
}

// timedEvery is of how many records one is timed.
const timedEvery = 16

// newChain makes workers into a chain.
func newChain(steps []*worker, req wire.OpenRequest) *chain {
	c := &chain{steps: steps, poison: req.Poison, trust: req.Trust, trace: req.Trace, depth: req.Depth}
	if c.depth == 0 {
		c.depth = maxDepth
	}
	next := 0
	for i, w := range slices.Backward(steps) {
		w.chain, w.readings, w.step, w.next, w.onEmit = c, &c.readings, i, next, w.emit
		if !w.or {
			next = i
		}
	}
	return c
}

// orNext tells whether another step gets what the step declines.
func (c *chain) orNext(step int) bool { return step+1 < len(c.steps) && c.steps[step+1].or }

// Process implements wire.Worker.
func (c *chain) Process(ctx context.Context, in []wire.Record, space wire.Space, reply func(*wire.Reply) error) error {
	c.space, c.send, c.left = space, reply, len(in)
	c.forget() // what a call before left when it failed
	c.begin()
	defer func() { c.late.timer.Stop() }()
	if len(in) == 0 {
		return c.finish()
	}
	for i := range in {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.index = i
		if err := c.pass(ctx, 0, arrival{Record: &in[i], data: in[i].Data, labels: in[i].Labels}); err != nil {
			return err
		}
		if c.spilled && c.bytes > 0 {
			if err := c.place(ctx); err != nil {
				return err
			}
		}
		c.commit()
		c.left--
		if c.left > 0 && (c.rows > maxRows || c.late.yet.Load()) {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	c.reply.Done = true
	return c.flush()
}

// Check implements wire.Worker.
func (c *chain) Check() { c.trust = false }

// Close implements wire.Worker. It closes all processors and gives the first error.
func (c *chain) Close() error {
	var first error
	for i, w := range c.steps {
		if proc, ok := w.proc.(io.Closer); ok {
			if c.space != nil {
				c.space.Note(wire.Spot{Record: -1, Step: i})
			}
			if err := proc.Close(); err != nil && first == nil {
				first = &wire.StepError{Step: i, Err: err}
			}
		}
	}
	return first
}

// Mistake is the first thing that a plugin's code did wrong, whatever became of the record: a test kit fails on it.
func (c *chain) Mistake() error {
	for _, w := range c.steps {
		if w.mistake != nil {
			return w.mistake
		}
	}
	return nil
}

// pass takes an input through a step, and what comes of it through those behind.
func (c *chain) pass(ctx context.Context, step int, in arrival) error {
	w := c.steps[step]
	v, err := c.handle(ctx, w, in)
	switch {
	case err != nil:
		return &wire.StepError{Step: step, Err: err}
	case v != nil && v.kind == wire.Declined && c.orNext(step):
		return c.pass(ctx, step+1, in)
	case v != nil:
		return nil
	}
	for i := w.begin.pieces; i < len(w.pieces); i++ { // a step behind does not touch them
		p := &w.pieces[i]
		switch {
		case w.next > 0:
			out := arrival{Record: in.Record, data: in.data, labels: p.labels, home: in.home}
			if p.bytes != wire.InputBytes {
				out.data, out.home = p.mem, home{step: step, piece: i, made: true}
			}
			if err := c.pass(ctx, w.next, out); err != nil {
				return err
			}
		case p.bytes == wire.InputBytes && in.home.made:
			c.leave(in.home)
		}
	}
	return nil
}

// handle times a call of a step now and then.
func (c *chain) handle(ctx context.Context, w *worker, in arrival) (*verdict, error) {
	if len(c.steps) == 1 || c.index%timedEvery > 0 {
		return w.handle(ctx, in)
	}
	began := time.Now()
	defer func() { w.spent += time.Since(began) }()
	return w.handle(ctx, in)
}

// reuse gives memory that may be written again, unless it is too much to keep.
func reuse(mem []byte) []byte {
	if cap(mem) > maxScratch {
		return nil
	}
	return mem[:0]
}

func (c *chain) piece(h home) *piece { return &c.steps[h.step].pieces[h.piece] }

// away tells whether a piece has not left the chain.
func (c *chain) away(h home) bool { return c.piece(h).bytes == wire.AwayBytes }

// leave has a piece leave the chain that no step behind has changed.
func (c *chain) leave(h home) {
	p := c.piece(h)
	if p.bytes != wire.AwayBytes {
		return
	}
	var mem []byte
	p.offset, mem = c.take(len(p.mem))
	copy(mem, p.mem)
	p.bytes, p.mem = wire.NewBytes, mem
	c.leaving = append(c.leaving, h)
}

// take gives n bytes to write to, where space has room or behind what else this record gave in scratch.
func (c *chain) take(n int) (offset uint64, mem []byte) {
	if !c.spilled {
		if offset, mem = c.space.Take(n); mem != nil {
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

// spill moves what leaves of this record to scratch.
func (c *chain) spill() {
	for _, h := range c.leaving {
		p := c.piece(h)
		p.offset = uint64(len(c.scratch))
		c.scratch = append(c.scratch, p.mem...)
	}
	c.space.Untake(c.bytes)
	c.spilled = true
}

// untake gives back what has been taken since.
func (c *chain) untake(since mark) {
	if c.spilled {
		c.scratch = c.scratch[:since.bytes]
	} else {
		c.space.Untake(c.bytes - since.bytes)
	}
	c.leaving, c.bytes = c.leaving[:since.leaving], since.bytes
}

// place brings what lies in scratch into one grant. What was decided before is sent first, since more space may only
// come once that has moved on.
func (c *chain) place(ctx context.Context) error {
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.space.Grow(ctx, c.bytes); err != nil {
		return err
	}
	base, mem := c.space.Take(c.bytes)
	if mem == nil {
		return fmt.Errorf("want %d bytes after waiting for them, have fewer", c.bytes)
	}
	copy(mem, c.scratch)
	for _, h := range c.leaving {
		c.piece(h).offset += base
	}
	return nil
}

// commit puts what became of the record at hand into the reply.
func (c *chain) commit() {
	for i, w := range c.steps {
		r := c.part(i)
		from := c.index
		if i > 0 {
			from = len(r.Verdicts)
		}
		w.commit(r)
		for _, s := range w.sides {
			s.Index += from
			r.Sides = append(r.Sides, s)
			c.rows += len(s.JSON)
		}
		for k := range w.answers {
			c.rows += len(w.answers[k].record)
		}
		w.counts.keep()
	}
	c.forget()
}

// forget lets go of the record at hand.
func (c *chain) forget() {
	c.readings.end()
	for _, w := range c.steps {
		w.reset()
	}
	c.leaving, c.bytes, c.told, c.spilled, c.scratch = c.leaving[:0], 0, 0, false, reuse(c.scratch)
}

// part is where a step's answers go.
func (c *chain) part(step int) *wire.Reply {
	if step == 0 {
		return c.reply
	}
	return &c.reply.Behind[step-1]
}

// begin makes room for what is said about the records that are left.
func (c *chain) begin() {
	c.reply, c.rows, c.late = &wire.Reply{Behind: make([]wire.Reply, len(c.steps)-1)}, 0, c.late.next()
	for i := range c.steps {
		c.part(i).Verdicts = make([]byte, 0, c.left)
	}
}

// flush sends what is decided, if anything is.
func (c *chain) flush() error {
	r := c.reply
	for i, w := range c.steps {
		p := c.part(i)
		p.Counts, p.Spent = w.counts.take(), uint64(w.spent)
		w.spent = 0
	}
	c.begin()
	if r.Empty() {
		return nil
	}
	return c.send(r)
}

// commit puts the step's answers into its part of a reply.
func (w *worker) commit(r *wire.Reply) {
	pieces := w.pieces
	for i := range w.answers {
		a := &w.answers[i]
		if v := a.refused; v != nil {
			r.Verdicts = append(r.Verdicts, byte(v.kind))
			r.Faults = append(r.Faults, wire.Fault{Code: v.code, Path: v.path, Message: v.message, Record: a.record})
			continue
		}
		a.accept(r, pieces[:a.pieces], w.chain.trace)
		pieces = pieces[a.pieces:]
	}
}

// accept says what goes on in place of the record. Of a traced chain it tells the bytes that stay inside.
func (a *decision) accept(r *wire.Reply, pieces []piece, trace bool) {
	if len(pieces) == 1 && pieces[0].bytes == wire.InputBytes && slices.Equal(pieces[0].labels, a.labels) {
		r.Verdicts = append(r.Verdicts, byte(wire.Unchanged))
		return
	}
	r.Verdicts, r.Emitted = append(r.Verdicts, byte(wire.Emitted)), append(r.Emitted, uint32(len(pieces)))
	for i := range pieces {
		p := &pieces[i]
		if !slices.Equal(p.labels, a.labels) {
			r.Labels = append(r.Labels, wire.Labels{Index: uint32(len(r.Lengths)), Labels: p.labels})
		}
		r.Same, r.Offsets, r.Lengths = append(r.Same, p.bytes), append(r.Offsets, p.offset), append(r.Lengths, uint64(len(p.mem)))
		if trace && p.bytes == wire.AwayBytes {
			r.Away = append(r.Away, p.told)
		}
	}
}
