package launch

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGroupEndsFirst holds that what a process leaves behind is killed by its number before the process is reaped, and never after: the
// number may be another's by then.
func TestGroupEndsFirst(t *testing.T) {
	said, says, err := os.Pipe() // of the watchdog: full, it holds the runner where the group has just been killed
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	left, leaves, err := os.Pipe() // ends with the child of the process
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & read line")
	cmd.SysProcAttr, cmd.ExtraFiles = attributes(), []*os.File{leaves}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := newRunner(ctx, &Fleet{watchdog: &watchdog{pipe: says}}, cmd, &logTail{released: true, show: func(string) {}})
	if err := r.Start(ctx); err != nil {
		t.Fatal(err)
	}
	leaves.Close()
	go io.Copy(io.Discard, r.Stdout())
	size, err := unix.FcntlInt(says.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	if err == nil {
		_, err = says.Write(make([]byte, size-len(fmt.Sprintln(cmd.Process.Pid))))
	}
	if err != nil {
		t.Fatal(err)
	}
	input.Close()
	if _, err := io.ReadAll(left); err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(cmd.Process.Pid, 0); err != nil {
		t.Errorf("want the number of the process kept while its group is killed, have %v", err)
	}
	if _, err := io.ReadAtLeast(said, make([]byte, size), size); err != nil {
		t.Fatal(err)
	}
	<-r.ended
	if r.Kill(ctx); !r.reaped {
		t.Error("want nothing killed once the process is reaped")
	}
}

// TestPeakOfFamily holds that the peak of a process that was killed for its memory is no less than what it was killed for, though the
// system counts what it had started apart.
func TestPeakOfFamily(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	r := &cmdRunner{cmd: cmd}
	r.beyond.Store(1 << 40)
	if have := r.peak(); have != 1<<40 {
		t.Errorf("want the %d bytes for which it was killed, have %d", int64(1)<<40, have)
	}
}
