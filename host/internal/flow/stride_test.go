package flow

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStrideFollowsTheWay holds that the reader takes fewer records where they are long on their way, and more where they are not.
func TestStrideFollowsTheWay(t *testing.T) {
	for _, c := range []struct {
		reason      string
		steps       []*Step
		most, taken int
		way         time.Duration
		want        int
	}{
		{"quick records, as many as it would take", nil, 256, 256, time.Millisecond, 512},
		{"the source had fewer", nil, 256, 100, time.Millisecond, 256},
		{"neither quick nor slow", nil, 256, 256, shortWay, 256},
		{"slow records", nil, 256, 256, 2 * time.Second, 128},
		{"slow records, of which the source had fewer", nil, 256, 100, 2 * time.Second, 50},
		{"never less than a few", nil, 4, 4, time.Hour, 4},
		{"enough for all calls of a plugin that makes several", []*Step{{Concurrent: true}}, 100, 100, time.Hour, 64},
		{"nothing was read", nil, 256, 0, time.Hour, 256},
	} {
		s := newStride(c.steps)
		s.most.Store(int64(c.most))
		if s.adapt(c.taken, c.way); s.records() != c.want {
			t.Errorf("%s: want %d, have %d", c.reason, c.want, s.records())
		}
	}
	var none *stride
	if none.adapt(1, time.Hour); none.records() != 0 {
		t.Errorf("without checkpoints: want any number, have %d", none.records())
	}
}

// TestCheckpointsOfSlowSteps holds that a step which takes its time for each record gets its checkpoints, though the source has all records
// at once: a checkpoint waits for what was read, and waiting while workers are busy is no pause.
func TestCheckpointsOfSlowSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		kept := &clocked{began: time.Now()}
		slow := w.stepWith("slow", 2, func(text string) string { time.Sleep(50 * time.Millisecond); return text })
		slow.Batch = BatchSize{}
		p := Plan{
			Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(4000), n: 4000, arena: w.arena()}}},
			Body:    []Node{slow, w.out("main")}, DeadLetter: &Sink{Name: "dead", Writer: w.sinks["dead"]}, Account: &Totals{},
			Checkpoints: kept, Every: 10 * time.Second,
		}
		if err := Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		last, longest := time.Duration(0), time.Duration(0)
		for _, at := range append(kept.notes, time.Since(kept.began)) {
			longest, last = max(longest, at-last), at
		}
		if longest > 30*time.Second {
			t.Errorf("want a checkpoint every 10 seconds or a little more, have %v in %v", kept.notes, last)
		}
	})
}
