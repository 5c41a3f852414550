package cli

import (
	"os"
	"syscall"
)

// discards reports whether out is /dev/null opened for reading and writing. The Go runtime opens it so in place of a standard output that
// was closed when the program was started, and a caller may hand over the same, such as Python's subprocess.DEVNULL: nothing tells the
// two apart.
func discards(out *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := out.Stat()
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, out.Fd(), syscall.F_GETFL, 0)
	return errno == 0 && flags&syscall.O_ACCMODE == syscall.O_RDWR
}
