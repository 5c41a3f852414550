package scheduling

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// most is how many times the threads are listed: while one is changed, another that is not yet may start a new one.
const most = 8

// AsBatch gives all threads the policy SCHED_BATCH, and with it all threads and processes that these start. A thread that wakes up
// then waits for the time slice of the one that runs. The runtime of each Go process wakes a thread up to 50,000 times a second, to
// look after the others, and with several processes that are always busy each time one of them would be stopped for it, with all that
// it has in its caches. A thread with another policy than the usual one keeps it, and so do all where the kernel refuses.
func AsBatch() {
	for range most {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		changed := false
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				return
			}
			changed = asBatch(id) || changed
		}
		if !changed {
			return
		}
	}
}

// asBatch reports whether a thread has got the policy.
func asBatch(id int) bool {
	now, err := unix.SchedGetAttr(id, 0)
	if err != nil || now.Policy != unix.SCHED_NORMAL {
		return false
	}
	next := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: now.Nice}
	return unix.SchedSetAttr(id, &next, 0) == nil
}
