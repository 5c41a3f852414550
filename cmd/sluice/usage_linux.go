package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

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

// canPin tells whether a program can be held to some of the cores.
const canPin = true

// startOn starts a program on the first so many of the cores that this one may use.
func startOn(cores int, cmd *exec.Cmd) error {
	runtime.LockOSThread() // a child has the cores of the thread that starts it
	defer runtime.UnlockOSThread()
	var all, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for i := 0; some.Count() < min(cores, all.Count()); i++ {
		if all.IsSet(i) {
			some.Set(i)
		}
	}
	if err := unix.SchedSetaffinity(0, &some); err != nil {
		return err
	}
	return errors.Join(cmd.Start(), unix.SchedSetaffinity(0, &all))
}

// threadTime is what this thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// watchMemory samples the resident memory of a process and its children; the function it gives ends that and tells the
// most.
func watchMemory(pid int) func() int64 {
	var wg sync.WaitGroup
	stop, most := make(chan struct{}), int64(0)
	wg.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				total := int64(0)
				for _, pid := range family(pid) {
					total += residentBytes(pid)
				}
				most = max(most, total)
			}
		}
	})
	return func() int64 { close(stop); wg.Wait(); return most }
}

// family is a process and all that come from it.
func family(pid int) []int {
	pids := []int{pid}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		children, _ := os.ReadFile(t)
		for _, f := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(f); err == nil {
				pids = append(pids, family(child)...)
			}
		}
	}
	return pids
}

func residentBytes(pid int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
