//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock locks files and folders between processes. The system unlocks them when a process ends, however it does.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks an open file or folder for as long as it stays open, without waiting. busy reports that another process has the lock.
func Try(f *os.File) (locked, busy bool) { return try(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// Wait does what Try does, once no other process has the lock.
func Wait(f *os.File) (locked bool) {
	locked, _ = try(f, syscall.LOCK_EX)
	return locked
}

// TryShared does what Try does, but others may have the lock too who have it shared.
func TryShared(f *os.File) (locked, busy bool) { return try(f, syscall.LOCK_SH|syscall.LOCK_NB) }

func try(f *os.File, how int) (locked, busy bool) {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}
