package flow

import (
	"context"
	"fmt"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Stage is one worker of a step, or of a chain. One goroutine at a time calls it.
type Stage interface {
	// Process answers every record of in, in order, through calls of out.Answer. Emitted records hold a reference on
	// their memory. With no records it answers what the step has to say after the last one.
	//
	// An error of a later step of the chain is a *wire.StepError. A *Crash means that the worker is gone; the next call of
	// Process starts another, or fails when it cannot. When ctx ends the worker is gone too, and the error is the context's
	// cause.
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
	At        int    // the record of the call's batch that the worker was at, -1 when not known
	Others    []int  // steps that other workers of the same process were in
	Step, Nth int    // the step of the chain that the worker was in, and at which of the records made of record At
}

// Error implements error.
func (c *Crash) Error() string { return "the plugin ended: " + c.How }

// callStage sends a batch through a stage. It returns how many records were answered, and whether the error is the
// receiver's and not the stage's own.
func callStage(ctx context.Context, st Stage, in []wire.Record, out Receiver) (answered int, refused bool, err error) {
	r := &checkedReceiver{Receiver: out, want: len(in)}
	err = st.Process(ctx, in, r)
	switch {
	case r.refused != nil:
		return r.have, true, r.refused
	case err == nil && r.have < r.want:
		err = fmt.Errorf("want %d records answered, have %d", r.want, r.have)
	}
	return r.have, false, err
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
		return fmt.Errorf("want %d records answered, have %d", r.want, have)
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
