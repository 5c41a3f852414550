package host

import (
	"context"
	"time"

	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// Progress says how far a run is.
type Progress struct {
	Bytes, Total int64 // of the input files; Total is 0 when not known
	Records      int64 // read
	Written      int64 // by the sinks of the stream
	Rejected     map[string]int64
	Elapsed      time.Duration
	Step         string        // that has not answered for the longest time
	Held         time.Duration // how long it has not answered
	Steps        []StepProgress
}

// StepProgress counts what went through one step so far.
type StepProgress struct {
	Name, Plugin      string // Name is TYPE.NAME
	In, Out           int64  // records
	BytesIn, BytesOut int64
	Dropped, Rejected map[string]int64 // records, by reason and by code
	Declined          int64
	Busy              time.Duration // of all workers, without waiting for the steps behind and for memory
	Batch             time.Duration // how long a worker has been at one batch, the longest of those that do not wait
	Queue             int           // batches that wait before it
	Behind            bool          // its records wait before the first step of its chain or first
	Workers           int

	// A chain has one process, whose figures are with its first step. They are 0 for built-in plugins that run in process, and CPU
	// and Memory where the system does not report them.
	Restarts int           // processes after the first
	CPU      time.Duration // used by all of them
	Memory   int64         // bytes of the process, without the memory for records
}

func (r *run) progress(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.opts.Progress(r.state())
		}
	}
}

func (r *run) state() Progress {
	totals := r.plan.Totals.Snapshot()
	x := Progress{Elapsed: time.Since(r.began), Records: totals.Read, Written: totals.Written, Rejected: totals.Rejected}
	known := true
	for _, i := range r.plan.Sources {
		read, total := i.Progress()
		x.Bytes, x.Total, known = x.Bytes+read, x.Total+total, known && total > 0
	}
	if !known {
		x.Total = 0
	}
	for i, u := range r.plan.Steps {
		if held := u.Account.LongestCall(); held > x.Held {
			x.Step, x.Held = u.Label(), held
		}
		x.Steps = append(x.Steps, r.step(i, u))
	}
	return x
}

func (r *run) step(i int, u *plan.Step) StepProgress {
	f, m := u.Account.Snapshot(), r.fleet.Steps[i]
	s := StepProgress{
		Name: u.Label(), Plugin: u.Type, In: f.In, Out: f.Out, BytesIn: f.BytesIn, BytesOut: f.BytesOut,
		Dropped: f.Dropped, Rejected: f.Rejected, Declined: receipt.Sum(f.Declined).Total, Busy: f.Busy,
		Batch: u.Account.LongestBatch(), Queue: u.Account.QueueLength(), Behind: !u.Account.HasQueue(), Workers: len(m.Chain.Stages()),
	}
	if m.Index == 0 {
		s.Restarts = m.Chain.Restarts()
		s.CPU, s.Memory = m.Chain.Usage()
	}
	return s
}
