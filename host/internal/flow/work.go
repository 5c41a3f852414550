package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A section is an answer about the next records of a flight, each with who gave it.
type section struct {
	in       []wire.Record
	outcomes []wire.Outcome
	by       []*author // nil: all by its step, or by the node
	step     *author   // of a chain; nil: the node
	sides    []sideRow
	compared []compared
	last     bool      // no section of the same flight comes after it
	behind   []section // of a chain: what each step behind says of the records that reached it
	place    int       // of a step behind: how many places in the tree it stands behind the node
	at       []int     // of a member of a first behind the first: which of what reached that in is; nil: all
	out      []wire.Record
}

// An author is who speaks in the dead letter.
type author struct {
	step, plugin string
	private      bool
}

// An asker is a node that asks workers about batches.
type asker interface {
	Node
	// prepare comes before everything else. declines tells whether another member of a first takes what this one
	// declines.
	prepare(declines bool) error
	workers() int
	author() *author
	ask(ctx context.Context, at desk, in []wire.Record, emit func(section) error) error
}

// A desk is where a batch is worked on.
type desk struct {
	worker int
	oldest <-chan struct{} // closed when no older flight is in the node
}

// always is for nodes with one worker.
var always = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// A job is one flight in the hands of a worker. Its sections come in order.
type job struct {
	*flight
	sections chan section
	oldest   chan struct{}
}

// work wires a node with workers. Flights are handed out in order, and what the workers say is collected in order.
func (e *engine) work(node asker, in <-chan *flight) <-chan *flight {
	out := make(chan *flight, queue)
	c := &collector{engine: e, by: node.author(), place: e.nodes, out: out}
	if s, ok := node.(*Step); ok {
		e.nodes += s.places()
	}
	if node.workers() == 1 { // needs no handing over from goroutine to goroutine
		e.group.Go(func() error {
			defer close(out)
			return each(e.ctx, in, func(f *flight) error {
				if len(f.records) > 0 {
					err := node.ask(e.ctx, desk{0, always}, f.records, func(s section) error { return c.pass(f, s) })
					if err != nil {
						return err
					}
				}
				return c.end(f)
			})
		})
		return out
	}
	jobs, order := make(chan *job), make(chan *job, node.workers())
	e.group.Go(func() error {
		defer close(jobs)
		defer close(order)
		return each(e.ctx, in, func(f *flight) error {
			j := &job{flight: f, sections: make(chan section, 1), oldest: make(chan struct{})}
			if err := sendTo(e.ctx, order, j); err != nil {
				return err
			}
			return sendTo(e.ctx, jobs, j)
		})
	})
	for n := range node.workers() {
		e.group.Go(func() error {
			return each(e.ctx, jobs, func(j *job) error {
				defer close(j.sections)
				if len(j.records) == 0 {
					return nil
				}
				return node.ask(e.ctx, desk{n, j.oldest}, j.records, func(s section) error { return sendTo(e.ctx, j.sections, s) })
			})
		})
	}
	e.group.Go(func() error {
		defer close(out)
		return each(e.ctx, order, func(j *job) error {
			close(j.oldest)
			if err := each(e.ctx, j.sections, func(s section) error { return c.pass(j.flight, s) }); err != nil {
				return err
			}
			if e.ctx.Err() != nil {
				return context.Cause(e.ctx)
			}
			return c.end(j.flight)
		})
	})
	return out
}

// prepare puts a clock around the stages, and what looks for the records that end the plugin.
func (s *Step) prepare(declines bool) error {
	if len(s.Stages) == 0 {
		return fmt.Errorf("step %s: want at least one worker, have none", s.Name)
	}
	s.prepareLine(declines)
	s.stages = append([]Stage(nil), s.Stages...)
	if s.Timeout > 0 {
		for i, st := range s.stages {
			s.stages[i] = &timed{st, s.Timeout}
		}
	}
	if s.Reject && !s.Ordered {
		s.search = &search{workers: len(s.stages)}
	}
	return nil
}

func (s *Step) workers() int    { return len(s.stages) }
func (s *Step) author() *author { return &s.by }

func (s *Step) ask(ctx context.Context, at desk, in []wire.Record, emit func(section) error) error {
	return s.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		return emit(s.section(in, a))
	})
}

// process sends a batch through a worker and keeps the accounts of the steps.
func (s *Step) process(ctx context.Context, at desk, in []wire.Record, emit func([]wire.Record, wire.Answer) error) error {
	v := &visit{step: s, worker: at.worker, in: in, emit: emit, telling: s.telling()}
	s.Account.enters(at.worker)
	begin := time.Now()
	answered, refused, err := consult(ctx, s.stage(at, v.telling), in, v)
	s.Account.leaves(at.worker)
	v.busy(time.Since(begin) - v.away)
	if v.telling != nil {
		v.telling.done(v, in, begin, answered, err != nil && !refused && ctx.Err() == nil)
	}
	if err == nil || refused {
		return err
	}
	return s.failure(ctx, in, answered, err)
}

func (s *Step) stage(at desk, told *telling) Stage {
	st := s.stages[at.worker]
	if told != nil {
		st = crashNoter{st, told}
	}
	if s.search == nil {
		return st
	}
	return searched{st, s.search, at.oldest}
}

// searched rejects the records that end its stage.
type searched struct {
	Stage
	search *search
	oldest <-chan struct{}
}

func (s searched) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	return s.search.process(ctx, s.Stage, s.oldest, in, out)
}

// A visit is a batch in the hands of a worker. It receives what the worker says.
type visit struct {
	step    *Step
	worker  int
	in      []wire.Record // not answered yet
	spent   []uint64      // shares of the steps of a chain
	telling *telling      // nil: nobody is told
	emit    func([]wire.Record, wire.Answer) error
	left    time.Time     // when the worker began to wait for the host
	away    time.Duration // how long it has
}

func (v *visit) Answer(a wire.Answer) error {
	v.Waiting(true)
	defer v.Waiting(false)
	answered := v.in[:len(a.Outcomes)]
	v.in = v.in[len(answered):]
	v.take(0, v.step, answered, &a)
	for i := range a.Behind {
		v.take(i+1, v.step.Behind[i], a.Behind[i].In, &a.Behind[i])
	}
	v.spend(&a)
	return v.emit(answered, a)
}

// take enters what step i of the chain says into the accounts.
func (v *visit) take(i int, s *Step, in []wire.Record, a *wire.Answer) {
	s.take(in, a)
	if v.telling != nil {
		v.telling.steps[i].add(in, *a)
	}
}

// take enters what a step says into its account.
func (s *Step) take(in []wire.Record, a *wire.Answer) {
	if s.Observe != nil {
		s.Observe(in, a)
	}
	if !s.declines {
		rejectDeclined(a.Outcomes)
	}
	s.Account.add(in, *a)
}

func (v *visit) Waiting(begins bool) {
	if begins {
		v.left = time.Now()
		v.step.Account.leaves(v.worker)
		return
	}
	v.away += time.Since(v.left)
	v.step.Account.enters(v.worker)
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
