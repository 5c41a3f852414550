package cli

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// rowsTo returns where rows go that a pipeline writes to out. When that is standard output and it was closed when the program was started,
// they would be lost without a word: the Go runtime opens /dev/null for reading and writing in its place. A caller may hand over the same,
// such as Python's subprocess.DEVNULL, which cannot be told apart. Then only what is made to be kept is refused, and no message.
func rowsTo(out io.Writer) io.Writer {
	file, ok := out.(*os.File)
	if !ok {
		return out
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return out
	}
	info, err := file.Stat()
	if err != nil || !os.SameFile(info, null) {
		return out
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_GETFL, 0)
	if errno != 0 || flags&syscall.O_ACCMODE != syscall.O_RDWR {
		return out
	}
	return closed{}
}

type closed struct{}

var errClosed = errors.New("want standard output open, have it closed, or /dev/null opened for reading and writing; to discard the rows, open it for writing only, as > /dev/null does")

func (closed) Write([]byte) (int, error) { return 0, errClosed }
