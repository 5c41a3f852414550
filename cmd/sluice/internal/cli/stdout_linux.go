package cli

import (
	"io"
	"os"
	"syscall"
)

// Stdout returns standard output, or a writer that fails when the program was started with it closed: the Go runtime then
// opens /dev/null for reading and writing in its place, and everything written would be lost without a word.
func Stdout() io.Writer {
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, os.Stdout.Fd(), syscall.F_GETFL, 0)
	null, err := os.Stat(os.DevNull)
	if errno != 0 || err != nil || flags&syscall.O_ACCMODE != syscall.O_RDWR {
		return os.Stdout
	}
	if info, err := os.Stdout.Stat(); err == nil && os.SameFile(info, null) {
		return closed{}
	}
	return os.Stdout
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, syscall.EPIPE }
