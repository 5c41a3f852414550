//go:build unix

package launch

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// A watchdog is a process of this program in a session of its own. When this process is gone, however it ended, it kills what the
// run's programs have left behind: their process groups, and on Linux all processes that still have the run's mark in their
// environment. A nil watchdog does nothing.
type watchdog struct {
	mark    string
	process *os.Process
	pipe    *os.File // ends with this process
}

const (
	watchEnv = "SLUICE_WATCHDOG" // holds the mark of the run that the process watches
	markEnv  = "SLUICE_RUN"      // holds the mark, in every process of a run that starts programs of others
)

// init runs before the main function of any program that has this package in it, since each may be started again as a watchdog.
func init() {
	if mark := os.Getenv(watchEnv); mark != "" {
		watch(os.Stdin, mark)
		os.Exit(0)
	}
}

// startWatchdog returns nil when it cannot start one: the run is not worth less for it.
func startWatchdog() *watchdog {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil
	}
	w := &watchdog{mark: rand.Text(), pipe: write}
	cmd := &exec.Cmd{
		Path: ownFile(path), Args: []string{path, "watchdog"}, Env: []string{watchEnv + "=" + w.mark}, Stdin: read,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = cmd.Start()
	read.Close()
	if err != nil {
		write.Close()
		return nil
	}
	w.process = cmd.Process
	return w
}

// env returns what marks the processes of the run.
func (w *watchdog) env() []string {
	if w == nil {
		return nil
	}
	return []string{markEnv + "=" + w.mark}
}

func (w *watchdog) began(pid int) { w.say(pid) }

func (w *watchdog) ended(pid int) { w.say(-pid) }

func (w *watchdog) say(n int) {
	if w != nil {
		_, _ = fmt.Fprintln(w.pipe, n) // fails when someone has killed it
	}
}

// end ends the watchdog when all processes have ended, and what they have left behind.
func (w *watchdog) end() {
	if w == nil {
		return
	}
	killMarked(w.mark)
	_ = w.process.Kill()
	_, _ = w.process.Wait()
	w.pipe.Close()
}

// watch reads the processes that begin, and those that have ended as numbers below 0, until the pipe ends.
func watch(pipe io.Reader, mark string) {
	groups := map[int]bool{}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		switch pid, err := strconv.Atoi(lines.Text()); {
		case err != nil:
		case pid > 0:
			groups[pid] = true
		default:
			delete(groups, -pid)
		}
	}
	for pid := range groups {
		_ = killGroup(pid)
	}
	killMarked(mark)
}

// killGroup kills a process with everything that it started, as far as that has not left its group.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// kill kills the process with everything that it started.
func kill(p *os.Process) error {
	if err := killGroup(p.Pid); err != syscall.ESRCH {
		return err
	}
	return os.ErrProcessDone
}

// bySignal reports whether a signal that someone sent has ended a process, and not a fault of its own.
func bySignal(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	sent := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}
	return ok && status.Signaled() && slices.Contains(sent, status.Signal())
}
