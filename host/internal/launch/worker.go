package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/sdk/batch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// maxRestarts is how often the plugin of a step may crash in one run.
const maxRestarts = 100

// A Worker is one worker of a step, whatever happens to the process.
type Worker struct {
	step *Step
	n    int
}

// Stages are the step's workers.
func (s *Step) Stages() []*Worker {
	stages := make([]*Worker, s.Workers)
	for n := range stages {
		stages[n] = &Worker{step: s, n: n}
	}
	return stages
}

// Close does nothing: the fleet stops all workers.
func (w *Worker) Close() error { return nil }

// Process sends a batch through the worker. If the plugin crashes and the step says so, it is started again, and the
// record that crashes it is rejected with code "crash".
func (w *Worker) Process(ctx context.Context, in []batch.Record, emit func(batch.Answer) error) error {
	if w.step.Info.Private {
		emit = concealed(emit)
	}
	answered, err := w.try(ctx, in, 0, emit)
	crash, ok := errors.AsType[*Crash](err)
	if !ok || !w.step.Reject {
		return err
	}
	return w.isolate(ctx, in, answered, crash, func(a batch.Answer) error {
		a.Last = false // it is of a smaller batch
		return emit(a)
	})
}

// concealed keeps records of a private plugin's rejects out of the dead letter, also after a crash.
func concealed(emit func(batch.Answer) error) func(batch.Answer) error {
	return func(a batch.Answer) error {
		for i := range a.Outcomes {
			if f := a.Outcomes[i].Fault; a.Outcomes[i].Verdict == batch.Rejected && len(f.Record) == 0 {
				f.Record = []byte("null")
			}
		}
		return emit(a)
	}
}

// isolate answers the records of in from at on, after a crash somewhere among them, in smaller and smaller batches.
func (w *Worker) isolate(ctx context.Context, in []batch.Record, at int, crash *Crash, emit func(batch.Answer) error) error {
	if len(in)-at == 1 {
		return emit(batch.Answer{Outcomes: []batch.Outcome{{
			Verdict: batch.Rejected,
			Fault:   &batch.Fault{Code: "crash", Message: "the plugin ended: " + crash.How},
		}}})
	}
	middle := at + (len(in)-at+1)/2
	for _, part := range [][]batch.Record{in[:middle], in} {
		answered, err := w.try(ctx, part, at, emit)
		if again, ok := errors.AsType[*Crash](err); ok {
			err = w.isolate(ctx, part, answered, again, emit)
		}
		if err != nil {
			return err
		}
		at = len(part)
	}
	return nil
}

// try sends in[from:] through the worker, and tells how many records of in are answered.
func (w *Worker) try(ctx context.Context, in []batch.Record, from int, emit func(batch.Answer) error) (int, error) {
	if from == len(in) {
		return from, nil
	}
	answered := from
	stage, process, life, err := w.ready(ctx)
	if err != nil {
		return answered, err
	}
	clock := w.clock(process)
	defer clock.stop()
	var refused error
	if remote, ok := stage.(*wire.Worker); ok {
		remote.Waiting = clock.pause
	}
	err = stage.Process(ctx, in[from:], func(a batch.Answer) error {
		clock.pause(true)
		defer clock.pause(false)
		for i := range a.Sides {
			a.Sides[i].Index += from
		}
		if w.step.Found.BuiltIn == nil {
			if err := w.check(a); err != nil {
				return err
			}
		}
		answered += len(a.Outcomes)
		refused = emit(a)
		return refused
	})
	if err == nil || refused != nil {
		return answered, err
	}
	if _, ok := errors.AsType[*Crash](err); !ok {
		err = w.step.cause(ctx, process, err)
	}
	if _, ok := errors.AsType[*Crash](err); ok {
		w.step.lost(life)
	}
	return answered, err
}

// check looks at what a plugin that is not ours says: text that is not JSON would break an output. Of a record it is a
// reject, of a side row an error.
func (w *Worker) check(a batch.Answer) error {
	for i := range a.Outcomes {
		o := &a.Outcomes[i]
		bad := slices.IndexFunc(o.Emitted, func(r batch.Record) bool { return !isJSON(r.Data) })
		if bad < 0 {
			continue
		}
		message := fmt.Sprintf("want JSON from plugin %s, have %d bytes that are not", w.step.Plugin, len(o.Emitted[bad].Data))
		batch.ReleaseAll(o.Emitted)
		*o = batch.Outcome{Verdict: batch.Rejected, Fault: &batch.Fault{Code: "invalid_output", Message: message}}
	}
	for _, s := range a.Sides {
		if !isJSON(s.JSON) || !gjson.ParseBytes(s.JSON).IsObject() {
			return fmt.Errorf("want JSON objects for output %s, have %d bytes that are none", s.Output, len(s.JSON))
		}
	}
	for i := range a.Outcomes {
		if f := a.Outcomes[i].Fault; f != nil && len(f.Record) > 0 && !isJSON(f.Record) {
			f.Record = []byte("null")
		}
	}
	return nil
}

func isJSON(data []byte) bool { return gjson.ValidBytes(data) && utf8.Valid(data) }

// ready gives the worker's stage, starting the plugin again if it was lost.
func (w *Worker) ready(ctx context.Context) (stage, *process, int, error) {
	s := w.step
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return nil, nil, 0, errors.New("the run is over")
	}
	if s.workers != nil {
		defer s.mu.Unlock()
		return s.workers[w.n], s.process, s.life, nil
	}
	if s.life > maxRestarts {
		s.mu.Unlock()
		return nil, nil, 0, fmt.Errorf("want at most %d crashes of plugin %s in a run, have more", maxRestarts, s.Plugin)
	}
	s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return nil, nil, 0, err
	}
	return w.ready(ctx)
}

// lost says that the process of a life is gone.
func (s *Step) lost(life int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if life == s.life && s.workers != nil {
		_ = s.end()
	}
}

// A clock ends the process of a step when a batch takes too long. It stands still while the host is busy.
type clock struct {
	timer *time.Timer
	left  time.Duration
	since time.Time
}

func (w *Worker) clock(p *process) *clock {
	d := w.step.Timeout
	if d == 0 || p == nil { // in process there is nothing to end
		return &clock{}
	}
	return &clock{left: d, since: time.Now(), timer: time.AfterFunc(d, func() {
		p.killFor(fmt.Sprintf("want an answer within %v, have none", d))
	})}
}

func (c *clock) pause(waiting bool) {
	switch {
	case c.timer == nil:
	case waiting:
		c.timer.Stop()
		c.left -= time.Since(c.since)
	default:
		c.since = time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}

func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
	}
}

// lostConnection tells that a call failed because the process is gone.
func lostConnection(err error) bool {
	return errors.Is(err, io.EOF) || status.Code(err) == codes.Unavailable || status.Code(err) == codes.Canceled
}

// plainError is a plugin's own error without gRPC's words around it.
func plainError(err error) error {
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}
