package host

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
)

// A timeline has at most maxSamples. Short runs are sampled often, long ones less and less.
const (
	maxSamples  = 120
	firstPeriod = 50 * time.Millisecond
)

type sampler struct {
	mu sync.Mutex
	receipt.Timeline
	period time.Duration
}

// add adds a sample. When the timeline is full, it drops every second sample, and doubles the period.
func (s *sampler) add(x receipt.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.Samples) == maxSamples {
		for i := range maxSamples / 2 {
			s.Samples[i] = s.Samples[2*i]
		}
		s.Samples = s.Samples[:maxSamples/2]
		s.period *= 2
	}
	s.Samples = append(s.Samples, x)
}

// ended returns the timeline of a run that has ended, with what held it.
func (s *sampler) ended(by Holder) *receipt.Timeline {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by.Name != "" {
		s.Held = &receipt.Holder{Kind: by.Kind, Name: by.Name, Busy: math.Round(by.Busy*1000) / 1000}
	}
	return &s.Timeline
}

// copy returns the timeline so far and its period.
func (s *sampler) copy() (receipt.Timeline, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return receipt.Timeline{Steps: s.Steps, Samples: slices.Clone(s.Samples)}, s.period
}

// begin begins the timeline of some steps, unless it goes on that of an interrupted run.
func (s *sampler) begin(steps []string) {
	s.mu.Lock()
	begun := s.period > 0
	if !begun {
		s.period, s.Steps = firstPeriod, steps
	}
	s.mu.Unlock()
	if !begun {
		s.add(receipt.Sample{Steps: make([]receipt.StepSample, len(steps))})
	}
}

// sample samples the run periodically until ctx is done, and once more then.
func (r *run) sample(ctx context.Context) {
	s := &r.sampler
	var steps []string
	for _, step := range r.plan.Steps {
		steps = append(steps, step.Label())
	}
	s.begin(steps)
	s.add(r.now())
	tick := time.NewTicker(s.period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.add(r.now())
			return
		case <-tick.C:
			before := s.period
			if s.add(r.now()); s.period != before {
				tick.Reset(s.period)
			}
		}
	}
}

func (r *run) now() receipt.Sample {
	totals := r.plan.Totals.Snapshot()
	x := receipt.Sample{
		Seconds: toMillisecond(time.Since(r.began)), Records: totals.Read, Written: totals.Written,
		Rejected: receipt.Sum(totals.Rejected).Total,
	}
	for _, src := range r.plan.Sources {
		read, _ := src.Progress()
		x.BytesRead += read
	}
	x.BytesDone = r.done(x.BytesRead)
	for _, step := range r.plan.Steps {
		f := step.Account.Brief()
		x.Steps = append(x.Steps, receipt.StepSample{
			In: f.In, Out: f.Out, BytesIn: f.BytesIn, BusySeconds: toMillisecond(f.Busy), Queue: step.Account.QueueLength(),
		})
	}
	return x
}

func toMillisecond(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
