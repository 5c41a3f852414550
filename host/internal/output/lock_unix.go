//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package output

import (
	"errors"
	"os"
	"syscall"
)

// flock locks an open folder for as long as it stays open, without waiting. busy reports that another process has the lock.
func flock(f *os.File) (locked, busy bool) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}
