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

// Grows tests that the work for one record is in proportion to its size. It runs a processor of p on records that
// input makes, of n and of 12n parts, and fails the test when the time or the bytes allocated grow clearly faster
// than the record. It ignores the plugin's answers.
func Grows(t testing.TB, p sdk.Plugin, args string, input func(n int) []byte) {
	t.Helper()
	out := &ring{} // its memory is allocated by the first run
	if fault := outgrows(input, func(record []byte) spending { return spend(t, p, args, record, out) }); fault != "" {
		t.Errorf("%s %s: %s", p.Name, args, fault)
	}
}

// outgrows says how the spending of work grows faster than its record, or returns "".
func outgrows(input func(n int) []byte, work func(record []byte) spending) (fault string) {
	n := 256
	for work(input(n)).time < time.Millisecond && len(input(n)) < 1<<16 {
		n *= 2
	}
	small, large := input(n), input(times*n)
	// Quadratic work grows 12 times as fast as the input. A limit of five times leaves room on either side for caches,
	// garbage collection and other processes. Bytes are counted exactly and need less room.
	growth := float64(len(large)) / float64(len(small))
	for range 5 { // other processes do not disturb every time
		a, b := most, most
		for range tries {
			a = a.least(work(small))
		}
		for range tries {
			b = b.least(work(large))
			slower := float64(b.time) / float64(max(a.time, time.Microsecond)) // the clock may not have ticked
			larger := float64(b.bytes+slack) / float64(a.bytes+slack)
			if slower <= mostTime*growth && larger <= mostBytes*growth {
				return ""
			}
			fault = fmt.Sprintf("want at most %.0f times the time and %.0f times the memory for %d bytes in place of %d, have %.1f and %.1f times",
				mostTime*growth, mostBytes*growth, len(large), len(small), slower, larger)
		}
	}
	return fault
}

const times, mostTime, mostBytes = 12, 5, 2

// tries is how often a record is processed: the least of them excludes one-time work and disturbances.
const tries = 3

// slack is how many bytes may be allocated for any record.
const slack = 64 << 10

type spending struct {
	time  time.Duration
	bytes uint64
}

// most is more than anything spends.
var most = spending{time.Hour, math.MaxUint64}

func (s spending) least(of spending) spending {
	return spending{min(s.time, of.time), min(s.bytes, of.bytes)}
}

// Least returns the least CPU time of some calls of f, for tests of work that Grows cannot measure.
func Least(times int, f func()) time.Duration {
	runtime.LockOSThread() // cpuTime is the thread's
	defer runtime.UnlockOSThread()
	least := time.Duration(1 << 62)
	for range times {
		start := cpuTime()
		f()
		least = min(least, cpuTime()-start)
	}
	return least
}

var began = time.Now()

func wallTime() time.Duration { return time.Since(began) }

// spend returns the CPU time and bytes of a new processor's first record: one that has seen it before might remember it.
func spend(t testing.TB, p sdk.Plugin, args string, record []byte, out *ring) spending {
	t.Helper()
	runtime.LockOSThread() // cpuTime is the thread's
	defer runtime.UnlockOSThread()
	in := records([]string{string(record)})
	out.next = 0
	w, bad := worker(p, args, false)
	if len(bad) > 0 {
		t.Fatalf("%s: want attributes that the plugin takes, have %v", p.Name, bad)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpuTime()
	if err := w.Process(noDeadline, in, out, func(*wire.Reply) error { return nil }); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	took := cpuTime() - start
	runtime.ReadMemStats(&after)
	if err := w.Close(); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return spending{took, after.TotalAlloc - before.TotalAlloc}
}
