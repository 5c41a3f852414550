package flow

import (
	"context"
	"errors"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Batch is what became of one batch in the hands of a worker, told when it is over.
type BatchSpan struct {
	Steps        []StepSpan // of the chain, in order
	Worker       int
	Began, Ended time.Time
	Waited       time.Duration // of that, for the host: for what comes after, for memory, and for another process
	Records      int           // 0: it was the last word
	First, Last  Position      // of the records
	Unanswered   int           // records that were left when it failed or the run ended
	Crashes      []CrashEvent
	Failed       bool // with an error, over which the run ends unless a shadow only tries the step
}

// A BatchStep is what one step made of a batch.
type StepSpan struct {
	Name, Plugin string // Name is TYPE.NAME
	Figures
}

// A BatchCrash is an end of the worker over a batch.
type CrashEvent struct {
	Time time.Time
	Step string // that had a record at hand
	How  string // as in Crash; it may hold words of the plugin
}

// A telling is what is told of a batch, while its worker has it.
type spanRecorder struct {
	steps    []Account
	crashes  []CrashEvent
	chain    []*Step
	finished func(BatchSpan)
}

// telling is nil when nobody is told.
func (s *Step) newSpanRecorder() *spanRecorder {
	if s.OnBatch == nil {
		return nil
	}
	chain := s.chain()
	return &spanRecorder{steps: make([]Account, len(chain)), chain: chain, finished: s.OnBatch}
}

// done tells of a batch of which so many records were answered.
func (t *spanRecorder) end(v *call, in []wire.Record, began time.Time, answered int, failed bool) {
	b := BatchSpan{
		Worker: v.worker, Began: began, Ended: time.Now(), Waited: v.waited, Records: len(in), Unanswered: len(in) - answered,
		Crashes: t.crashes, Failed: failed,
	}
	if len(in) > 0 {
		b.First, b.Last = positionOf(&in[0]), positionOf(&in[len(in)-1])
	}
	for i, s := range t.chain {
		b.Steps = append(b.Steps, StepSpan{s.Name, s.Plugin, t.steps[i].Snapshot()})
	}
	t.finished(b)
}

// A crashNoter notes the crashes of its stage.
type crashRecorder struct {
	Stage
	*spanRecorder
}

func (t crashRecorder) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	err := t.Stage.Process(ctx, in, out)
	if crash, ok := errors.AsType[*Crash](err); ok && ctx.Err() == nil {
		t.crashes = append(t.crashes, CrashEvent{time.Now(), t.chain[crash.Step].Name, crash.How})
	}
	return err
}
