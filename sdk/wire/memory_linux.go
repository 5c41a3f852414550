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
	if err := addSeals(file, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// sealWrites forbids new mappings for writing, however the file was opened. Kernels before 5.1 do not know this seal.
func sealWrites(file *os.File) {
	if addSeals(file, unix.F_SEAL_FUTURE_WRITE|unix.F_SEAL_SEAL) != nil {
		_ = addSeals(file, unix.F_SEAL_SEAL)
	}
}

func addSeals(file *os.File, seals int) error {
	_, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals)
	return err
}

func punch(file *os.File, off, n int64) {
	_ = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
}

// hugePages asks for pages of 2 MiB, each of which takes one fault where small ones take 512. The system gives them where its
// settings let it: /sys/kernel/mm/transparent_hugepage/enabled for private memory, and shmem_enabled there for shared memory.
func hugePages(mem []byte) { _ = unix.Madvise(mem, unix.MADV_HUGEPAGE) }
