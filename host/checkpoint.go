package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
)

// A state is what a run writes down at a checkpoint beside what its outputs hold, so that another process goes on from there.
type state struct {
	Facts   []fact // what must be the same then
	Started time.Time
	Elapsed time.Duration // of all processes of the run, while they ran
	Sources []source.Position
	Flow    *flow.State
	Resume  *receipt.Resume // for people, in the receipt package's words

	Timeline receipt.Timeline
	Period   time.Duration // of its samples
}

// A checkpointer makes the checkpoints of a run. It implements flow.Checkpointer.
type checkpointer struct {
	run    *run
	savers []*flow.StepSaver
	facts  func() ([]fact, error)

	mark  *output.Checkpoint // nil: nothing was noted
	state *state
}

// Note implements flow.Checkpointer.
func (c *checkpointer) Note(ctx context.Context, s *flow.State) (err error) {
	if c.mark, err = c.run.plan.Set.Mark(); err != nil {
		return err
	}
	for _, saver := range c.savers {
		if saver.LeftOut() {
			continue
		}
		own, err := c.save(ctx, saver)
		if err == nil {
			continue
		}
		c.mark.Drop()
		if c.mark = nil; own && saver.Candidate && ctx.Err() == nil { // which ends no run: its shadow finds out
			c.run.opts.Notice("no checkpoint was made: " + c.run.hide(err).Error())
			return nil
		}
		return err
	}
	r := c.run
	resume := &receipt.Resume{Records: s.Totals.Sums.Read, Command: r.command()}
	c.state = &state{Resume: resume, Started: r.started, Elapsed: time.Since(r.began), Sources: r.plan.Positions(), Flow: s}
	c.state.Timeline, c.state.Period = r.sampler.copy()
	return nil
}

// save writes the state of a step. own reports whether an error is the step's own, and not that of writing.
func (c *checkpointer) save(ctx context.Context, saver *flow.StepSaver) (own bool, err error) {
	attached, err := c.mark.Attach("step " + saver.Step)
	if err != nil {
		return false, err
	}
	w := &stateWriter{Writer: attached}
	err = errors.Join(saver.Save(ctx, w), attached.Close())
	return w.err == nil, err
}

// A stateWriter keeps the error of writing a state.
type stateWriter struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (w *stateWriter) Write(p []byte) (n int, err error) {
	n, err = w.Writer.Write(p)
	w.err = err
	return n, err
}

// Sync implements flow.Checkpointer.
func (c *checkpointer) Sync(context.Context) (err error) {
	if c.mark == nil {
		return nil
	}
	var text []byte
	if c.state.Facts, err = c.facts(); err == nil {
		text, err = json.Marshal(c.state)
	}
	if err != nil {
		c.mark.Drop()
		return err
	}
	if err := c.mark.Save(text); err != nil {
		return err
	}
	c.run.durable = c.state.Flow.Totals.Sums.Read
	return nil
}

// neverResumes returns why the run is of a kind that is never resumed, nil when it is not.
func (r *run) neverResumes() error {
	if r.subset != nil {
		return errors.New("a run with --limit or --sample begins anew")
	}
	if r.opts.Poison {
		return errors.New("a poisoned run begins anew")
	}
	return nil
}

// unresumable returns why the run cannot go on where it is interrupted, nil when it can. Its steps have started.
func (r *run) unresumable(p *flow.Plan) error {
	if err := r.neverResumes(); err != nil {
		return err
	}
	if err := r.plan.Unresumable(); err != nil {
		return err
	}
	_, err := p.Savers()
	return err
}

// prepareCheckpoints has the plan make checkpoints, and go on from the one that the run goes on from.
func (r *run) prepareCheckpoints(ctx context.Context, p *flow.Plan) error {
	if r.opts.Checkpoint <= 0 && r.from == nil {
		return nil
	}
	if why := r.unresumable(p); why != nil {
		if r.from != nil { // the outputs go on already
			return cannotGoOn(why)
		}
		if r.unkept = why; r.opts.Resume {
			r.opts.Notice("this run cannot go on where it is interrupted: " + why.Error())
		}
		return nil
	}
	savers, err := p.Savers()
	if err != nil {
		return err
	}
	if r.opts.Checkpoint > 0 {
		if r.from == nil {
			r.named = r.namedFiles()
		}
		p.Checkpoints = &checkpointer{run: r, savers: savers, facts: sync.OnceValues(r.facts)}
		p.Every = r.opts.Checkpoint
	}
	if r.from == nil {
		return nil
	}
	p.From = r.from.Flow
	for _, saver := range savers {
		if err := r.restore(ctx, saver); err != nil {
			return err
		}
	}
	return nil
}

