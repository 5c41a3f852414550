package flow

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/batch"
)

// queue is how many flights may wait between two nodes.
const queue = 2

// Run moves everything from the plan's sources to its sinks, and returns the first error. The sinks hold what was
// written; whether it counts is for the caller to say.
func Run(ctx context.Context, p Plan) error {
	g, ctx := errgroup.WithContext(ctx)
	e := &engine{group: g, ctx: ctx, plan: p, order: make(chan *origin, 64)}
	first := make(chan *flight, queue)
	e.sequence(p.Body, first)
	g.Go(func() error {
		defer close(first)
		defer close(e.order)
		return e.read(first)
	})
	g.Go(e.finish)
	return g.Wait()
}

type engine struct {
	group *errgroup.Group
	ctx   context.Context
	plan  Plan
	order chan *origin // as read, for finish
	nodes int          // how many have been wired; gives rejects of one record their order
}

// A flight is a batch on its way. Flights that go back to one batch share its origin.
type flight struct {
	records []batch.Record
	origin  *origin
	last    bool // no further flight comes from the one that a route split
	passed  bool // what became of it has been passed on whole
}

// sequence wires nodes one behind the other and gives the queue behind the last, nil when that is an Output.
func (e *engine) sequence(nodes []Node, in <-chan *flight) <-chan *flight {
	for _, n := range nodes {
		e.nodes++
		switch n := n.(type) {
		case *Step:
			in = e.step(n, in)
		case *First:
			in = e.first(n, in)
		case *Route:
			in = e.route(n, in)
		case *Tee:
			in = e.tee(n, in)
		case *Shadow:
			in = e.shadow(n, in)
		case *Output:
			e.output(n, in)
			return nil
		}
	}
	return in
}

// read turns chunks of the sources into flights.
func (e *engine) read(first chan<- *flight) error {
	ord := uint64(0)
	for _, src := range e.plan.Sources {
		for {
			chunk, err := src.Source.Next(e.ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for i := range chunk.Records { // sources count each for themselves
				chunk.Records[i].Ord = ord
				ord++
			}
			o := newOrigin()
			f := &flight{records: chunk.Records, origin: o, last: true}
			if chunk.Faults != nil {
				e.rejectUnread(src.Name, f, chunk.Faults)
			}
			e.plan.Account.change(func(s *Sums) { s.Read += int64(len(chunk.Records)) })
			if err := sendTo(e.ctx, e.order, o); err != nil {
				return err
			}
			if err := sendTo(e.ctx, first, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// rejectUnread takes out of f what the source could not read as a record.
func (e *engine) rejectUnread(name string, f *flight, faults []*batch.Fault) {
	kept := make([]batch.Record, 0, len(f.records))
	var gone []batch.Record
	for i, r := range f.records {
		if faults[i] == nil {
			kept = append(kept, r)
			continue
		}
		f.origin.reject(newReject(&r, faults[i], name, "", 0, showText))
		gone = append(gone, r)
	}
	batch.ReleaseAll(gone)
	f.records = kept
}

// tee sends every flight on and a copy of it down the body.
func (e *engine) tee(t *Tee, in <-chan *flight) <-chan *flight {
	out, branch := make(chan *flight, queue), make(chan *flight, queue)
	e.sequence(t.Body, branch)
	e.group.Go(func() error {
		defer close(out)
		defer close(branch)
		return each(e.ctx, in, func(f *flight) error {
			batch.RetainAll(f.records)
			f.origin.hold()
			e.plan.Account.change(func(s *Sums) { s.Teed += int64(len(f.records)) })
			twin := &flight{records: append([]batch.Record(nil), f.records...), origin: f.origin, last: f.last}
			if err := sendTo(e.ctx, branch, twin); err != nil {
				return err
			}
			return sendTo(e.ctx, out, f)
		})
	})
	return out
}

// output ends a way in a sink.
func (e *engine) output(o *Output, in <-chan *flight) {
	place := e.nodes
	e.group.Go(func() error {
		return each(e.ctx, in, func(f *flight) error {
			defer f.origin.release()
			defer batch.ReleaseAll(f.records)
			good := f.records
			for i := range f.records {
				if fault := o.Sink.Accepts(&f.records[i]); fault != nil {
					good = e.acceptable(o, f, place)
					break
				}
			}
			if len(good) == 0 {
				return nil
			}
			if err := o.Sink.Write(good); err != nil {
				return fmt.Errorf("sink %s: %w", o.Name, err)
			}
			e.plan.Account.change(func(s *Sums) { s.Written += int64(len(good)) })
			return nil
		})
	})
}

// acceptable rejects what a sink cannot write.
func (e *engine) acceptable(o *Output, f *flight, place int) []batch.Record {
	var good []batch.Record
	for i := range f.records {
		r := &f.records[i]
		if fault := o.Sink.Accepts(r); fault != nil {
			f.origin.reject(newReject(r, fault, o.Name, "", place, showJSON))
			continue
		}
		good = append(good, *r)
	}
	return good
}

// each calls fn with everything that comes.
func each[T any](ctx context.Context, in <-chan T, fn func(T) error) error {
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

func sendTo[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case to <- v:
		return nil
	}
}

// each1 calls fn with the next thing that comes.
func each1[T any](ctx context.Context, in <-chan T, fn func(T)) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case v, ok := <-in:
		if !ok {
			return errors.New("a way of a route ended before the stream")
		}
		fn(v)
		return nil
	}
}
