package sdktest

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of this thread, which other processes do not change.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
