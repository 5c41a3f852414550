package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamedFile is a memfd. Its size is sealed, so that no process can cut off pages that another one reads.
func unnamedFile(name string, size int) (*os.File, error) {
	fd, err := unix.MemfdCreate("sluice-"+name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func punch(file *os.File, off, n int64) {
	_ = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
}
