package launch

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
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

// resident is how much memory the process has in use beyond the arenas that it maps, if that is more than limit. What is
// cheap to read counts the arenas too, so only what seems too much is looked at closely.
func resident(pid int, limit int64) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	all := kilobytes(status, "RssAnon:") + kilobytes(status, "RssShmem:")
	if all <= limit {
		return all
	}
	return all - mappedArenas(pid)
}

func kilobytes(status []byte, name string) int64 {
	_, after, _ := bytes.Cut(status, []byte("\n"+name))
	line, _, _ := bytes.Cut(after, []byte(" kB"))
	kb, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return kb << 10
}

// mappedArenas is how much of the arenas a process has in use.
func mappedArenas(pid int) (total int64) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	ours := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "Rss:"); ok {
			if ours {
				kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
				total += kb << 10
			}
			continue
		}
		if first, _, _ := strings.Cut(line, " "); strings.Contains(first, "-") { // the address of a mapping
			ours = strings.Contains(line, "/memfd:sluice-")
		}
	}
	return total
}
