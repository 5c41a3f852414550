package page

import (
	"testing"

	"github.com/sluicehq/sluice/host/receipt"
)

// A run whose work lies in one or two samples has no curve: it would be a spike, and tell nothing of how the run went on.
func TestCurvesNeedSamplesThatMove(t *testing.T) {
	at := func(seconds float64, read, written int64, busy float64) receipt.Sample {
		return receipt.Sample{Seconds: seconds, BytesRead: read, Written: written, Steps: []receipt.StepSample{{BusySeconds: busy}}}
	}
	for _, c := range []struct {
		why     string
		samples []receipt.Sample
		want    int
	}{
		{"a run without samples", nil, 0},
		{"the first sample has nothing before it", []receipt.Sample{at(0, 10, 1, 1)}, 0},
		{"a wait before the first record is no movement", []receipt.Sample{at(0, 0, 0, 0), at(1, 0, 0, 0), at(2, 10, 0, 0)}, 1},
		{"read, worked on and written count alike", []receipt.Sample{at(0, 0, 0, 0), at(1, 10, 0, 0), at(2, 10, 0, 1), at(3, 10, 5, 1)}, 3},
	} {
		if have := moving(c.samples); have != c.want {
			t.Errorf("%s: want %d, have %d", c.why, c.want, have)
		}
	}
}

// No curve shows more workers at once than there are, of steps that share a process those of one.
func TestCurvesHaveNoMoreWorkersThanThereAre(t *testing.T) {
	steps := []receipt.StepAccount{{Workers: 2, CPUSeconds: 1}, {Workers: 2}, {Workers: 1, CPUSeconds: 1}}
	line := &receipt.Timeline{Samples: []receipt.Sample{{}, {Seconds: 1, Steps: []receipt.StepSample{{BusySeconds: 2.5}, {BusySeconds: 1}}}}}
	drawn := curves(line, workers(steps))
	if have := drawn[len(drawn)-1].Y[1]; have != 3 {
		t.Errorf("want 3 workers at most, have %v", have)
	}
	if have := workers([]receipt.StepAccount{{Workers: 2}, {Workers: 2}}); have != 4 {
		t.Errorf("want all workers of a run in one process, have %d", have)
	}
}
