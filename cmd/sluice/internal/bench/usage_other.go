//go:build !linux

package bench

import "time"

// Nothing is measured here.

func used() usage                  { return usage{} }
func threadTime() time.Duration    { return 0 }
func watchMemory(int) func() int64 { return func() int64 { return 0 } }
