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

// The first curve is what has left the run, as the bar in a terminal is; older timelines only say what was read.
func TestCurvesOfWhatIsDone(t *testing.T) {
	for _, c := range []struct {
		title string
		done  int64
		want  float64
	}{{"Done", 500, 500}, {"Read", 0, 900}} {
		line := &receipt.Timeline{Samples: []receipt.Sample{{}, {Seconds: 1, BytesRead: 900, BytesDone: c.done}}}
		if drawn := curves(line, 1)[0]; drawn.Title != c.title || drawn.Y[1] != c.want {
			t.Errorf("want %s at %v, have %s at %v", c.title, c.want, drawn.Title, drawn.Y[1])
		}
	}
}

// The page says what held the run, as the summary in the terminal does.
func TestHeldBy(t *testing.T) {
	for _, c := range []struct {
		by   receipt.Holder
		want string
	}{
		{receipt.Holder{Kind: "step", Name: "slow.judge", Busy: 0.994}, "step slow.judge, which was busy 99.4% of the time"},
		{receipt.Holder{Kind: "sink", Name: "jsonl.out", Busy: 1}, "sink jsonl.out, which was writing 100% of the time"},
		{receipt.Holder{Kind: "source", Name: "jsonl.in", Busy: 0.9}, "source jsonl.in, for which it waited 90.0% of the time"},
	} {
		if have := heldBy(&c.by); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
		}
	}
}

// How far a failed run came is what had left it: all may be read while a slow step has hardly begun.
func TestHowFarAFailedRunCame(t *testing.T) {
	for _, c := range []struct {
		f    receipt.Failure
		want string
	}{
		{receipt.Failure{Bytes: 1000, TotalBytes: 1000, DoneBytes: 250, DoneRecords: 75}, "300 records read, 75 of them done: 250 B of 1.0 kB (25.0%)"},
		{receipt.Failure{Bytes: 1000, TotalBytes: 2000}, "300 records read, 1.0 kB of 2.0 kB (50.0%)"}, // of an older version
		{receipt.Failure{Bytes: 1000, DoneBytes: 250, DoneRecords: 75}, "300 records read, 75 of them done: 250 B"},
	} {
		m := maker{run: &receipt.Receipt{Failure: &c.f, Totals: receipt.Totals{Read: 300}}}
		if have := m.howFar(); have != c.want {
			t.Errorf("want %q, have %q", c.want, have)
		}
	}
}
