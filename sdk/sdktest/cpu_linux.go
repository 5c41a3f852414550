package sdktest

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is how long this thread has run: what others took from the machine does not count.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
