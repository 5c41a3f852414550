//go:build !linux

package sdktest

import "time"

func cpuTime() time.Duration { return wallTime() }
