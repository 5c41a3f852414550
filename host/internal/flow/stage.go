package flow

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Stage is one worker of a step, or of a chain. One goroutine at a time calls it.
type Stage interface {
	// Process answers every record of in, in order, through calls of out.Answer. Emitted records hold a reference on
	// their memory. With no records it answers what the step emits and has to say after the last one.
	//
	// An error of a later step of the chain is a *wire.StepError, in a *RecordError when its record is known. A *Crash means that the
	// worker is gone; the next call of Process starts another, or fails when it cannot. When ctx ends the worker is gone too, and the
	// error is the context's cause.
	Process(ctx context.Context, in []wire.Record, out Receiver) error
}

// A Receiver takes the answers of a stage during one call of Process.
type Receiver interface {
	Answer(wire.Answer) error // Process returns its error as it is
	Waiting(bool)             // the stage begins (true) or ends to wait for the host
}

// A Crash is the end of a worker in the middle of its work.
type Crash struct {
	How       string // "exit status 2", "signal: killed", "panic: index out of range [3] with length 2", or the limit that was exceeded
	Peak      int64  // the most memory that its process had, in bytes; 0: not known
	At        int    // the record of the call's batch that the worker was at, -1 when not known
	Others    []int  // steps that other workers of the same process were in
	Step, Nth int    // the step of the chain that the worker was in, and at which of the records made of record At
	Breach    bool   // How says how the plugin broke the protocol, for which it was ended
	Doubtful  bool   // an earlier batch of the process may have caused it
}

// Error implements error.
func (c *Crash) Error() string {
	text := c.How
	if !c.Breach {
		text = "the plugin ended: " + text
	}
	if c.Peak > 0 {
		text += fmt.Sprintf("; peak memory below %dMiB", roundPeak(c.Peak)>>20)
	}
	return text
}

// roundPeak returns the least power of two above a peak, and not less than 256 MiB: the message stands in the dead letter, and a run of the
// same records should write the same bytes.
func roundPeak(peak int64) int64 {
	return max(256<<20, int64(1)<<bits.Len64(uint64(peak)))
}

// callStage sends a batch through a stage. It returns how many records were answered, and whether the error is the
// receiver's and not the stage's own.
func callStage(ctx context.Context, st Stage, in []wire.Record, out Receiver) (answered int, refused bool, err error) {
	r := &checkedReceiver{Receiver: out, want: len(in)}
	err = st.Process(ctx, in, r)
	switch {
	case r.refused != nil:
		return r.have, true, r.refused
	case err == nil && r.have < r.want:
		err = fmt.Errorf("want %s answered, have %d", plural.Of(r.want, "record"), r.have)
	}
	return r.have, false, err
}

// A RecordError is an error that ends the run at one record. It may end calls with other batches too.
type RecordError struct {
	At  receipt.Position
	Err error
}

// Error implements error. It does not name the record.
func (e *RecordError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the record.
func (e *RecordError) Unwrap() error { return e.Err }

// OfRecord returns a *wire.RecordError of a call with in as an error of its record, and any other as it is.
func OfRecord(err error, in []wire.Record) error {
	if bad, ok := errors.AsType[*wire.RecordError](err); ok && bad.Record < len(in) {
		return &RecordError{At: positionOf(&in[bad.Record]), Err: bad.Err}
	}
	return err
}

// A checkedReceiver counts answers, and refuses those beyond the batch.
type checkedReceiver struct {
	Receiver
	want, have int
	refused    error // of the receiver
}

func (r *checkedReceiver) Answer(a wire.Answer) error {
	if r.refused != nil {
		return r.refused
	}
	if have := r.have + len(a.Outcomes); have > r.want {
		for i := range a.Outcomes {
			wire.ReleaseAll(a.Outcomes[i].Emitted)
		}
		wire.ReleaseAll(a.Made)
		return fmt.Errorf("want %s answered, have %d", plural.Of(r.want, "record"), have)
	}
	for i := range a.Sides {
		if n := a.Sides[i].Index; n < 0 || n >= len(a.Outcomes) && r.want > 0 {
			return fmt.Errorf("want side rows with the answer to their record, have one of record %d", r.have+n)
		}
	}
	r.have += len(a.Outcomes)
	r.refused = r.Receiver.Answer(a)
	return r.refused
}

// A timedStage cancels a call that goes without an answer for too long.
type timedStage struct {
	Stage
	limit time.Duration
}

func (t *timedStage) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := &Crash{How: fmt.Sprintf("want an answer within %v, have silence", t.limit), At: -1}
	c := &clock{Receiver: out, limit: t.limit, left: t.limit, since: time.Now()}
	c.timer = time.AfterFunc(t.limit, func() { cancel(late) })
	defer c.timer.Stop()
	err := t.Stage.Process(ctx, in, c)
	if err == nil || context.Cause(ctx) != error(late) {
		return err
	}
	if crash, ok := errors.AsType[*Crash](err); ok { // the stage may know the record
		return crash
	}
	return late
}

