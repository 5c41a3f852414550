//go:build unix

package wire

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// NewMemory makes size bytes that other processes can map. With write, this process writes them and no other ever
// can. Without it this process maps them for reading only, and another may map them for writing until they are
// sealed. Pages take up room when they are first written.
func NewMemory(name string, size int, write bool) (*Memory, error) {
	file, err := unnamedFile(name, size)
	if errors.Is(err, unix.EFBIG) {
		return nil, fmt.Errorf("shared memory %s: %w: the limit of the size of files (ulimit -f) holds for it too", name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("shared memory %s: %w", name, err)
	}
	mem, err := MapFile(int(file.Fd()), size, write)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("shared memory %s: %w", name, err)
	}
	m := &Memory{Bytes: mem, File: file}
	if write {
		m.Seal()
	}
	return m, nil
}

// Seal forbids further mappings for writing, once the writer has its own. Pages of a sealed memory stay in use until it is
// closed.
func (m *Memory) Seal() {
	if m.File != nil {
		sealWrites(m.File)
	}
}

// PrivateMemory makes size bytes that only this process sees. Pages take up room when they are first written.
func PrivateMemory(size int) (*Memory, error) {
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	hugePages(mem)
	return &Memory{Bytes: mem}, nil
}

// ReadOnly opens the memory's file again, for another process that must not write it.
func (m *Memory) ReadOnly() (*os.File, error) {
	if runtime.GOOS != "linux" {
		return m.File, nil // the descriptor itself: the other process is trusted to map it for reading
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", m.File.Fd()), os.O_RDONLY, 0)
}

// Close unmaps the memory. Views of it are then invalid.
func (m *Memory) Close() error {
	err := unix.Munmap(m.Bytes)
	if m.File != nil {
		m.File.Close()
	}
	return err
}

// Trims says that Trim returns pages, and that private memory takes up room only where it is written.
const Trims = true

// Trim returns pages to the system; they read as zeros afterwards.
func (m *Memory) Trim(off, n int) {
	page := os.Getpagesize()
	from, to := (off+page-1)/page*page, (off+n)/page*page
	if from >= to {
		return
	}
	if m.File == nil {
		_ = unix.Madvise(m.Bytes[from:to], unix.MADV_DONTNEED)
		return
	}
	punch(m.File, int64(from), int64(to-from))
}

// MapFile maps size bytes of a file that another process handed over.
func MapFile(fd, size int, write bool) ([]byte, error) {
	prot := unix.PROT_READ
	if write {
		prot |= unix.PROT_WRITE
	}
	mem, err := unix.Mmap(fd, 0, size, prot, unix.MAP_SHARED)
	if err == nil {
		hugePages(mem)
	}
	return mem, err
}
