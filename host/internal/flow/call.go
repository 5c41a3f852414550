package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// prepare prepares the steps of a chain, wraps the stages in clocks, and sets up the bisection of crashes. declines is about a chain
// of one step.
func (s *Step) prepare(declines bool) error {
	if len(s.Stages) == 0 {
		return fmt.Errorf("step %s: want at least one worker, have 0", s.Name)
	}
	chain := s.chain()
	for _, step := range chain {
		step.by = rejecter{step.Name, step.Plugin, step.Private}
		step.declines = declines || step.First != ""
	}
	shareWorkTimes(chain, len(s.Stages), s.CurrentStep)
	s.stages = s.timed(s.Stages)
	for i, plain := range s.timed(s.Plain) {
		s.stages[i] = poisonedStage{s.stages[i], plain, chain}
	}
	if s.Isolate && !s.Ordered {
		s.bisector = &bisector{restarts: s.Restarts}
	}
	return nil
}

// timed returns stages with a clock each, where the step has a limit.
func (s *Step) timed(stages []Stage) []Stage {
	stages = slices.Clone(stages)
	for i, st := range stages {
		if s.Timeout > 0 {
			stages[i] = &timedStage{st, s.Timeout}
		}
	}
	return stages
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
	if s.Ordered {
		s.calling.Lock()
		defer s.calling.Unlock()
	}
	c := &call{step: s, worker: at.worker, in: in, emit: emit, spans: s.newSpanRecorder(), tally: at.tally}
	s.Account.enter(at.worker)
	began := time.Now()
	answered, refused, err := callStage(ctx, s.stage(at, c.spans), in, c)
	c.book(nil)
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
		st = bisectedStage{st, s.bisector, at.oldest, func(step int) { at.tally.lose(s.chain()[step]) }}
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
	tally        *tally        // of the unit that the batch is of; nil: there are none
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
	c.book(sharesOf(&a))
	return c.emit(answered, a)
}

// record adds the answer of step i of the chain to the accounts.
func (c *call) record(i int, s *Step, in []wire.Record, a *wire.Answer) {
	if s.Observe != nil {
		s.Observe(in, a)
	}
	if !s.declines {
		rejectDeclined(a.Outcomes)
	}
	s.Account.add(in, *a)
	c.tally.answer(s, in, a)
	if c.spans != nil {
		c.spans.accounts[i].add(in, *a)
	}
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

// sharesOf returns the shares of the steps of a chain in the time of an answer, nil for one step.
func sharesOf(a *wire.Answer) (shares []uint64) {
	if len(a.Behind) == 0 {
		return nil
	}
	shares = append(shares, a.Spent)
	for i := range a.Behind {
		shares = append(shares, a.Behind[i].Spent)
	}
	return shares
}

// A BatchSpan is the time that one batch spent in a worker, and what became of it.
type BatchSpan struct {
	Steps        []StepSpan // of the chain, in order
	Worker       int
	Began, Ended time.Time
	Waited       time.Duration    // part of it, for the host: for later nodes, for memory, and for another process
	Records      int              // 0: the call of Finish
	First, Last  receipt.Position // of the records
	Unanswered   int              // records that were left when it failed or the run ended
	Crashes      []CrashEvent
	Failed       bool // with an error, which ends the run unless the step is the candidate of a shadow
}

// A StepSpan is what one step made of a batch.
type StepSpan struct {
	Name, Plugin string // Name is TYPE.NAME
	Figures
}

// A CrashEvent is a crash of the worker over a batch.
type CrashEvent struct {
	Time time.Time
	Step string // the step that the worker was in
	How  string // as in Crash; it may hold words of the plugin
}

// A spanRecorder collects the BatchSpan of a call.
type spanRecorder struct {
	chain    []*Step
	accounts []Account // of each step
	crashes  []CrashEvent
	report   func(BatchSpan)
}

// newSpanRecorder returns nil when spans are not observed.
func (s *Step) newSpanRecorder() *spanRecorder {
	if s.OnBatch == nil {
		return nil
	}
	chain := s.chain()
	return &spanRecorder{accounts: make([]Account, len(chain)), chain: chain, report: s.OnBatch}
}

// end reports the span of a call that has answered so many of its records.
func (r *spanRecorder) end(c *call, in []wire.Record, began time.Time, answered int, failed bool) {
	b := BatchSpan{
		Worker: c.worker, Began: began, Ended: time.Now(), Waited: c.waited, Records: len(in), Unanswered: len(in) - answered,
		Crashes: r.crashes, Failed: failed,
	}
	if len(in) > 0 {
		b.First, b.Last = positionOf(&in[0]), positionOf(&in[len(in)-1])
	}
	for i, s := range r.chain {
		b.Steps = append(b.Steps, StepSpan{s.Name, s.Plugin, r.accounts[i].Snapshot()})
	}
	r.report(b)
}

// A crashRecorder records the crashes of its stage.
type crashRecorder struct {
	Stage
	*spanRecorder
}

func (r crashRecorder) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	err := r.Stage.Process(ctx, in, out)
	if crash, ok := errors.AsType[*Crash](err); ok && ctx.Err() == nil {
		r.crashes = append(r.crashes, CrashEvent{time.Now(), r.chain[crash.Step].Name, crash.How})
	}
	return err
}
