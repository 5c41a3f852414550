package launch

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A worker is one worker of a chain, through all of its processes.
type worker struct {
	chain   *Chain
	n       int
	local   *localWorker                // in this process; nil when it is gone or elsewhere
	current atomic.Pointer[localWorker] // the last local, for other goroutines
}

var _ flow.Stage = (*worker)(nil)

// Process implements flow.Stage. A worker that emitted invalid JSON is no longer trusted, and gets again what it has not
// answered.
func (w *worker) Process(ctx context.Context, in []wire.Record, out flow.Receiver) error {
	answers := &countingReceiver{Receiver: out}
	for {
		from := answers.answered
		err := w.processOnce(ctx, in[from:], answers)
		if err == wire.ErrUnfit {
			continue
		}
		if crash, ok := errors.AsType[*flow.Crash](err); ok && !answers.refused && crash.At >= 0 {
			crash.At += from
		}
		return err
	}
}

func (w *worker) processOnce(ctx context.Context, in []wire.Record, answers *countingReceiver) error {
	if w.chain.opts.InProcess {
		return w.processLocal(ctx, in, answers)
	}
	answers.Waiting(true) // a process may have to be started, which has limits of its own
	p, err := w.chain.ensureProcess(ctx)
	answers.Waiting(false)
	if err != nil {
		return err
	}
	err = p.workers[w.n].Process(ctx, in, answers)
	if err == nil || err == wire.ErrUnfit || answers.refused {
		return err
	}
	err = p.callError(ctx, err, w.chain.spot(w.n, len(in)))
	w.chain.reap(p, err)
	return err
}

// A countingReceiver counts the records answered, and notes whether an error came from the receiver.
type countingReceiver struct {
	flow.Receiver
	answered int
	refused  bool
}

func (r *countingReceiver) Answer(a wire.Answer) error {
	r.answered += len(a.Outcomes)
	err := r.Receiver.Answer(a)
	r.refused = err != nil
	return err
}
