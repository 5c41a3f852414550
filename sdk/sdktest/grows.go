package sdktest

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Grows holds that the work for one record is in proportion to its size. It gives a processor of p the records that
// input makes, of n and of 8n parts, and fails the test when the time or the bytes allocated grow clearly faster
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
		small, large := input(n), input(8*n)
		a, b := work(small), work(large)
		// What is quadratic grows by eight times the growth of the input: three times it leaves about as much room on
		// either side for caches, garbage and what else the machine does. Bytes are counted, and need less.
		growth := float64(len(large)) / float64(len(small))
		slower := float64(b.time) / float64(max(a.time, time.Microsecond)) // of a clock that did not tick
		larger := float64(b.bytes+slack) / float64(a.bytes+slack)
		if slower <= 3*growth && larger <= 2*growth {
			return ""
		}
		fault = fmt.Sprintf("want at most %.0f times the time and %.0f times the memory for %d bytes in place of %d, have %.1f and %.1f times",
			3*growth, 2*growth, len(large), len(small), slower, larger)
	}
	return fault
}

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

// spend gives the least CPU time that a new processor needs for the record, of a few times, and the bytes that it
// allocates the first time, when it has no memory to use again.
func spend(t testing.TB, p sdk.Plugin, args string, record []byte) spending {
	t.Helper()
	w, bad := worker(p, args, false)
	if len(bad) > 0 {
		t.Fatalf("%s: want arguments that the plugin takes, have %v", p.Name, bad)
	}
	defer w.Close()
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	in, out := records([]string{string(record)}), &ring{}
	least := spending{time: time.Hour}
	for round := range 3 {
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
		least.time = min(least.time, took)
		if round == 0 {
			least.bytes = after.TotalAlloc - before.TotalAlloc
		}
	}
	return least
}
