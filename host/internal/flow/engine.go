package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/wire"
)

// queue is how many batches may wait between two nodes.
const queue = 2

// Run moves everything from the plan's sources to its sinks, and returns the first error. Whether what the sinks have
// written by then is kept is up to the caller.
func Run(ctx context.Context, p Plan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g, working := errgroup.WithContext(ctx)
	e := &engine{group: g, ctx: working, plan: p, chunks: make(chan *pendingChunk, 64)}
	e.pending = pendingRejects{freed: make(chan struct{}, 1), found: &p.Account.found}
	e.schedule.began = time.Now()
	e.schedule.after(p.Every)
	coming, leave := context.WithCancel(working)
	defer leave()
	e.coming = coming
	if p.Checkpoints != nil {
		e.stride = newStride(partsOf(&p).steps)
		if p.Until != nil {
			defer context.AfterFunc(p.Until, leave)() // a context may outlive many runs
		}
	}
	first := make(chan *batch, queue)
	rest, err := e.sequence(p.Body, first)
	if err == nil && rest != nil {
		err = errors.New("want a sink at the end, have an open end")
	}
	if err == nil && p.From != nil {
		err = e.restore(p.From)
	}
	if err != nil {
		cancel(err)
		_ = g.Wait()
		return err
	}
	if p.Begins != nil {
		p.Begins()
	}
	g.Go(func() error {
		defer close(first)
		defer close(e.chunks)
		return e.read(first)
	})
	g.Go(e.writeRejects)
	if err := g.Wait(); err != nil {
		return err
	}
	return e.checkLimits()
}

type engine struct {
	group   *errgroup.Group
	ctx     context.Context
	coming  context.Context // of what the sources have yet to return
	plan    Plan
	chunks  chan *pendingChunk // in the order in which they were read
	shadows []*Shadow
	nodes   int // wired so far; the number of a node sorts the rejects of one record
	workers int // of the node with the most

	pending  pendingRejects
	ord      uint64          // of the next record
	last     wire.Record     // that was read; of its place alone
	reading  *tally          // of the unit at hand; nil: there are none
	schedule schedule        // of checkpoints
	synced   chan struct{}   // closed when the last checkpoint is durable; nil: there was none
	stride   *stride         // of the reader; nil: there are no checkpoints
	begins   []chan<- *batch // batches that begin at each Keep

	rejected    int64  // rejects written so far
	firstReject string // position and message of the first
}

