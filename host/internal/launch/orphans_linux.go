package launch

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put a plugin into a process group of its own, so that Ctrl-C reaches the host alone. The system kills it with the
// thread that started it, which a forker keeps.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// A forker starts processes on a thread that lasts as long as it does. Go ends a thread with a goroutine that had it for
// itself, and the system would take that for the end of this process.
type forker chan func()

func newForker() forker {
	f := make(forker)
	go func() {
		runtime.LockOSThread()
		for start := range f {
			start()
		}
	}()
	return f
}

// start runs a function that starts a process.
func (f forker) start(do func() error) error {
	if f == nil {
		return do()
	}
	done := make(chan error, 1)
	f <- func() { done <- do() }
	return <-done
}

// end ends the thread. The processes that it has started have ended.
func (f *forker) end() {
	if *f != nil {
		close(*f)
		*f = nil
	}
}

// awaitEnd waits until a process has ended, and leaves it to be waited for: its number is not given to another before.
func awaitEnd(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// killMarked kills all processes with a run's mark in their environment, whatever group or session they have moved to. While it
// finds any, another may just have been started.
func killMarked(mark string) {
	const most = 20 // passes
	for range most {
		if !killMarkedOnce([]byte(markEnv + "=" + mark)) {
			return
		}
	}
}

func killMarkedOnce(mark []byte) (found bool) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil { // another user's, or it has just ended
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, mark) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
				break
			}
		}
	}
	return found
}

// hideSelf keeps other processes of the user from reading this one's environment and memory, unless it is to leave a core when it
// crashes. Root can read them all the same.
func hideSelf() {
	if os.Getenv("GOTRACEBACK") != "crash" {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // it only fails for another value
	}
}
