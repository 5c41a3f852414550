//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Try does nothing: nothing can be locked here.
func Try(*os.File) (locked, busy bool) { return false, false }

// TryShared does nothing: nothing can be locked here.
func TryShared(*os.File) (locked, busy bool) { return false, false }
