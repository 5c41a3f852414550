package flow

import (
	"context"
	"errors"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A BatchSpan is the time that one batch spent in a worker, and what became of it.
type BatchSpan struct {
	Steps        []StepSpan // of the chain, in order
	Worker       int
	Began, Ended time.Time
	Waited       time.Duration // part of it, for the host: for later nodes, for memory, and for another process
	Records      int           // 0: the call of Finish
	First, Last  Position      // of the records
	Unanswered   int           // records that were left when it failed or the run ended
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
