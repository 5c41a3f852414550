package merge

import (
	"time"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// moments is how many samples the timeline of a whole run has.
const moments = 120

// timelineOfAll adds up the timelines of the parts, each at its own time. What a part without a timeline did shows at its end.
func (w *writing) timelineOfAll() *receipt.Timeline {
	all := &receipt.Timeline{}
	for _, s := range w.whole.Steps {
		all.Steps = append(all.Steps, s.Name)
	}
	lines := make([]*receipt.Timeline, len(w.parts))
	for i, p := range w.parts {
		lines[i] = w.timelineOf(p)
	}
	span := w.whole.Finished.Sub(w.whole.Started)
	for n := range moments + 1 {
		at := w.whole.Started.Add(time.Duration(float64(span) * float64(n) / moments))
		sum := receipt.Sample{Seconds: at.Sub(w.whole.Started).Seconds(), Steps: make([]receipt.StepSample, len(all.Steps))}
		for i, p := range w.parts {
			add(&sum, latest(lines[i], p.Started, at, n == moments))
		}
		all.Samples = append(all.Samples, sum)
	}
	return all
}

// timelineOf returns the timeline of a part, or its end alone.
func (w *writing) timelineOf(p *part) *receipt.Timeline {
	if p.Timeline != nil {
		at, _ := p.Place(w.dir, p.Timeline.Path)
		if f, err := places.Open(at); err == nil {
			defer f.Close()
			if t, err := receipt.ReadTimeline(f); err == nil && len(t.Steps) == len(p.Steps) && t.Samples[len(t.Samples)-1].Records == p.Totals.Read {
				return t
			}
		}
	}
	end := receipt.Sample{
		Seconds: p.Finished.Sub(p.Started).Seconds(), BytesRead: p.Totals.BytesRead, Records: p.Totals.Read,
		Written: p.Totals.Written, Rejected: p.Totals.Rejected.Total,
	}
	for _, s := range p.Steps {
		end.Steps = append(end.Steps, receipt.StepSample{In: s.In, Out: s.Out, BytesIn: s.BytesIn, BusySeconds: s.BusySeconds})
	}
	return &receipt.Timeline{Samples: []receipt.Sample{end}}
}

// latest returns the last sample of a timeline up to a time, or the last of all at the end; nil when there is none yet.
func latest(t *receipt.Timeline, started, at time.Time, end bool) (last *receipt.Sample) {
	for i := range t.Samples {
		s := &t.Samples[i]
		if end || !started.Add(time.Duration(s.Seconds*float64(time.Second))).After(at) {
			last = s
		}
	}
	return last
}

func add(sum, s *receipt.Sample) {
	if s == nil {
		return
	}
	sum.BytesRead += s.BytesRead
	sum.Records += s.Records
	sum.Written += s.Written
	sum.Rejected += s.Rejected
	for i, x := range s.Steps {
		y := &sum.Steps[i]
		y.In += x.In
		y.Out += x.Out
		y.BytesIn += x.BytesIn
		y.BusySeconds += x.BusySeconds
		y.Queue += x.Queue
	}
}
