package flow

import (
	"context"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A workerNode is a node that calls workers.
type workerNode interface {
	Node
	// prepare is called first. declines reports whether another member of a First takes what this node declines.
	prepare(declines bool) error
	workers() int
	rejecter() *rejecter
	call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error
}

// A slot is the place of a batch among those that a node works on.
type slot struct {
	worker int
	oldest <-chan struct{} // closed when the node has no older batch
}

// onlySlot is the slot of a node with one worker.
var onlySlot = func() slot { c := make(chan struct{}); close(c); return slot{0, c} }()

// A section is an answer about the next records of a batch.
type section struct {
	in          []wire.Record
	outcomes    []wire.Outcome
	by          []*rejecter // for each record; nil: step
	step        *rejecter   // nil: the node's
	sides       []sideRow
	comparisons []comparison
	last        bool          // no section of the same batch follows
	out         []wire.Record // what leaves the chain; nil: what outcomes say

	rest   []section // the answers of the later steps of a chain about the records that reached them
	offset int       // of a later step: its number in the tree, less the number of the node
	at     []int     // of a later member of a First: which records of the first member in holds; nil: all
}

// A job is a batch on its way through a worker. Its sections come in order.
type job struct {
	*batch
	sections chan section
	oldest   chan struct{}
}

// work wires a node with workers. They get batches in order, and their answers are collected in order.
func (e *engine) work(n workerNode, in <-chan *batch) (<-chan *batch, error) {
	if err := n.prepare(false); err != nil {
		return nil, err
	}
	e.finishers = append(e.finishers, finishersOf(n)...)
	out := make(chan *batch, queue)
	c := &collector{engine: e, by: n.rejecter(), node: e.nodes, out: out}
	if s, ok := n.(*Step); ok {
		e.nodes += s.laterNodes()
	}
	if n.workers() == 1 {
		e.workAlone(n, in, c)
	} else {
		e.workInParallel(n, in, c)
	}
	return out, nil
}

// workAlone calls the only worker of a node in the goroutine that collects its answers.
func (e *engine) workAlone(n workerNode, in <-chan *batch, c *collector) {
	e.group.Go(func() error {
		defer close(c.out)
		return forEach(e.ctx, in, func(b *batch) error {
			if len(b.records) > 0 {
				err := n.call(e.ctx, onlySlot, b.records, func(s section) error { return c.forward(b, s) })
				if err != nil {
					return err
				}
			}
			return c.finish(b)
		})
	})
}

// workInParallel calls each worker of a node in its own goroutine.
func (e *engine) workInParallel(n workerNode, in <-chan *batch, c *collector) {
	jobs, order := make(chan *job), make(chan *job, n.workers())
	e.group.Go(func() error {
		defer close(jobs)
		defer close(order)
		return forEach(e.ctx, in, func(b *batch) error {
			j := &job{batch: b, sections: make(chan section, 1), oldest: make(chan struct{})}
			if err := send(e.ctx, order, j); err != nil {
				return err
			}
			return send(e.ctx, jobs, j)
		})
	})
	for w := range n.workers() {
		e.group.Go(func() error {
			return forEach(e.ctx, jobs, func(j *job) error {
				defer close(j.sections)
				if len(j.records) == 0 {
					return nil
				}
				return n.call(e.ctx, slot{w, j.oldest}, j.records, func(s section) error { return send(e.ctx, j.sections, s) })
			})
		})
	}
	e.group.Go(func() error {
		defer close(c.out)
		return forEach(e.ctx, order, func(j *job) error {
			close(j.oldest)
			if err := forEach(e.ctx, j.sections, func(s section) error { return c.forward(j.batch, s) }); err != nil {
				return err
			}
			if e.ctx.Err() != nil {
				return context.Cause(e.ctx)
			}
			return c.finish(j.batch)
		})
	})
}

// finishersOf returns the steps of a node with Finish, in order. The candidate of a shadow is left out: there is nothing
// to compare its summary with.
func finishersOf(n Node) []*Step {
	switch n := n.(type) {
	case *Step:
		if n.Finish {
			return []*Step{n}
		}
	case *Shadow:
		return finishersOf(n.Current)
	case *First:
		var all []*Step
		for _, m := range n.Members {
			all = append(all, finishersOf(m)...)
		}
		return all
	}
	return nil
}

// finish asks the step for its summary once every record of the run has arrived: rows and counts that belong to no record.
func (s *Step) finish(ctx context.Context) error {
	return s.process(ctx, onlySlot, nil, func(_ []wire.Record, a wire.Answer) error {
		return writeSides(s.sideRows(nil, a.Sides))
	})
}
