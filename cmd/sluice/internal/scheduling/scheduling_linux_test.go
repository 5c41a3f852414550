package scheduling

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAsBatch holds the policy and the niceness of all threads of a process and of those that it starts afterwards. It is tried in a
// process of its own, since the way back needs no right but would be code for the test alone.
func TestAsBatch(t *testing.T) {
	if want := os.Getenv("SCHEDULING_CHILD"); want != "" {
		child(t, want)
		return
	}
	for _, c := range []struct {
		reason string
		start  unix.SchedAttr
		want   string
	}{
		{"a program as a shell starts it", unix.SchedAttr{Policy: unix.SCHED_NORMAL}, "policy 3, nice 0"},
		{"one started by nice", unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: 7}, "policy 3, nice 7"},
		{"one that is to run only when nothing else does", unix.SchedAttr{Policy: unix.SCHED_IDLE}, "policy 5, nice 0"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			runtime.LockOSThread() // and never unlocked: the thread, whose policy a child inherits, ends with the test
			c.start.Size = unix.SizeofSchedAttr
			if err := unix.SchedSetAttr(0, &c.start, 0); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAsBatch$")
			cmd.Env = append(os.Environ(), "SCHEDULING_CHILD="+c.want)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func child(t *testing.T, want string) {
	AsBatch()
	for range 2 * runtime.GOMAXPROCS(0) { // threads that begin later
		started := make(chan bool)
		go func() {
			runtime.LockOSThread()
			started <- true
			select {}
		}()
		<-started
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		var id int
		if _, err := fmt.Sscan(thread.Name(), &id); err != nil {
			t.Fatal(err)
		}
		attr, err := unix.SchedGetAttr(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if have := fmt.Sprintf("policy %d, nice %d", attr.Policy, attr.Nice); have != want {
			t.Errorf("thread %d of %d: want %s, have %s", id, len(threads), want, have)
		}
	}
}
