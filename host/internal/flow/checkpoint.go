package flow

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"
)

// A Checkpointer keeps what a run needs to go on from where it is.
type Checkpointer interface {
	// Note is called while no record is on its way: sinks, side outputs and the dead letter hold exactly what became of the records
	// read so far, and nothing moves until it returns.
	Note(ctx context.Context, s *State) error
	// Sync makes durable what was noted last, while the run goes on. Note is called again only after it.
	Sync(ctx context.Context) error
}

// A checkpoint leaves the steps without work for a pause. The interval to the next is pauseShare times this pause, but at least what was
// asked for, and at most mostStretched times that.
const (
	pauseShare    = 100
	mostStretched = 1000
)

// interval returns how long to wait after a checkpoint.
func interval(every, pause time.Duration) time.Duration {
	return max(every, min(pauseShare*pause, mostStretched*every))
}

// schedule says when the next checkpoint is due.
type schedule struct {
	began time.Time
	due   atomic.Int64 // nanoseconds after began; never while one is made durable
}

func (s *schedule) after(d time.Duration) { s.due.Store(int64(time.Since(s.began) + d)) }
func (s *schedule) reached() bool         { return int64(time.Since(s.began)) >= s.due.Load() }
func (s *schedule) suspend()              { s.due.Store(math.MaxInt64) }

// checkpoint makes a checkpoint if one is due. The reader calls it between two chunks.
func (e *engine) checkpoint() error {
	if e.plan.Checkpoints == nil || !e.schedule.reached() {
		return nil
	}
	began, busy := time.Now(), e.busy()
	if err := e.note(); err != nil {
		return err
	}
	took := time.Since(began)
	pause := took - min(e.busy()-busy, took)
	e.schedule.suspend()
	synced := make(chan struct{})
	e.synced = synced
	e.group.Go(func() error {
		if err := e.sync(); err != nil {
			return err
		}
		close(synced)
		e.schedule.after(interval(e.plan.Every, pause)) // another one may begin
		return nil
	})
	return nil
}

// end makes a last checkpoint, and returns why the run ends with it. The reader calls it instead of reading on.
func (e *engine) end() error {
	if e.synced != nil {
		if err := waitFor(e.ctx, e.synced); err != nil {
			return err
		}
	}
	if err := e.note(); err != nil {
		return err
	}
	if err := e.sync(); err != nil {
		return err
	}
	return context.Cause(e.plan.Until)
}

// ends reports whether the run is to end with a last checkpoint.
func (e *engine) ends() bool {
	return e.plan.Checkpoints != nil && e.plan.Until != nil && e.plan.Until.Err() != nil
}

// sync makes durable what was noted last.
func (e *engine) sync() error {
	if err := e.plan.Checkpoints.Sync(e.ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// busy returns how long a worker has been busy so far, as an average over as many as can be busy at once.
func (e *engine) busy() (sum time.Duration) {
	for _, s := range partsOf(&e.plan).steps {
		sum += s.Account.Brief().Busy
	}
	return sum / time.Duration(max(e.workers, 1))
}

// note waits until everything that was read is done, and notes where the run is.
func (e *engine) note() error {
	if err := e.drain(); err != nil {
		return err
	}
	if err := e.plan.Checkpoints.Note(e.ctx, e.state()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// drain waits until everything that was read is done. The reader calls it between two chunks.
func (e *engine) drain() error {
	barrier := &pendingChunk{done: make(chan struct{}), reached: make(chan struct{})}
	close(barrier.done)
	if err := send(e.ctx, e.chunks, barrier); err != nil {
		return err
	}
	if err := waitFor(e.ctx, barrier.reached); err != nil {
		return err
	}
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	return nil
}

// A StepSaver saves and restores the state of an ordered step.
type StepSaver struct {
	Step      string // TYPE.NAME
	Candidate bool   // of a shadow: once it has failed it has no state

	saver Saver
	step  *Step
	found *Differences // of a candidate
}

// Savers returns what saves the states of the steps that keep some, in the order of the tree. The error names a step that cannot save
// its state.
func (p *Plan) Savers() (all []*StepSaver, err error) {
	parts := partsOf(p)
	for _, s := range parts.steps {
		if !s.Ordered || len(s.Stages) == 0 {
			continue
		}
		saver, ok := s.Stages[0].(Saver)
		if !ok || !saver.Saves() {
			return nil, fmt.Errorf("step %s keeps state from record to record, and plugin %s cannot save it", s.Name, s.Plugin)
		}
		x := &StepSaver{Step: s.Name, saver: saver, step: s}
		for _, shadow := range parts.shadows {
			if shadow.Candidate == s {
				x.Candidate, x.found = true, shadow.Differences
			}
		}
		all = append(all, x)
	}
	return all, nil
}

// LeftOut reports whether the step is a candidate that has failed.
func (s *StepSaver) LeftOut() bool { return s.Candidate && s.found.over.Load() }

// Save writes the state of the step. It waits for the end of the call that is under way: a batch is done with its last answer, a little
// before that.
func (s *StepSaver) Save(ctx context.Context, to io.Writer) error {
	s.step.calling.Lock()
	defer s.step.calling.Unlock()
	return s.saver.Save(ctx, to)
}

// Restore has the step go on from what Save wrote, before the plan runs.
func (s *StepSaver) Restore(ctx context.Context, from io.Reader) error {
	return s.saver.Restore(ctx, from)
}
