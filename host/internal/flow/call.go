package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A section is an answer about the next records of a flight, each with who gave it.
type section struct {
	in          []wire.Record
	outcomes    []wire.Outcome
	by          []*rejecter // nil: all by its step, or by the node
	step        *rejecter   // of a chain; nil: the node
	sides       []sideRow
	comparisons []comparison
	last        bool      // no section of the same flight comes after it
	behind      []section // of a chain: what each step behind says of the records that reached it
	place       int       // of a step behind: how many places in the tree it stands behind the node
	at          []int     // of a member of a first behind the first: which of what reached that in is; nil: all
	out         []wire.Record
}

// An author is who speaks in the dead letter.
type rejecter struct {
	step, plugin string
	private      bool
}

// An asker is a node that asks workers about batches.
type workerNode interface {
	Node
	// prepare comes before everything else. declines tells whether another member of a first takes what this one
	// declines.
	prepare(declines bool) error
	workers() int
	rejecter() *rejecter
	call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error
}

// A desk is where a batch is worked on.
type slot struct {
	worker int
	oldest <-chan struct{} // closed when no older flight is in the node
}

// always is for nodes with one worker.
var alreadyOldest = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// A job is one flight in the hands of a worker. Its sections come in order.
type job struct {
	*batch
	sections chan section
	oldest   chan struct{}
}

// work wires a node with workers. Flights are handed out in order, and what the workers say is collected in order.
func (e *engine) work(node workerNode, in <-chan *batch) <-chan *batch {
	out := make(chan *batch, queue)
	c := &collector{engine: e, by: node.rejecter(), place: e.nodes, out: out}
	if s, ok := node.(*Step); ok {
		e.nodes += s.places()
	}
	if node.workers() == 1 { // needs no handing over from goroutine to goroutine
		e.group.Go(func() error {
			defer close(out)
			return forEach(e.ctx, in, func(f *batch) error {
				if len(f.records) > 0 {
					err := node.call(e.ctx, slot{0, alreadyOldest}, f.records, func(s section) error { return c.forward(f, s) })
					if err != nil {
						return err
					}
				}
				return c.finish(f)
			})
		})
		return out
	}
	jobs, order := make(chan *job), make(chan *job, node.workers())
	e.group.Go(func() error {
		defer close(jobs)
		defer close(order)
		return forEach(e.ctx, in, func(f *batch) error {
			j := &job{batch: f, sections: make(chan section, 1), oldest: make(chan struct{})}
			if err := send(e.ctx, order, j); err != nil {
				return err
			}
			return send(e.ctx, jobs, j)
		})
	})
	for n := range node.workers() {
		e.group.Go(func() error {
			return forEach(e.ctx, jobs, func(j *job) error {
				defer close(j.sections)
				if len(j.records) == 0 {
					return nil
				}
				return node.call(e.ctx, slot{n, j.oldest}, j.records, func(s section) error { return send(e.ctx, j.sections, s) })
			})
		})
	}
	e.group.Go(func() error {
		defer close(out)
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
	return out
}

// prepare puts a clock around the stages, and what looks for the records that end the plugin.
func (s *Step) prepare(declines bool) error {
	if len(s.Stages) == 0 {
		return fmt.Errorf("step %s: want at least one worker, have none", s.Name)
	}
	s.prepareChain(declines)
	s.stages = append([]Stage(nil), s.Stages...)
	if s.Timeout > 0 {
		for i, st := range s.stages {
			s.stages[i] = &timed{st, s.Timeout}
		}
	}
	if s.Reject && !s.Ordered {
		s.bisector = &bisector{workers: len(s.stages)}
	}
	return nil
}

func (s *Step) workers() int        { return len(s.stages) }
func (s *Step) rejecter() *rejecter { return &s.by }

func (s *Step) call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error {
	return s.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		return emit(s.section(in, a))
	})
}

// process sends a batch through a worker and keeps the accounts of the steps.
func (s *Step) process(ctx context.Context, at slot, in []wire.Record, emit func([]wire.Record, wire.Answer) error) error {
	v := &call{step: s, worker: at.worker, in: in, emit: emit, spans: s.newSpanRecorder()}
	s.Account.enter(at.worker)
	begin := time.Now()
	answered, refused, err := callStage(ctx, s.stage(at, v.spans), in, v)
	s.Account.leave(at.worker)
	v.addBusy(time.Since(begin) - v.waited)
	if v.spans != nil {
		v.spans.end(v, in, begin, answered, err != nil && !refused && ctx.Err() == nil)
	}
	if err == nil || refused {
		return err
	}
	return s.failure(ctx, in, answered, err)
}

func (s *Step) stage(at slot, told *spanRecorder) Stage {
	st := s.stages[at.worker]
	if told != nil {
		st = crashRecorder{st, told}
	}
	if s.bisector == nil {
		return st
	}
	return bisectedStage{st, s.bisector, at.oldest}
}

// searched rejects the records that end its stage.
type bisectedStage struct {
	Stage
	bisector *bisector
	oldest   <-chan struct{}
}

func (s bisectedStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	return s.bisector.process(ctx, s.Stage, s.oldest, in, out)
}

// A visit is a batch in the hands of a worker. It receives what the worker says.
type call struct {
	step         *Step
	worker       int
	in           []wire.Record // not answered yet
	shares       []uint64      // shares of the steps of a chain
	spans        *spanRecorder // nil: nobody is told
	emit         func([]wire.Record, wire.Answer) error
	waitingSince time.Time     // when the worker began to wait for the host
	waited       time.Duration // how long it has
}

func (v *call) Answer(a wire.Answer) error {
	v.Waiting(true)
	defer v.Waiting(false)
	answered := v.in[:len(a.Outcomes)]
	v.in = v.in[len(answered):]
	v.record(0, v.step, answered, &a)
	for i := range a.Behind {
		v.record(i+1, v.step.Behind[i], a.Behind[i].In, &a.Behind[i])
	}
	v.addShares(&a)
	return v.emit(answered, a)
}

// take enters what step i of the chain says into the accounts.
func (v *call) record(i int, s *Step, in []wire.Record, a *wire.Answer) {
	s.record(in, a)
	if v.spans != nil {
		v.spans.steps[i].add(in, *a)
	}
}

// take enters what a step says into its account.
func (s *Step) record(in []wire.Record, a *wire.Answer) {
	if s.Observe != nil {
		s.Observe(in, a)
	}
	if !s.declines {
		rejectDeclined(a.Outcomes)
	}
	s.Account.add(in, *a)
}

func (v *call) Waiting(begins bool) {
	if begins {
		v.waitingSince = time.Now()
		v.step.Account.leave(v.worker)
		return
	}
	v.waited += time.Since(v.waitingSince)
	v.step.Account.enter(v.worker)
}

// rejectDeclined makes declines into rejects: nothing comes after to take the record.
func rejectDeclined(outcomes []wire.Outcome) {
	for i := range outcomes {
		if o := &outcomes[i]; o.Verdict == wire.Declined {
			o.Verdict, o.Fault = wire.Rejected, &wire.Fault{
				Code: DeclinedCode, Path: o.Fault.Path, Message: o.Fault.Message, Record: o.Fault.Record,
			}
		}
	}
}
