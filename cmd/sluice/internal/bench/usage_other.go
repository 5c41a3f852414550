//go:build !linux

package bench

import "time"

// used is unknown here.
func used() usage { return usage{} }

// threadTime is unknown here.
func threadTime() time.Duration { return 0 }

// watchMemory measures nothing here.
func watchMemory(int) func() int64 { return func() int64 { return 0 } }
