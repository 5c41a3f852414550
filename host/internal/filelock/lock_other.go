//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Try does nothing: folders cannot be locked here.
func Try(*os.File) (locked, busy bool) { return false, false }

// TryShared does nothing either.
func TryShared(*os.File) (locked, busy bool) { return false, false }
