// Package heap says when the program collects garbage. It imports next to nothing, so that it is initialised before most packages that
// make tables then.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// Little lives longer than a batch, so a collection every few megabytes would be most of the work of a small run. What is made at the
// start is collected when it is much, or never.
const (
	percent      = 400
	percentFirst = 1600  // up to the first collection, at 64 MB
	fromHost     = "400" // of GOGC: what the host sets for a plugin process unless its own environment does
)

var (
	mu     sync.Mutex
	chosen bool // by Grow
)

func init() {
	if asked() {
		return
	}
	debug.SetGCPercent(percentFirst)
	runtime.AddCleanup(&struct{ self *int }{}, func(int) {
		mu.Lock()
		defer mu.Unlock()
		if !chosen {
			debug.SetGCPercent(percent)
		}
	}, 0)
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
}
