package sdktest

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Grows holds that the work for one record is in proportion to its size. It gives a processor of p the records that
// input makes, of n and of 12n parts, and fails the test when the time or the bytes allocated grow clearly faster
// than the record. What the plugin answers does not count.
func Grows(t testing.TB, p sdk.Plugin, args string, input func(n int) []byte) {
	t.Helper()
	if fault := outgrows(input, func(record []byte) spending { return spend(t, p, args, record) }); fault != "" {
		t.Errorf("%s %s: %s", p.Name, args, fault)
	}
}

// outgrows says how what work spends grows faster than its record, or "".
func outgrows(input func(n int) []byte, work func(record []byte) spending) (fault string) {
	n := 256
	for work(input(n)).time < time.Millisecond && len(input(n)) < 1<<16 {
		n *= 2
	}
	for range 5 { // what others took from the machine and its caches is not taken every time
		small, large := input(n), input(times*n)
		a, b := work(small), work(large)
		// What is quadratic grows by 12 times the growth of the input. Four times it leaves room on either side for caches,
		// garbage and what else the machine does. Bytes are counted, and need less.
		growth := float64(len(large)) / float64(len(small))
		slower := float64(b.time) / float64(max(a.time, time.Microsecond)) // of a clock that did not tick
		larger := float64(b.bytes+slack) / float64(a.bytes+slack)
		if slower <= mostTime*growth && larger <= mostBytes*growth {
			return ""
		}
		fault = fmt.Sprintf("want at most %.0f times the time and %.0f times the memory for %d bytes in place of %d, have %.1f and %.1f times",
			mostTime*growth, mostBytes*growth, len(large), len(small), slower, larger)
	}
	return fault
}

const times, mostTime, mostBytes = 12, 4, 2

// slack is how many bytes may be allocated for any record.
const slack = 64 << 10

type spending struct {
	time  time.Duration
	bytes uint64
}

// Least gives the least CPU time that f takes, of a few calls, for a test of what Grows does not reach.
func Least(f func()) time.Duration {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	least := time.Duration(1 << 62)
	for range 3 {
		start := cpuTime()
		f()
		least = min(least, cpuTime()-start)
	}
	return least
}

var began = time.Now()

func wallTime() time.Duration { return time.Since(began) }

// spend gives the least CPU time and bytes that a processor needs for its first record, of a few processors: one that has
// seen the record before may remember what is in it.
func spend(t testing.TB, p sdk.Plugin, args string, record []byte) spending {
	t.Helper()
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	in, out := records([]string{string(record)}), &ring{}
	least := spending{time: time.Hour, bytes: math.MaxUint64}
	for range 3 {
		w, bad := worker(p, args, false)
		if len(bad) > 0 {
			t.Fatalf("%s: want arguments that the plugin takes, have %v", p.Name, bad)
		}
		out.next = 0
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		if err := w.Process(noDeadline, in, out, func(*wire.Reply) error { return nil }); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		took := cpuTime() - start
		runtime.ReadMemStats(&after)
		least.time, least.bytes = min(least.time, took), min(least.bytes, after.TotalAlloc-before.TotalAlloc)
		if err := w.Close(); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	return least
}
