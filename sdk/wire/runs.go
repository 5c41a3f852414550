package wire

import (
	"fmt"
	"slices"
)

// A FaultRun is one or more verdicts in a row, of those that have a fault, with one fault of a Reply.
type FaultRun struct{ Fault, N uint32 }

// recent is how many faults before it a fault is compared with.
const recent = 8

// AddFault adds the fault of the next verdict Dropped, Rejected or Declined. One that a recent verdict had, and that shows no
// record, is not added again.
func (r *Reply) AddFault(f *Fault) { r.AddFaults(f, 1) }

// AddFaults adds the fault of each of the next n such verdicts.
func (r *Reply) AddFaults(f *Fault, n int) {
	if last := len(r.Runs) - 1; last >= 0 && r.Faults[r.Runs[last].Fault].equals(f) {
		r.Runs[last].N += uint32(n)
		return
	}
	last := len(r.Faults) - 1
	for k := last; k > max(last-recent, -1); k-- {
		if r.Faults[k].equals(f) {
			r.Runs = append(r.Runs, FaultRun{uint32(k), uint32(n)})
			return
		}
	}
	r.Faults, r.Runs = append(r.Faults, *f), append(r.Runs, FaultRun{uint32(last + 1), uint32(n)})
}

// equals reports whether two faults are the same but for their record.
func (f *Fault) equals(g *Fault) bool {
	return f.Message == g.Message && f.Code == g.Code && f.Path == g.Path && f.Record == nil && g.Record == nil
}

// AddLabels adds the labels of the emitted record of that index, the last so far.
func (r *Reply) AddLabels(index int, labels []Label) {
	if n := len(r.Labels); n > 0 {
		if last := &r.Labels[n-1]; last.end() == uint64(index) && slices.Equal(last.Labels, labels) {
			last.N++
			return
		}
	}
	r.Labels = append(r.Labels, Labels{Index: uint32(index), N: 1, Labels: labels})
}

// end returns the index after the last record of a run.
func (l *Labels) end() uint64 { return uint64(l.Index) + uint64(max(l.N, 1)) }

// Expanded returns the reply with one fault for each verdict and labels for each record, for hosts without runs.
func (r *Reply) Expanded() *Reply {
	all := *r
	all.Runs, all.Labels = nil, nil
	if len(r.Runs) > 0 {
		all.Faults = nil
	}
	for _, run := range r.Runs {
		all.Faults = append(all.Faults, slices.Repeat(r.Faults[run.Fault:run.Fault+1], int(run.N))...)
	}
	for _, l := range r.Labels {
		for i := uint64(l.Index); i < l.end(); i++ {
			all.Labels = append(all.Labels, Labels{Index: uint32(i), N: 1, Labels: l.Labels})
		}
	}
	all.Behind = make([]Reply, len(r.Behind))
	for i := range r.Behind {
		all.Behind[i] = *r.Behind[i].Expanded()
	}
	return &all
}

// checkFaults checks that a reply has a fault for each of so many verdicts.
func (r *Reply) checkFaults(verdicts int) error {
	if len(r.Runs) == 0 {
		if len(r.Faults) != verdicts {
			return fmt.Errorf("want %d faults, have %d", verdicts, len(r.Faults))
		}
		return nil
	}
	n := uint64(0)
	for _, run := range r.Runs {
		if int64(run.Fault) >= int64(len(r.Faults)) || run.N == 0 {
			return fmt.Errorf("want runs of one or more verdicts with one of %d faults, have %d with fault %d", len(r.Faults), run.N, run.Fault)
		}
		n += uint64(run.N)
	}
	if n != uint64(verdicts) {
		return fmt.Errorf("want runs of %d faults, have %d", verdicts, n)
	}
	return nil
}

// A faultReader reads the faults of a part in the order of its verdicts. Those of one number are checked once and shared.
type faultReader struct {
	*part
	read int // of Faults, or of the current run
	run  int
	seen []seenFault // by number; nil without runs
}

type seenFault struct {
	*Fault
	verdict Verdict
	away    bool
}

// next returns the fault of the next verdict that has one.
func (f *faultReader) next(v Verdict, away bool) *Fault {
	f.read++
	if len(f.Runs) == 0 {
		return f.fault(v, &f.Faults[f.read-1], away)
	}
	if f.seen == nil {
		f.seen = make([]seenFault, len(f.Faults))
	}
	run := f.Runs[f.run]
	if f.read == int(run.N) {
		f.run, f.read = f.run+1, 0
	}
	s := &f.seen[run.Fault]
	if s.Fault == nil || s.verdict != v || s.away != away {
		copied := f.Faults[run.Fault]
		*s = seenFault{f.fault(v, &copied, away), v, away}
	}
	return s.Fault
}
