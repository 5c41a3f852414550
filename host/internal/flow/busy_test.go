package flow

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestBusyOfChain holds that what is told of a worker's time between two answers is all of it, however long that takes, and that no step's
// falls, nor rises faster than the worker works.
func TestBusyOfChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := &workTimes{workers: make([]workTime, 1), shares: []uint64{3, 1}, currentStep: func(int) int { return 1 }}
		times.workers[0].since = time.Now()
		const tick = 10 * time.Millisecond
		var before [2]time.Duration
		for n := range 400 {
			time.Sleep(tick)
			var now [2]time.Duration
			for step := range now {
				now[step] = times.underWay(step)
				if rise := now[step] - before[step]; rise < 0 || rise > tick {
					t.Fatalf("after %v step %d: want from 0 to %v more, have %v", time.Duration(n+1)*tick, step, tick, rise)
				}
			}
			if sum, all := now[0]+now[1], time.Duration(n+1)*tick; sum < all-2 || sum > all {
				t.Fatalf("want %v in all, have %v", all, sum)
			}
			before = now
		}
		if held := before[1]; held < 2500*time.Millisecond {
			t.Errorf("want what goes beyond a moment with the step that has the record, have %v of it", held)
		}
	})
}
