//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import "os"

// flock does nothing: folders cannot be locked here.
func flock(*os.File) (locked, busy bool) { return false, false }
