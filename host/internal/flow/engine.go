package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/wire"
)

// queue is how many flights may wait between two nodes.
const queue = 2

// Run moves everything from the plan's sources to its sinks, and returns the first error. The sinks hold what was
// written; whether it counts is for the caller to say.
func Run(ctx context.Context, p Plan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g, working := errgroup.WithContext(ctx)
	e := &engine{group: g, ctx: working, plan: p, chunks: make(chan *pendingChunk, 64)}
	first := make(chan *batch, queue)
	behind, err := e.sequence(p.Body, first)
	if err == nil && behind != nil {
		err = errors.New("want a sink at the end, have none")
	}
	if err != nil {
		cancel(err)
		_ = g.Wait()
		return err
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
	for _, s := range e.finishers {
		if err := s.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

type engine struct {
	group     *errgroup.Group
	ctx       context.Context
	plan      Plan
	chunks    chan *pendingChunk // as read, for finish
	finishers []*Step            // for a last word
	nodes     int                // how many have been wired; gives rejects of one record their order
}

// A flight is a batch on its way. Flights that come from one chunk share its lot.
type batch struct {
	records   []wire.Record
	chunk     *pendingChunk
	last      bool // no further flight comes from the one that a route split
	forwarded bool // what became of it has been passed on whole
}

// sequence wires nodes one behind the other and gives the queue behind the last, nil when that ends the way.
func (e *engine) sequence(nodes []Node, in <-chan *batch) (<-chan *batch, error) {
	for _, n := range nodes {
		if in == nil {
			return nil, fmt.Errorf("want nothing behind the end of a way, have %T", n)
		}
		e.nodes++
		if head := firstStep(n); head != nil {
			queue := in
			head.Account.queue.Store(&queue)
		}
		var err error
		switch n := n.(type) {
		case *Step:
			in, err = e.asks(n, in)
		case *First:
			in, err = e.asks(n, in)
		case *Shadow:
			in, err = e.asks(n, in)
		case *Route:
			in, err = e.route(n, in)
		case *Tee:
			in, err = e.tee(n, in)
		case *Sink:
			e.output(n, in)
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

// foremost is the step before which the batches of a node wait, nil when it has no steps of its own.
func firstStep(n Node) *Step {
	switch n := n.(type) {
	case *Step:
		return n
	case *First:
		if len(n.Members) > 0 {
			return firstStep(n.Members[0])
		}
	case *Shadow:
		return n.Current
	}
	return nil
}

func (e *engine) asks(n workerNode, in <-chan *batch) (<-chan *batch, error) {
	if err := n.prepare(false); err != nil {
		return nil, err
	}
	e.finishers = append(e.finishers, finishersOf(n)...)
	return e.work(n, in), nil
}

// read turns chunks of the sources into flights.
func (e *engine) read(first chan<- *batch) error {
	ord, last := uint64(0), wire.Record{}
	for _, src := range e.plan.Sources {
		defer src.Reader.Close() // nothing is read into the arena once Run has returned
		for {
			chunk, err := src.Reader.Next(e.ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for i := range chunk.Records { // sources count each for themselves
				r := &chunk.Records[i]
				if r.Ord = ord; ord > 0 && r.Line == last.Line && r.File == last.File {
					r.OfLine = last.OfLine + 1
				}
				last, ord = *r, ord+1
			}
			l := newPendingChunk()
			f := &batch{records: chunk.Records, chunk: l, last: true}
			if chunk.Faults != nil {
				e.rejectUnreadable(src, f, chunk.Faults)
			}
			src.read.Add(int64(len(chunk.Records)))
			e.plan.Account.change(func(t *Totals) { t.sums.Read += int64(len(chunk.Records)) })
			if err := send(e.ctx, e.chunks, l); err != nil {
				return err
			}
			if err := send(e.ctx, first, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// rejectUnread takes out of f what the source could not read as a record.
func (e *engine) rejectUnreadable(src *Source, f *batch, faults []*wire.Fault) {
	kept := make([]wire.Record, 0, len(f.records))
	var gone []wire.Record
	for i, r := range f.records {
		if faults[i] == nil {
			kept = append(kept, r)
			continue
		}
		f.chunk.addReject(newReject(&r, faults[i], &rejecter{step: src.Name}, 0, appendRecordText))
		gone = append(gone, r)
	}
	src.unread.Add(int64(len(gone)))
	wire.ReleaseAll(gone)
	f.records = kept
}

// tee sends every flight on and a copy of it down the body.
func (e *engine) tee(t *Tee, in <-chan *batch) (<-chan *batch, error) {
	out, branch := make(chan *batch, queue), make(chan *batch, queue)
	switch behind, err := e.sequence(t.Body, branch); {
	case err != nil:
		return nil, fmt.Errorf("tee %s: %w", t.Name, err)
	case behind != nil:
		return nil, fmt.Errorf("tee %s: want a sink at the end, have none", t.Name)
	}
	e.group.Go(func() error {
		defer close(out)
		defer close(branch)
		return forEach(e.ctx, in, func(f *batch) error {
			wire.RetainAll(f.records)
			f.chunk.retain()
			t.copied.Add(int64(len(f.records)))
			e.plan.Account.change(func(t *Totals) { t.sums.Teed += int64(len(f.records)) })
			twin := &batch{records: slices.Clone(f.records), chunk: f.chunk, last: f.last}
			if err := send(e.ctx, branch, twin); err != nil {
				return err
			}
			return send(e.ctx, out, f)
		})
	})
	return out, nil
}

// output ends a way in a sink.
func (e *engine) output(o *Sink, in <-chan *batch) {
	by, place := &rejecter{step: o.Name}, e.nodes
	e.group.Go(func() error {
		return forEach(e.ctx, in, func(f *batch) error {
			defer f.chunk.release()
			defer wire.ReleaseAll(f.records)
			good := acceptable(o.Writer, f, by, place)
			o.refused.Add(int64(len(f.records) - len(good)))
			if len(good) == 0 {
				return nil
			}
			if err := o.write(good); err != nil {
				return fmt.Errorf("sink %s: %w", o.Name, err)
			}
			e.plan.Account.wrote(len(good))
			return nil
		})
	})
}

// acceptable rejects what a sink cannot write, and gives the rest.
func acceptable(sink Writer, f *batch, by *rejecter, place int) []wire.Record {
	good, whole := f.records, true
	for i := range f.records {
		r := &f.records[i]
		fault := sink.Accepts(r)
		if fault != nil {
			if whole {
				good, whole = slices.Clone(f.records[:i]), false
			}
			f.chunk.addReject(newReject(r, fault, by, place, appendRecordJSON))
		} else if !whole {
			good = append(good, *r)
		}
	}
	return good
}

// each calls fn with everything that comes.
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

func send[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case to <- v:
		return nil
	}
}

// each1 calls fn with the next thing that comes.
func receiveOne[T any](ctx context.Context, in <-chan T, fn func(T)) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case v, ok := <-in:
		if !ok { // whoever closed it too early has failed, and ctx ends with that error
			<-ctx.Done()
			return context.Cause(ctx)
		}
		fn(v)
		return nil
	}
}
