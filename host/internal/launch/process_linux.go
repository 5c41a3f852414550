package launch

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// attributes put a plugin into a process group of its own, so that Ctrl-C reaches the host alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill ends the process with everything that it started.
func kill(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != syscall.ESRCH {
		return err
	}
	return os.ErrProcessDone
}

// resident is how much memory of its own the process has in use, without what it maps from others.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("\nRssAnon:"))
	line, _, _ := bytes.Cut(after, []byte(" kB"))
	kb, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return kb << 10
}
