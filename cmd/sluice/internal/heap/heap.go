// Package heap says when the program collects garbage. It imports next to nothing, so that it is initialised before most packages that
// make tables then.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Little lives longer than a batch, so a collection every few megabytes would be most of the work of a small run. What is made at the
// start is collected when it is much, or never. While a large record makes much live, the heap grows by less, since memory is a small
// multiple of the record then.
const (
	percent      = 400
	leastPercent = 25
	percentFirst = 1600      // up to the first collection, at 64 MB
	mostFirst    = 128 << 20 // bytes of memory until the percentage after that is set, which may be late on a busy machine
	mostGarbage  = 64 << 20  // about how many bytes of it there are while less than four times as much lives
	fromHost     = "400"     // of GOGC: what the host sets for a plugin process unless its own environment does
)

var (
	mu     sync.Mutex
	chosen bool  // by Grow
	limit  int64 // of memory, as the environment says
)

func init() {
	if asked() {
		return
	}
	debug.SetGCPercent(percentFirst)
	limit = debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, mostFirst))
	afterCollection(percentFirst)
}

// afterCollection chooses how much the heap may grow by what lives after the next collection, and after each later one.
func afterCollection(now int) {
	runtime.AddCleanup(&struct{ self *int }{}, func(int) {
		mu.Lock()
		defer mu.Unlock()
		if chosen {
			return
		}
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		next := percentFor(sample[0].Value.Uint64())
		if next != now { // setting it stops the program for a moment
			debug.SetGCPercent(next)
		}
		if now == percentFirst {
			debug.SetMemoryLimit(limit)
		}
		afterCollection(next)
	}, 0)
}

// percentFor returns by how many percent a heap may grow of which so many bytes live.
func percentFor(live uint64) int {
	for p := percent; p > leastPercent; p /= 2 {
		if live*uint64(p)/100 <= mostGarbage {
			return p
		}
	}
	return leastPercent
}

// asked reports whether the environment says when to collect.
func asked() bool {
	text, ok := os.LookupEnv("GOGC")
	return ok && text != fromHost
}

// Grow lets the heap grow by so many percent between collections, unless the environment says by how much.
func Grow(percent int) {
	if asked() {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	chosen = true
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(limit)
}
