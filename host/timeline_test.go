package host

import (
	"math"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestSampler holds that a timeline stays small however long a run takes, begins with its start and ends with its last sample,
// and has its samples as far apart from each other as it looks at the run.
func TestSampler(t *testing.T) {
	for _, c := range []struct {
		reason string
		looks  int
		want   int           // samples
		period time.Duration // at the end
	}{
		{"a short run", 5, 5, firstPeriod},
		{"as many as there is room for", maxSamples, maxSamples, firstPeriod},
		{"one more", maxSamples + 1, maxSamples/2 + 1, 2 * firstPeriod},
		{"a long run", maxSamples + 5*maxSamples/2, maxSamples, 32 * firstPeriod},
	} {
		t.Run(c.reason, func(t *testing.T) {
			s := sampler{period: firstPeriod}
			var now time.Duration
			for range c.looks {
				s.add(receipt.Sample{Seconds: now.Seconds()})
				now += s.period
			}
			if len(s.Samples) != c.want || s.period != c.period {
				t.Errorf("want %d samples and a look every %v, have %d and %v", c.want, c.period, len(s.Samples), s.period)
			}
			if first, last := s.Samples[0], s.Samples[len(s.Samples)-1]; first.Seconds != 0 || last.Seconds != (now-s.period).Seconds() {
				t.Errorf("want the first at 0 and the last at %v, have %v and %v", now-s.period, first.Seconds, last.Seconds)
			}
			for i, x := range s.Samples {
				if want := float64(i) * s.Samples[1].Seconds; math.Abs(x.Seconds-want) > 1e-9 {
					t.Errorf("want sample %d at %v, have it at %v", i, want, x.Seconds)
				}
			}
		})
	}
}
