package bench

import (
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// used adds up this process and the children that it has waited for.
func used() (total usage) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total.cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
			total.voluntary += u.Nvcsw
			total.involuntary += u.Nivcsw
		}
	}
	return total
}

func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// watchMemory samples the resident memory of a process and its descendants, until the function that it returns is called.
func watchMemory(pid int) func() int64 {
	var wg sync.WaitGroup
	stop, most := make(chan struct{}), int64(0)
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, resident(pid))
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	return func() int64 { close(stop); wg.Wait(); return most }
}

func resident(pid int) (total int64) {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0
	}
	children := map[int][]procfs.ProcStat{} // by parent
	for _, p := range all {
		if stat, err := p.Stat(); err == nil { // else it has ended
			children[stat.PPID] = append(children[stat.PPID], stat)
			if stat.PID == pid {
				total += int64(stat.ResidentMemory())
			}
		}
	}
	for parents := []int{pid}; len(parents) > 0; parents = parents[1:] {
		for _, stat := range children[parents[0]] {
			total += int64(stat.ResidentMemory())
			parents = append(parents, stat.PID)
		}
	}
	return total
}
