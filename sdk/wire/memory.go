package wire

import (
	"errors"
	"os"
)

// A Memory is a file without a name, mapped into this process. One process writes it, others read it.
type Memory struct {
	Bytes []byte
	File  *os.File // open for writing; nil when the memory is this process's alone
}

// ErrNoSharedMemory says that this system cannot share memory with another process; bytes then go inline.
var ErrNoSharedMemory = errors.New("this system has no shared memory that sluice knows")
