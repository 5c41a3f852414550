//go:build !unix

package wire

import "os"

// NewMemory returns ErrNoSharedMemory.
func NewMemory(string, int, bool) (*Memory, error) { return nil, ErrNoSharedMemory }

// PrivateMemory makes size bytes that only this process sees.
func PrivateMemory(size int) (*Memory, error) { return &Memory{Bytes: make([]byte, size)}, nil }

// ReadOnly returns ErrNoSharedMemory.
func (m *Memory) ReadOnly() (*os.File, error) { return nil, ErrNoSharedMemory }

// Seal does nothing.
func (m *Memory) Seal() {}

// Close releases the memory.
func (m *Memory) Close() error { return nil }

// Trims says that Trim returns nothing, and that private memory takes up room at once.
const Trims = false

// Trim does nothing.
func (m *Memory) Trim(int, int) {}

// MapFile maps size bytes of a file that another process handed over.
func MapFile(int, int, bool) ([]byte, error) { return nil, ErrNoSharedMemory }
