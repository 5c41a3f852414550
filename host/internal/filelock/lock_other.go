//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Try does nothing: nothing can be locked here.
func Try(*os.File) (locked, busy bool) { return false, false }

// Wait does nothing either.
func Wait(*os.File) (locked bool) { return false }

// TryShared does nothing either.
func TryShared(*os.File) (locked, busy bool) { return false, false }
