package sdk

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Concurrent returns a Processor that calls proc for up to n records at once, for a plugin whose calls wait for something
// outside, such as a service. The plugin declares that as Plugin.Concurrent. The output is as if the calls came one after the
// other: records, rows, counts, rejects and panics keep the order of the input. The context of a call ends with the run,
// and when three quarters of the step's timeout are over, so that only its record is rejected: with code "error", unless the error
// that proc returns has another. A call that goes on until the timeout is over is a crash over its record.
//
// The step is refused, as for wrong attributes, if n is below 1, if the plugin is not declared Concurrent, and if proc is a
// Finisher, Flusher or Saver, which needs an Ordered plugin.
//
// Goroutines share proc, so what it keeps needs a lock or an owner. A record belongs to one call, as always: what
// View, JSON and Reading return is valid until that call of Process returns. When a process ends in the middle, records without an
// answer are sent again, so a call may be made twice.
func Concurrent(n int, proc Processor) Processor { return &concurrent{proc, n} }

type concurrent struct {
	Processor
	n int
}

// LabelValues implements Labeller.
func (c *concurrent) LabelValues() map[string][]string {
	if l, ok := c.Processor.(Labeller); ok {
		return l.LabelValues()
	}
	return nil
}

// Close implements io.Closer.
func (c *concurrent) Close() error {
	if closer, ok := c.Processor.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// A lookahead calls a concurrent processor for the next records of a batch before their turn. When it is a record's turn, the
// step takes over what became of its call.
type lookahead struct {
	calls  []*earlyCall // record i of the batch has the one at i modulo their number
	ctx    context.Context
	cancel context.CancelFunc
	in     []wire.Record
	next   int // the first record whose call has not begun
}

func newLookahead(s *step, n int, timeout time.Duration) *lookahead {
	l := &lookahead{}
	proc := limited(s.proc, timeout/4*3)
	for range n {
		e := &earlyCall{}
		e.step = step{plugin: s.plugin, proc: proc, chain: &e.chain, readings: &e.chain.readings, next: 1}
		e.step.onEmit = e.step.emit
		e.chain.poison, e.chain.depth = s.chain.poison, s.chain.depth
		l.calls = append(l.calls, e)
	}
	return l
}

// limited ends the context of each call after a time, so that a call that takes too long costs its record and not the process.
func limited(proc Processor, limit time.Duration) Processor {
	if limit <= 0 {
		return proc
	}
	late := fmt.Errorf("want an answer within %v, of the step's timeout", limit)
	return Func(func(ctx context.Context, r *Record, emit func(*Record)) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
		defer cancel()
		return proc.Process(ctx, r, emit)
	})
}

// begin prepares for a batch.
func (l *lookahead) begin(ctx context.Context, in []wire.Record, space wire.Space) {
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.in, l.next = in, 0
	for _, e := range l.calls {
		e.chain.space = silentSpace{space.Limit()}
		e.done = nil
	}
}

// end cancels the calls under way and waits for them, since the memory of their records is reused.
func (l *lookahead) end() {
	l.cancel()
	for _, e := range l.calls {
		if e.done != nil {
			<-e.done
		}
	}
}

// close frees the memory of the calls, of which none is under way.
func (l *lookahead) close() {
	for _, e := range l.calls {
		e.step.scratch.close()
	}
}

// passNext takes the current record of the batch through the chain.
func (c *chain) passNext(ctx context.Context, in *wire.Record) error {
	if head := c.steps[0]; head.ahead != nil {
		early, err := head.ahead.await(ctx, c)
		if err != nil {
			return err
		}
		head.early = early
	}
	return c.pass(ctx, 0, inputRecord{Record: in, data: in.Data, labels: in.Labels, from: in.Origins})
}

// await begins the calls of the next records and waits for that of the chain's current one. Meanwhile it sends what is answered.
func (l *lookahead) await(ctx context.Context, c *chain) (*earlyCall, error) {
	for ; l.next < min(len(l.in), c.index+len(l.calls)); l.next++ {
		e := l.calls[l.next%len(l.calls)]
		e.done = make(chan struct{})
		go e.run(l.ctx, &l.in[l.next])
	}
	e := l.calls[c.index%len(l.calls)]
	if l.next-c.index > 1 {
		c.space.Note(wire.Spot{Record: -1}) // any of them may end the process
	}
	for {
		select {
		case <-e.done:
			return e, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.due:
			c.space.Note(wire.Spot{Record: c.index}) // the others wait for this one
			if err := c.flush(); err != nil {
				return nil, err
			}
		}
	}
}

// An earlyCall is a call of Process before the turn of its record, with a step of its own, which shares only the processor.
type earlyCall struct {
	step  step
	chain chain
	done  chan struct{} // closed when the call has returned; nil before the first of a batch

	verdict  *verdict
	err      error
	panicked any
	stack    []byte
}

func (e *earlyCall) run(ctx context.Context, in *wire.Record) {
	defer close(e.done)
	s := &e.step
	s.reset()
	s.readings.end()
	s.counts.settle(false)
	if len(s.counts.figures) > maxFigures {
		s.counts = tally{}
	}
	s.size, s.shown, s.fault = 0, nil, nil
	s.in = inputRecord{Record: in, data: in.Data, labels: in.Labels, from: in.Origins}
	e.panicked, e.stack = "the call ended its goroutine", nil
	defer func() {
		if e.panicked != nil {
			e.panicked, e.stack = cmp.Or(recover(), e.panicked), debug.Stack()
		}
	}()
	e.verdict, e.err = s.call(ctx)
	e.panicked = nil
}

// replay does for r, the record whose turn it is, what the call did: it emits, adds rows and counts, panics or returns its error.
func (e *earlyCall) replay(s *step, r *Record) error {
	if e.panicked != nil {
		os.Stderr.Write(e.stack)
		panic(e.panicked)
	}
	early := &e.step
	for i := range early.pieces {
		switch p := &early.pieces[i]; {
		case p.bytes == wire.InputBytes:
			r.labels, r.from = p.labels, p.from
			s.emit(r)
		case p.bytes == wire.AwayBytes:
			s.emit(&Record{&document{data: jsontext.View(p.mem), unchecked: p.unchecked, pos: r.pos, from: p.from, labels: p.labels, step: s}, s.turn})
		default: // it was too large to keep
			s.pieces = append(s.pieces, piece{})
		}
	}
	s.size = max(s.size, early.size)
	for _, row := range early.sides {
		row.Index = len(s.answers)
		s.sides = append(s.sides, row)
	}
	for _, c := range early.counts.pending {
		s.counts.add(early.counts.figures[c.figure].Name, c.n)
	}
	s.shown, s.fault, s.mistake = early.shown, early.fault, cmp.Or(s.mistake, early.mistake)
	switch {
	case e.err != nil:
		return e.err
	case e.verdict != nil:
		return e.verdict
	}
	return nil
}

// A silentSpace is the wire.Space of an early call, which writes to memory of its own.
type silentSpace struct{ limit int }

func (s silentSpace) Take(int) (uint64, []byte)       { return 0, nil }
func (s silentSpace) Untake(int)                      {}
func (s silentSpace) Grow(context.Context, int) error { return nil }
func (s silentSpace) Limit() int                      { return s.limit }
func (s silentSpace) Note(wire.Spot)                  {}
