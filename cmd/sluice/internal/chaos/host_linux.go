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

// launch runs the program in a folder, and waits until it and all that it has started are gone.
func launch(p Programs, dir string, args []string, watch watcher, withWrites bool) (res result, err error) {
	cmd := exec.Command(p.Sluice, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "SLUICE_PLUGIN_PATH=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var said bytes.Buffer
	cmd.Stderr = &said
	from, to, err := os.Pipe()
	if err != nil {
		return res, err
	}
	defer from.Close()
	cmd.Stdout = to
	cmd.WaitDelay = mayOutlive
	end, err := startWatched(cmd, filepath.Join(dir, "out"), withWrites, func(c call) unix.Errno {
		res.made[c.class] = c.n + 1
		if watch == nil {
			return 0
		}
		return watch(c)
	})
	to.Close()
	if err != nil {
		return res, err
	}
	out := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(from)
		out <- text
	}()
	timer := time.AfterFunc(patience, func() {
		res.hung = true
		_ = cmd.Process.Signal(syscall.SIGQUIT) // for the stacks of all goroutines
	})
	waitErr := cmd.Wait()
	timer.Stop()
	left := stays(dir, cmd.Process.Pid)
	end()
	if _, ok := errors.AsType[*exec.ExitError](waitErr); waitErr != nil && !ok {
		return res, fmt.Errorf("after the end of the run: %w; %s", waitErr, said.String())
	}
	res.exit, res.said, res.stdout = cmd.ProcessState.ExitCode(), said.String(), <-out
	if res.hung {
		return res, fmt.Errorf("hang: want an end within %v, have none: %s", patience, res.said)
	}
	return res, left
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