// lastWait is how long a run that is to end waits for the records on their way, so that its last checkpoint has them.
const lastWait = 5 * time.Second

// untilLastCheckpoint returns the context of a flow that makes a last checkpoint when ctx ends. Without checkpoints it ends with ctx.
func (r *run) untilLastCheckpoint(ctx context.Context, p *flow.Plan) (longer context.Context, end func()) {
	if p.Checkpoints == nil {
		return ctx, func() {}
	}
	p.Until = ctx
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(lastWait):
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(nil)
	}
}

func (r *run) restore(ctx context.Context, saver *flow.StepSaver) error {
	attached, err := r.interrupted.Attached(ctx, "step "+saver.Step)
	if errors.Is(err, fs.ErrNotExist) && saver.Candidate { // it had failed
		return nil
	}
	if err != nil {
		return err
	}
	defer attached.Close()
	return saver.Restore(ctx, attached)
}

// Resumable is the error of a run that Options.Resume goes on with: what it has done is kept.
type Resumable struct {
	Err        error
	Records    int64  // read by the last checkpoint
	Committing bool   // all is done, and some outputs have not got their names yet
	Command    string // that goes on, see Options.Command
}

// Error implements error.
func (e *Resumable) Error() string { return e.Err.Error() }

// Unwrap returns the error of the run.
func (e *Resumable) Unwrap() error { return e.Err }

// A finalError is about the records of a run, so the next run has it too, and nothing is kept.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

// leave ends a run with its error, or nil, and keeps what another run can go on with.
func (r *run) leave(ctx context.Context, err error) error {
	if err == nil {
		return r.plan.Abort()
	}
	_, limited := errors.AsType[*flow.LimitError](err)
	_, final := errors.AsType[finalError](err)
	if _, lost := errors.AsType[*output.LostError](err); lost { // a run that goes on does not find it either
		final = true
	}
	commit, committing := errors.AsType[*output.CommitError](err)
	_, unfit := errors.AsType[*output.UnfitError](err)
	var resume *receipt.Resume
	switch {
	case committing && commit.Resumable:
		resume = &receipt.Resume{Records: r.plan.Totals.Snapshot().Read, Committing: true, Command: r.command()}
	case !limited && !final && !committing && !unfit && r.plan.Set.Resumable():
		resume = &receipt.Resume{Records: r.durable, Command: r.command()}
	}
	if r.flowed {
		r.tellFailure(ctx, err, resume)
	}
	if limited || final || committing {
		err = errors.Join(err, r.plan.Abort())
	} else {
		_, closing := r.plan.Suspend()
		err = errors.Join(err, closing)
	}
	if resume != nil {
		return &Resumable{Err: err, Records: resume.Records, Committing: resume.Committing, Command: resume.Command}
	}
	if r.unkept != nil && time.Since(r.began) >= r.opts.Checkpoint { // one would have been made
		r.opts.Notice("nothing of this run is kept to go on with: " + r.unkept.Error())
	}
	return err
}

// command returns Options.Command as it is written in a shell, without what must not be shown.
func (r *run) command() string {
	var words []string
	for i, word := range r.opts.Command {
		if i > 0 && r.opts.Command[i-1] == "--var" {
			word = r.shownSetting(word)
		}
		words = append(words, shellWord(r.opts.MaskName(word)))
	}
	return strings.Join(words, " ")
}

// decodeState reads the state of an interrupted run.
func decodeState(text []byte) (*state, error) {
	var s state
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	if s.Flow == nil {
		return nil, errors.New("want what the run has counted, have nothing")
	}
	return &s, nil
}
