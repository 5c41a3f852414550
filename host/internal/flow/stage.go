package flow

import (
	"context"
	"fmt"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Stage is one worker of a step, or of a chain. One goroutine at a time calls it.
type Stage interface {
	// Process answers every record of in, in order, through calls of out.Answer. Emitted records hold a reference on
	// their memory. The error of a step behind the first is a *wire.StepError. A *Crash means that the worker is gone; the
	// next call of Process gets a new one, or fails when it cannot. ctx ends the call: the worker is then gone too, and the
	// error is the context's cause. With no records it answers what the step has to say after the last.
	Process(ctx context.Context, in []wire.Record, out Receiver) error
}

// A Receiver takes what a stage says during one call of Process.
type Receiver interface {
	Answer(wire.Answer) error // an error comes back from Process as it is
	Waiting(bool)             // the stage begins (true) or ends to wait for the host
}

// A Crash is the end of a worker in the middle of its work.
type Crash struct {
	How       string // "exit status 2", "signal: killed", "panic: index out of range [3] with length 2", or the limit that was passed
	At        int    // the record of the call's batch that was at hand, -1 when not known
	Others    []int  // steps that other workers of the same process had records in
	Step, Nth int    // the step of the chain that had it, and which of those that came of the record
}

// Error implements error.
func (c *Crash) Error() string { return "the plugin ended: " + c.How }

// consult sends a batch through a stage. It gives how many records were answered, and whether the error is what out said,
// so that nobody takes it for the stage's own.
func callStage(ctx context.Context, st Stage, in []wire.Record, out Receiver) (answered int, refused bool, err error) {
	h := &checkedReceiver{Receiver: out, want: len(in)}
	err = st.Process(ctx, in, h)
	switch {
	case h.refused != nil:
		return h.have, true, h.refused
	case err == nil && h.have < h.want:
		err = fmt.Errorf("want %d records answered, have %d", h.want, h.have)
	}
	return h.have, false, err
}

// heard counts what is answered, and holds answers to their batch.
type checkedReceiver struct {
	Receiver
	want, have int
	refused    error // what the receiver said
}

func (h *checkedReceiver) Answer(a wire.Answer) error {
	if h.refused != nil {
		return h.refused
	}
	if have := h.have + len(a.Outcomes); have > h.want {
		for i := range a.Outcomes {
			wire.ReleaseAll(a.Outcomes[i].Emitted)
		}
		return fmt.Errorf("want %d records answered, have %d", h.want, have)
	}
	for i := range a.Sides {
		if n := a.Sides[i].Index; n < 0 || n >= len(a.Outcomes) && h.want > 0 {
			return fmt.Errorf("want side rows with the answer to their record, have one of record %d", h.have+n)
		}
	}
	h.have += len(a.Outcomes)
	h.refused = h.Receiver.Answer(a)
	return h.refused
}