// A clock stops while the worker waits for the host, and is reset by each answer.
type clock struct {
	Receiver
	timer *time.Timer
	limit time.Duration
	left  time.Duration
	since time.Time
}

func (c *clock) Answer(a wire.Answer) error {
	c.pause()
	if len(a.Outcomes)+len(a.Made) > 0 {
		c.left = c.limit
	}
	err := c.Receiver.Answer(a)
	c.resume()
	return err
}

func (c *clock) Waiting(begins bool) {
	if begins {
		c.pause()
	}
	c.Receiver.Waiting(begins)
	if !begins {
		c.resume()
	}
}

func (c *clock) pause() {
	c.timer.Stop()
	c.left -= time.Since(c.since)
}

func (c *clock) resume() {
	c.since = time.Now()
	c.timer.Reset(max(c.left, 0))
}

// A StepFailure is an error of a step that ends the run.
type StepFailure struct {
	Step string           // TYPE.NAME
	At   receipt.Position // of the record that has caused it, or the first that may have; without a file when no record has
	err  error
}

// Error implements error. The text names step and records.
func (f *StepFailure) Error() string { return f.err.Error() }

// Unwrap returns the error without step and records.
func (f *StepFailure) Unwrap() error { return f.err }

// failure returns the error of a batch of which so many records were answered. It names the record that the error is about or that the
// worker was at, or else those that are left.
func (s *Step) failure(ctx context.Context, in []wire.Record, answered int, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(in) == 0 {
		return &StepFailure{Step: s.Name, err: fmt.Errorf("step %s: after the last record: %w", s.Name, err)}
	}
	left, step := in[min(answered, len(in)-1):], s
	fail := func(format string, args ...any) error {
		return &StepFailure{step.Name, positionOf(&left[0]), fmt.Errorf(format, args...)}
	}
	if stepErr, ok := errors.AsType[*wire.StepError](err); ok {
		step = s.chain()[stepErr.Step]
	}
	if bad, ok := errors.AsType[*RecordError](err); ok {
		return &StepFailure{step.Name, bad.At, fmt.Errorf("%s: step %s: %w", bad.At, step.Name, err)}
	}
	if kept, ok := errors.AsType[*KeptViewError](err); ok { // which has its place
		return &StepFailure{step.Name, kept.At, fmt.Errorf("step %s: %w", step.Name, err)}
	}
	if limit, ok := errors.AsType[*restartsError](err); ok {
		step = s.chain()[limit.last.Step]
		return fail("%s: want at most %d restarts of the process of %s in a run, have %d: %w%s; host { restarts = N } in the step allows more",
			rangeText(left), limit.most, s.title(), limit.most+1, limit.last, s.lossesText(limit.lost))
	}
	crash, ok := errors.AsType[*Crash](err)
	if !ok {
		return fail("step %s: %w", step.Name, err)
	}
	step = s.chain()[crash.Step]
	if crash.At >= answered && crash.At < len(in) {
		left = in[crash.At : crash.At+1]
	}
	others := ""
	if n := len(s.stages); n > 1 {
		others = fmt.Sprintf(", at this record or at the record of another of its %d workers", n)
	}
	if s.Ordered {
		ends := "the run"
		if s.compared {
			ends = "the comparison"
		}
		return fail("%s: step %s: %w; it keeps state from record to record, so a crash ends %s", rangeText(left), step.Name, err, ends)
	}
	advice := "; without on_crash = \"fail\" in its host block such records are rejected and the run goes on"
	if s.Restarts == 0 { // of a step without a host block too
		advice = ""
	}
	return fail("%s: %s: %w%s%s", rangeText(left), s.suspects(crash), err, others, advice)
}

// lossesText says how many records each step of the chain has lost to crashes, and the first of them.
func (s *Step) lossesText(lost map[int]*loss) string {
	var b strings.Builder
	for i, step := range s.chain() {
		l := lost[i]
		if l == nil {
			continue
		}
		lead, records := "; and", "records"
		if b.Len() == 0 {
			lead = "; before that"
		}
		if l.records == 1 {
			records = "record"
		}
		fmt.Fprintf(&b, "%s step %s lost %d %s: %s", lead, step.Name, l.records, records, positionsText(l.first))
		if more := l.records - len(l.first); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	if b.Len() == 0 {
		return "; no record was lost before that"
	}
	return b.String()
}

func positionsText(all []receipt.Position) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}
