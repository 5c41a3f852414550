package host

import (
	"context"
	"time"

	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// Progress says how far a run is.
type Progress struct {
	Run, Pipeline string // its id, and the path of the file

	Bytes, Total int64 // of the input files; Total is 0 when not known
	Records      int64 // read
	Written      int64 // by the sinks of the stream
	Dropped      map[string]int64
	Rejected     map[string]int64
	Elapsed      time.Duration
	Step         string        // that has not answered for the longest time
	Held         time.Duration // how long it has not answered
	Steps        []StepProgress
	Sources      []EndProgress
	Sinks        []EndProgress // of the stream, side outputs and the dead letter

	// What has left the run, by being written, dropped or rejected, as a share of what was read: so much is done.
	DoneBytes, DoneRecords int64
}

// EndProgress is where a run begins or ends: a source or a sink.
type EndProgress struct {
	Name string        // TYPE.NAME
	Busy time.Duration // of a source: while the run waited for its next records; of a sink: while it wrote
}

// StepProgress counts what went through one step so far.
type StepProgress struct {
	Name, Plugin      string // Name is TYPE.NAME
	In, Out           int64  // records
	BytesIn, BytesOut int64
	Dropped, Rejected map[string]int64 // records, by reason and by code
	Declined          int64
	Busy              time.Duration // of all workers, up to now, without waiting for the steps behind and for memory
	Queue             int           // batches that wait before it
	Behind            bool          // its records wait before the first step of its chain or first
	Workers           int

	// A chain has one process, whose figures are with its first step. They are 0 for built-in plugins that run in process, and CPU
	// and Memory where the system does not report them.
	Restarts int           // processes after the first
	CPU      time.Duration // used by all of them
	Memory   int64         // bytes of the process, without the memory for records
}

// reportProgress calls Options.Progress now and then.
func (r *run) reportProgress(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.opts.Progress(r.progress())
		}
	}
}

func (r *run) progress() Progress {
	totals := r.plan.Totals.Snapshot()
	x := Progress{
		Run: r.id, Pipeline: r.opts.MaskName(r.tree.Path), Elapsed: time.Since(r.began), Records: totals.Read, Written: totals.Written, Dropped: totals.Dropped, Rejected: totals.Rejected,
	}
	known := true
	for _, src := range r.plan.Sources {
		read, total := src.Progress()
		x.Bytes, x.Total, known = x.Bytes+read, x.Total+total, known && total > 0
	}
	if !known {
		x.Total = 0
	}
	x.DoneBytes, x.DoneRecords = r.done(x.Bytes), r.done(x.Records)
	for _, src := range r.plan.Sources {
		x.Sources = append(x.Sources, EndProgress{src.Label(), src.Waited()})
	}
	for _, sink := range r.plan.Sinks {
		x.Sinks = append(x.Sinks, EndProgress{sink.Name, sink.Busy.Sum()})
	}
	for i, step := range r.plan.Steps {
		if held := step.Account.LongestCall(); held > x.Held {
			x.Step, x.Held = step.Label(), held
		}
		x.Steps = append(x.Steps, r.step(i, step))
	}
	return x
}

// done returns the part of what was read that has left the run.
func (r *run) done(read int64) int64 {
	left, of := r.plan.Totals.Left()
	if left >= of {
		return read
	}
	return int64(float64(read) * float64(left) / float64(of))
}

func (r *run) step(i int, step *plan.Step) StepProgress {
	f, m := step.Account.Snapshot(), r.fleet.Steps[i]
	s := StepProgress{
		Name: step.Label(), Plugin: step.Type, In: f.In, Out: f.Out, BytesIn: f.BytesIn, BytesOut: f.BytesOut,
		Dropped: f.Dropped, Rejected: f.Rejected, Declined: receipt.Sum(f.Declined).Total, Busy: f.Busy,
		Queue: step.Account.QueueLength(), Behind: !step.Account.HasQueue(), Workers: len(m.Chain.Stages()),
	}
	if m.Index == 0 {
		s.Restarts = m.Chain.Restarts()
		s.CPU, s.Memory = m.Chain.Usage()
	}
	return s
}
