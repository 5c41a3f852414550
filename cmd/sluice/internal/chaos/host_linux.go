package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a run may take: a hang has no end, and a busy machine is slow. A plugin that has lost its host must be gone
// within a second, which takes longer where others have the processors.
const (
	patience   = 2 * time.Minute
	mayOutlive = 10 * time.Second
)

// Programs are the paths of what the harness starts.
type Programs struct{ Sluice, Plugin string }

// A result is how a run ended.
type result struct {
	exit   int // -1 after a signal
	said   string
	stdout []byte
	hung   bool
	made   [classes]int
}

// A launch is one run of the program in a folder.
type launch struct {
	Programs
	dir   string
	args  []string
	pipe  string // name of the pipe in the folder that a sink writes to, "" for standard output
	speed speed  // at which that is read
	watch
}

// run runs the program, and waits until it and all that it has started are gone.
func (l *launch) run() (res result, err error) {
	cmd := exec.Command(l.Plugin, append([]string{l.Sluice}, l.args...)...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(l.dir, "tmp"), "SLUICE_PLUGIN_PATH=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var said bytes.Buffer
	cmd.Stderr = &said
	from, to, err := l.openPipe()
	if err != nil {
		return res, err
	}
	defer from.Close()
	if l.pipe == "" {
		cmd.Stdout = to
	}
	cmd.WaitDelay = mayOutlive
	l.watch.program, l.watch.dir = cmd, filepath.Join(l.dir, "out")
	answer := l.answer
	l.answer = func(c call) unix.Errno {
		res.made[c.class] = c.n + 1
		if answer == nil {
			return 0
		}
		return answer(c)
	}
	end, err := l.watch.start()
	if err != nil {
		to.Close()
		return res, err
	}
	out := make(chan []byte, 1)
	go func() { out <- l.speed.read(from) }()
	timer := time.AfterFunc(patience, func() {
		res.hung = true
		_ = cmd.Process.Signal(syscall.SIGQUIT) // for the stacks of all goroutines
	})
	waitErr := cmd.Wait()
	timer.Stop()
	left := stays(l.dir, cmd.Process.Pid)
	to.Close()
	end()
	if _, ok := errors.AsType[*exec.ExitError](waitErr); waitErr != nil && !ok {
		return res, fmt.Errorf("after the end of the run: %w; %s", waitErr, said.String())
	}
	res.exit, res.said, res.stdout = cmd.ProcessState.ExitCode(), said.String(), <-out
	if res.hung {
		return res, fmt.Errorf("hang: want an end within %v, have it still running: %s", patience, res.said)
	}
	return res, left
}

// openPipe returns both ends of the pipe that the run writes to.
func (l *launch) openPipe() (from, to *os.File, err error) {
	if l.pipe == "" {
		from, to, err = os.Pipe()
	} else {
		path := filepath.Join(l.dir, l.pipe)
		if from, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0); err == nil {
			to, err = os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		}
	}
	if err == nil && l.speed != full {
		_, err = unix.FcntlInt(from.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	}
	return from, to, err
}

// A speed is how a pipe is read.
type speed int

const (
	full    speed = iota
	slow          // 1 kB/s at first, then 1 MB/s, in small pieces
	stalled       // not at all at first
)

const stall = 1500 * time.Millisecond

func (s speed) read(from *os.File) []byte {
	var all []byte
	if s == stalled {
		time.Sleep(stall)
	}
	for began := time.Now(); s == slow; {
		piece := make([]byte, 1000)
		n, err := from.Read(piece)
		if all = append(all, piece[:n]...); err != nil {
			return all
		}
		if time.Since(began) < stall {
			time.Sleep(time.Second)
		}
		time.Sleep(time.Millisecond)
	}
	rest, _ := io.ReadAll(from)
	return append(all, rest...)
}

// stays wants everything gone that a host has started, and ends what is not.
func stays(dir string, host int) error {
	pids := session(host)
	text, _ := os.ReadFile(filepath.Join(dir, "pids"))
	for _, word := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(word); err == nil && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	_ = os.Remove(filepath.Join(dir, "pids"))
	end := time.Now().Add(mayOutlive)
	var left []string
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // gone
		}
		who, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for poll[0].Revents == 0 && time.Now().Before(end) {
			_, _ = unix.Poll(poll, int(time.Until(end).Milliseconds())+1)
		}
		if poll[0].Revents == 0 && strings.Contains(string(who), "sluice") {
			left = append(left, fmt.Sprintf("%d (%q)", pid, who))
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		unix.Close(fd)
	}
	if len(left) > 0 {
		return fmt.Errorf("orphans: want no process left within %v, have %s", mayOutlive, strings.Join(left, ", "))
	}
	return nil
}

// session returns the processes of the session that a host leads, without itself.
func session(host int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == host {
			continue
		}
		if id, err := unix.Getsid(pid); err == nil && id == host {
			pids = append(pids, pid)
		}
	}
	return pids
}
