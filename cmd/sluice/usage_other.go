//go:build !linux

package main

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }

// threadTime is not known here.
func threadTime() time.Duration { return 0 }

// watchMemory knows nothing here.
func watchMemory() func() int64 { return func() int64 { return 0 } }
