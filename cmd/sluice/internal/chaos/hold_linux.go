package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system holds calls by a filter that a program inherits from the thread that starts it. No thread of the harness may have it: the
// runtime of Go makes calls too, with the whole process at a stop, and would wait for an answer of its own. So a process of its own gets the
// filter and becomes the program.

// holdEnv says in the environment of such a process what it is to hold, in letters.
const (
	holdEnv    = "SLUICE_CHAOS_HOLD"
	holdWrites = "w"
	holdClock  = "c"
	holdTraced = "t" // and that it is stopped before its first instruction
)

// harness is the descriptor by which it hands the one by which its calls are answered.
const harness = 3

func init() {
	if os.Getenv(holdEnv) != "" {
		runtime.LockOSThread() // to the first thread, which has the name of the process
	}
}

// launch starts the program, and returns the descriptor by which its calls are answered.
func (w *watch) launch() (listener int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "harness")
	defer theirs.Close()
	how := "n" // names
	if w.writes {
		how += holdWrites
	}
	if w.shift != nil {
		how += holdClock
	}
	if w.traced() {
		how += holdTraced
	}
	w.program.Env = append(w.program.Env, holdEnv+"="+how)
	w.program.ExtraFiles = []*os.File{theirs}
	if err := w.program.Start(); err != nil {
		return 0, err
	}
	theirs.Close()
	return receive(pair[0], w.program)
}

// receive returns a descriptor that a process hands over, which ended if none comes.
func receive(from int, sender *exec.Cmd) (int, error) {
	rights := make([]byte, unix.CmsgSpace(4))
	for {
		_, n, _, _, err := unix.Recvmsg(from, make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n > 0 {
			messages, err := unix.ParseSocketControlMessage(rights[:n])
			if err != nil {
				return 0, err
			}
			fds, err := unix.ParseUnixRights(&messages[0])
			if err != nil {
				return 0, err
			}
			return fds[0], nil
		}
		_ = sender.Wait()
		return 0, fmt.Errorf("want calls held, have a process that ended: %v %v", sender.Stderr, err)
	}
}

// become makes this process the program of its arguments, with its calls held. It returns only an error.
func become(how string) error {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, holdEnv+"=") })
	unix.CloseOnExec(harness)
	listener, err := hold(strings.Contains(how, holdWrites), strings.Contains(how, holdClock))
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(harness, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		unix.Close(listener) // so that the error can be written
		return err
	}
	if strings.Contains(how, holdTraced) {
		if _, _, errno := unix.RawSyscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0); errno != 0 {
			return errno
		}
	}
	return unix.Exec(os.Args[1], os.Args[1:], env)
}

// hold installs the filter on this thread and returns the descriptor by which its calls are answered.
func hold(writesToo, clock bool) (int, error) {
	var filter []unix.SockFilter
	load := func(offset uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
	}
	when := func(value uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	load(0) // the number of the call
	for nr, c := range heldCalls {
		if c.class == names || c.class == writes && writesToo {
			when(nr)
		}
	}
	if clock {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLOCK_GETTIME, Jf: 3})
		load(16) // the first argument
		when(unix.CLOCK_REALTIME)
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return 0, fmt.Errorf("the system does not let calls be held: %w", errno)
	}
	return int(fd), nil
}
