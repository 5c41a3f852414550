package chaos

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call is one that a program made to the system, about files of the folder that is watched. The program waits for the answer.
type call struct {
	pid   int    // of the process
	kind  string // one of heldCalls
	path  string // what the call is about; of a rename the old name
	to    string // the new name of a rename
	size  int64  // that a file is cut to
	n     int    // how many calls of this class were made before
	class class
}

// Calls are held in three classes: those that change names or make something durable, writes, of which there are many more, and
// readings of the clock on the wall.
type class int

const (
	names class = iota
	writes
	clocks
	classes
)

// heldCalls are the calls that are held, with their kinds and classes. A call that makes a file has the kind "create".
var heldCalls = map[uint32]struct {
	kind  string
	class class
}{
	unix.SYS_OPENAT: {"create", names}, unix.SYS_RENAMEAT: {"rename", names}, unix.SYS_RENAMEAT2: {"rename", names},
	unix.SYS_UNLINKAT: {"remove", names}, unix.SYS_FSYNC: {"sync", names}, unix.SYS_FDATASYNC: {"sync", names},
	unix.SYS_FTRUNCATE: {"truncate", names}, unix.SYS_MKDIRAT: {"mkdir", names}, unix.SYS_WRITE: {"write", writes}, unix.SYS_PWRITE64: {"write", writes},
	unix.SYS_CLOCK_GETTIME: {"clock", clocks},
}

// A watcher answers calls: with 0 a call is made, with an error of the system it fails and is not made.
type watcher func(call) unix.Errno

// A watch is of calls about files below dir, in the order in which they are made.
type watch struct {
	dir     string
	answer  watcher
	writes  bool                    // hold writes too
	shift   func(int) time.Duration // how wrong the clock on the wall is when it is read so many times; nil: it is left alone
	limits  map[int]uint64          // of the program's resources
	program *exec.Cmd
}

// start starts the program. Calls of other processes that the program starts are made at once. The function that it returns ends the watch,
// when the program has ended.
func (w *watch) start() (end func(), err error) {
	parent, err := filepath.EvalSymlinks(filepath.Dir(w.dir)) // as the system names open files
	if err != nil {
		return nil, err
	}
	w.dir = filepath.Join(parent, filepath.Base(w.dir))
	over, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // only the thread that started a process may trace it
	defer runtime.UnlockOSThread()
	listener, err := w.launch()
	if err != nil {
		_ = unix.Close(over)
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer unix.Close(listener)
		a := answerer{watch: w, listener: listener, over: over, host: w.program.Process.Pid}
		a.serve()
	}()
	if w.traced() {
		err = w.prepare(w.program.Process.Pid)
	}
	end = func() {
		_, _ = unix.Write(over, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		<-done
		_ = unix.Close(over)
	}
	return end, err
}

func (w *watch) traced() bool { return w.shift != nil || w.limits != nil }

// prepare changes what a program finds, which the system stops before its first instruction, and lets it run.
func (w *watch) prepare(pid int) error {
	var status unix.WaitStatus
	for status.StopSignal() != unix.SIGTRAP {
		if status.Stopped() { // by a signal for the launcher
			if err := unix.PtraceCont(pid, int(status.StopSignal())); err != nil {
				return err
			}
		}
		if _, err := unix.Wait4(pid, &status, 0, nil); err != nil && err != unix.EINTR || err == nil && !status.Stopped() {
			return fmt.Errorf("want the program stopped before it runs, have %v (%w)", status, err)
		}
	}
	var err error
	if w.shift != nil {
		err = hideClock(pid)
	}
	for resource, most := range w.limits {
		err = cmp.Or(err, unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil))
	}
	return errors.Join(err, unix.PtraceDetach(pid))
}

// notice is struct seccomp_notif, and reply struct seccomp_notif_resp.
type (
	notice struct {
		id           uint64
		pid, flags   uint32
		nr           int32
		arch         uint32
		instructions uint64
		args         [6]uint64
	}
	reply struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}
)

type answerer struct {
	*watch
	listener int
	over     int // becomes readable when nobody is to be answered any more
	host     int // process whose calls are watched
	made     [classes]int
}

// serve answers calls until the watch is over.
func (a *answerer) serve() {
	for {
		poll := []unix.PollFd{{Fd: int32(a.listener), Events: unix.POLLIN}, {Fd: int32(a.over), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		}
		if poll[1].Revents != 0 || poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notice
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(a.listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
			continue // the process was killed meanwhile
		}
		r := reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if c, ok := a.about(&n); ok {
			if c.class == clocks {
				r.flags, r.errno = 0, -int32(a.tellTime(a.shift(c.n), n.args[1]))
			} else if errno := a.answer(c); errno != 0 {
				r.flags, r.errno = 0, -int32(errno)
			}
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(a.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r)))
	}
}

// about reads what a call is about. It is not ok for calls of other processes and for those about other files.
func (a *answerer) about(n *notice) (c call, ok bool) {
	task := fmt.Sprintf("/proc/%d/task/%d", a.host, n.pid)
	if _, err := os.Stat(task); err != nil {
		return c, false
	}
	held := heldCalls[uint32(n.nr)]
	c = call{pid: a.host, kind: held.kind, class: held.class}
	switch {
	case c.class == clocks:
		return a.numbered(c), true
	case uint32(n.nr) == unix.SYS_OPENAT && n.args[2]&unix.O_CREAT == 0:
		return c, false
	case slices.Contains([]string{"write", "sync", "truncate"}, c.kind):
		c.path, _ = os.Readlink(fmt.Sprintf("%s/fd/%d", task, n.args[0]))
	default:
		c.path = a.text(n.args[1])
	}
	switch c.kind {
	case "rename":
		c.to = a.text(n.args[3])
	case "truncate":
		c.size = int64(n.args[1])
	}
	if !strings.HasPrefix(c.path, a.dir) {
		return c, false
	}
	return a.numbered(c), true
}

func (a *answerer) numbered(c call) call {
	c.n = a.made[c.class]
	a.made[c.class]++
	return c
}

// text reads a path from the memory of the program.
func (a *answerer) text(at uint64) string {
	f, err := os.Open("/proc/" + strconv.Itoa(a.host) + "/mem")
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, unix.PathMax)
	n, err := f.ReadAt(buf, int64(at))
	if n == 0 && err != nil && !errors.Is(err, unix.EIO) {
		return ""
	}
	name, _, _ := strings.Cut(string(buf[:n]), "\x00")
	if !filepath.IsAbs(name) {
		cwd, _ := os.Readlink("/proc/" + strconv.Itoa(a.host) + "/cwd")
		name = filepath.Join(cwd, name)
	}
	return name
}
