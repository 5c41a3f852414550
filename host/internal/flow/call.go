package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// prepare wraps the stages in clocks, and sets up the bisection of crashes.
func (s *Step) prepare(declines bool) error {
	if len(s.Stages) == 0 {
		return fmt.Errorf("step %s: want at least one worker, have none", s.Name)
	}
	s.prepareChain(declines)
	s.stages = append([]Stage(nil), s.Stages...)
	if s.Timeout > 0 {
		for i, st := range s.stages {
			s.stages[i] = &timedStage{st, s.Timeout}
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
	c := &call{step: s, worker: at.worker, in: in, emit: emit, spans: s.newSpanRecorder()}
	s.Account.enter(at.worker)
	began := time.Now()
	answered, refused, err := callStage(ctx, s.stage(at, c.spans), in, c)
	s.Account.leave(at.worker)
	c.addBusy(time.Since(began) - c.waited)
	if c.spans != nil {
		c.spans.end(c, in, began, answered, err != nil && !refused && ctx.Err() == nil)
	}
	if err == nil || refused {
		return err
	}
	return s.failure(ctx, in, answered, err)
}

func (s *Step) stage(at slot, spans *spanRecorder) Stage {
	st := s.stages[at.worker]
	if spans != nil {
		st = crashRecorder{st, spans}
	}
	if s.bisector != nil {
		st = bisectedStage{st, s.bisector, at.oldest}
	}
	return st
}

// A call is a batch in a worker. It receives the worker's answers.
type call struct {
	step         *Step
	worker       int
	in           []wire.Record // not answered yet
	emit         func([]wire.Record, wire.Answer) error
	spans        *spanRecorder // nil: no spans are recorded
	shares       []uint64      // of the steps of a chain in its time
	waitingSince time.Time     // when the worker began to wait for the host
	waited       time.Duration // for the host, in all
}

func (c *call) Answer(a wire.Answer) error {
	c.Waiting(true)
	defer c.Waiting(false)
	answered := c.in[:len(a.Outcomes)]
	c.in = c.in[len(answered):]
	c.record(0, c.step, answered, &a)
	for i := range a.Behind {
		c.record(i+1, c.step.Rest[i], a.Behind[i].In, &a.Behind[i])
	}
	c.addShares(&a)
	return c.emit(answered, a)
}

// record adds the answer of step i of the chain to the accounts.
func (c *call) record(i int, s *Step, in []wire.Record, a *wire.Answer) {
	s.record(in, a)
	if c.spans != nil {
		c.spans.accounts[i].add(in, *a)
	}
}

// record adds an answer of the step to its account.
func (s *Step) record(in []wire.Record, a *wire.Answer) {
	if s.Observe != nil {
		s.Observe(in, a)
	}
	if !s.declines {
		rejectDeclined(a.Outcomes)
	}
	s.Account.add(in, *a)
}

func (c *call) Waiting(begins bool) {
	if begins {
		c.waitingSince = time.Now()
		c.step.Account.leave(c.worker)
		return
	}
	c.waited += time.Since(c.waitingSince)
	c.step.Account.enter(c.worker)
}

// rejectDeclined makes declines into rejects: no other step is there to take the record.
func rejectDeclined(outcomes []wire.Outcome) {
	for i := range outcomes {
		if o := &outcomes[i]; o.Verdict == wire.Declined {
			o.Verdict, o.Fault = wire.Rejected, &wire.Fault{
				Code: DeclinedCode, Path: o.Fault.Path, Message: o.Fault.Message, Record: o.Fault.Record,
			}
		}
	}
}

// addShares adds up the shares of the steps in the chain's time.
func (c *call) addShares(a *wire.Answer) {
	if len(a.Behind) == 0 {
		return
	}
	if c.shares == nil {
		c.shares = make([]uint64, len(a.Behind)+1)
	}
	c.shares[0] += a.Spent
	for i := range a.Behind {
		c.shares[i+1] += a.Behind[i].Spent
	}
}

// addBusy divides the busy time of a chain among its steps.
func (c *call) addBusy(d time.Duration) {
	var all uint64
	for _, n := range c.shares {
		all += n
	}
	for i, s := range c.step.chain() {
		share := d
		if all > 0 {
			share = time.Duration(float64(d) * float64(c.shares[i]) / float64(all))
		}
		s.Account.addBusy(share)
		if c.spans != nil {
			c.spans.accounts[i].addBusy(share)
		}
		if all == 0 { // there is one step, or nothing was answered
			return
		}
	}
}