// sequence wires nodes one after the other and returns the queue after the last, nil when that ends the branch.
func (e *engine) sequence(nodes []Node, in <-chan *batch) (<-chan *batch, error) {
	for _, n := range nodes {
		if in == nil {
			return nil, fmt.Errorf("want nothing after the end of a branch, have %T", n)
		}
		e.nodes++
		if steps := stepsOf(n); len(steps) > 0 {
			queue := in
			steps[0].Account.queue.Store(&queue)
		}
		var err error
		switch n := n.(type) {
		case *Step, *First, *Shadow:
			in, err = e.work(n.(workerNode), e.cut(n, in))
		case *Route:
			in, err = e.route(n, in)
		case *Tee:
			in, err = e.tee(n, in)
		case *Keep:
			in = e.keep(in)
		case *Sink:
			e.sink(n, in)
			in = nil
		case *Survey:
			err = e.survey(n, in)
			in = nil
		default:
			err = fmt.Errorf("want a node that flow knows, have %T", n)
		}
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}

// stepsOf returns the steps of a node whose results go on; the first of them takes batches from the queue of the node. It leaves out the
// candidate of a shadow, and steps inside branches.
func stepsOf(n Node) (all []*Step) {
	switch n := n.(type) {
	case *Step:
		return []*Step{n}
	case *Shadow:
		return []*Step{n.Current}
	case *First:
		for _, m := range n.Members {
			all = append(all, stepsOf(m)...)
		}
	}
	return all
}

// shadowsOf returns the shadow that a node is, or those inside a first.
func shadowsOf(n Node) (all []*Shadow) {
	switch n := n.(type) {
	case *Shadow:
		return []*Shadow{n}
	case *First:
		for _, m := range n.Members {
			all = append(all, shadowsOf(m)...)
		}
	}
	return all
}

// read makes batches of the chunks that the sources return.
func (e *engine) read(first chan<- *batch) error {
	for i, src := range e.plan.Sources {
		defer src.Reader.Close() // nothing is read into the arena once Run has returned
		read := e.readSource
		if e.plan.Store != nil {
			read = e.unitsOf(i).read
		}
		if err := read(src, first); err != nil {
			return err
		}
	}
	if e.plan.Checkpoints != nil && e.plan.Until != nil { // the steps may be busy for a while
		if err := e.drain(); err != nil {
			return err
		}
		if e.ends() {
			return e.end()
		}
	}
	end := &pendingChunk{batches: 1, pending: &e.pending, done: make(chan struct{})}
	if err := send(e.ctx, e.chunks, end); err != nil {
		return err
	}
	return send(e.ctx, first, &batch{chunk: end, last: true, end: true, ord: e.ord})
}

// readSource makes batches of the chunks that a source returns until its end.
func (e *engine) readSource(src *Source, first chan<- *batch) error {
	for {
		if err := e.pending.wait(e.ctx); err != nil {
			return err
		}
		src.Waited.start()
		read, err := src.Reader.Next(e.coming, e.stride.records())
		src.Waited.stop()
		if err != nil && e.ends() {
			return e.end()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range read.Records { // each source counts from 0
			r := &read.Records[i]
			if r.Ord = e.ord; e.ord > 0 && r.Line == e.last.Line && r.File == e.last.File {
				r.OfLine = e.last.OfLine + 1
			}
			e.last, e.ord = *r, e.ord+1
		}
		chunk := &pendingChunk{
			batches: 1, pending: &e.pending, done: make(chan struct{}), tally: e.reading, records: len(read.Records), began: time.Now(),
		}
		b := &batch{records: read.Records, chunk: chunk, last: true}
		if read.Faults != nil {
			e.rejectUnreadable(src, b, read.Faults)
		}
		src.Read.Add(int64(len(read.Records)))
		e.count(chunk, func(t *Totals) { t.sums.Read += int64(len(read.Records)) })
		if err := send(e.ctx, e.chunks, chunk); err != nil {
			return err
		}
		if err := e.sendParts(first, e.together(src), b); err != nil {
			return err
		}
		if err := e.checkpoint(); err != nil {
			return err
		}
	}
}

// count changes the totals of the run, and of the unit that a chunk is of.
func (e *engine) count(c *pendingChunk, f func(*Totals)) {
	e.plan.Account.change(f)
	if c.tally != nil {
		c.tally.totals.change(f)
	}
}

// rejectUnreadable takes out of b what the source could not read as a record.
func (e *engine) rejectUnreadable(src *Source, b *batch, faults []*wire.Fault) {
	kept := make([]wire.Record, 0, len(b.records))
	var bad []wire.Record
	for i, r := range b.records {
		if faults[i] == nil {
			kept = append(kept, r)
			continue
		}
		b.chunk.addReject(newReject(&r, faults[i], &rejecter{step: src.Name}, 0, true))
		bad = append(bad, r)
	}
	src.Unread.Add(int64(len(bad)))
	if t := b.chunk.tally; t != nil {
		t.unread += int64(len(bad))
	}
	wire.ReleaseAll(bad)
	b.records = kept
}

// tee sends every batch on, and a copy of it down the body.
func (e *engine) tee(t *Tee, in <-chan *batch) (<-chan *batch, error) {
	out, body := make(chan *batch, queue), make(chan *batch, queue)
	switch rest, err := e.sequence(t.Body, body); {
	case err != nil:
		return nil, fmt.Errorf("tee %s: %w", t.Name, err)
	case rest != nil:
		return nil, fmt.Errorf("tee %s: want a sink at the end, have an open end", t.Name)
	}
	e.group.Go(func() error {
		defer close(out)
		defer close(body)
		return forEach(e.ctx, in, func(b *batch) error {
			wire.RetainAll(b.records)
			b.chunk.retain()
			t.Copied.Add(int64(len(b.records)))
			b.chunk.tally.tee(t, len(b.records))
			e.count(b.chunk, func(t *Totals) { t.sums.Teed += int64(len(b.records)) })
			twin := &batch{records: slices.Clone(b.records), chunk: b.chunk, last: b.last, end: b.end, ord: b.ord}
			if err := send(e.ctx, body, twin); err != nil {
				return err
			}
			return send(e.ctx, out, b)
		})
	})
	return out, nil
}

func (e *engine) sink(s *Sink, in <-chan *batch) {
	by, node, pace := &rejecter{step: s.Name}, e.nodes, newPace()
	e.group.Go(func() error {
		return forEach(e.ctx, in, func(b *batch) error {
			defer b.chunk.release()
			defer wire.ReleaseAll(b.records)
			good := rejectRefused(s.Writer, b, by, node)
			s.Refused.Add(int64(len(b.records) - len(good)))
			b.chunk.tally.refuse(s, len(b.records)-len(good))
			written := 0
			wrote := func(n int) {
				e.plan.Account.wrote(n)
				b.chunk.tally.wrote(s, good[written:written+n], true)
				written += n
			}
			if err := pace.write(s, good, wrote); err != nil {
				return fmt.Errorf("sink %s: %w", s.Name, err)
			}
			return nil
		})
	})
}

// rejectRefused rejects the records that a sink cannot write, and returns the others.
func rejectRefused(w Writer, b *batch, by *rejecter, node int) []wire.Record {
	good, whole := b.records, true
	for i := range b.records {
		r := &b.records[i]
		fault := w.Accepts(r)
		if fault != nil {
			if whole {
				good, whole = slices.Clone(b.records[:i]), false
			}
			b.chunk.addReject(newReject(r, fault, by, node, false))
		} else if !whole {
			good = append(good, *r)
		}
	}
	return good
}

// forEach calls fn with every value that arrives.
func forEach[T any](ctx context.Context, in <-chan T, fn func(T) error) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case v, ok := <-in:
			if !ok {
				return nil
			}
			if err := fn(v); err != nil {
				return err
			}
		}
	}
}

// receive waits for the next value of a channel that is not done yet.
func receive[T any](ctx context.Context, in <-chan T) (v T, err error) {
	select {
	case <-ctx.Done():
		return v, context.Cause(ctx)
	case v, ok := <-in:
		if !ok { // whoever closed it too early has failed, and ctx ends with that error
			<-ctx.Done()
			return v, context.Cause(ctx)
		}
		return v, nil
	}
}

func send[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case to <- v:
		return nil
	}
}

// waitFor waits until a channel is closed.
func waitFor(ctx context.Context, done <-chan struct{}) error {
	return forEach(ctx, done, func(struct{}) error { return nil })
}
