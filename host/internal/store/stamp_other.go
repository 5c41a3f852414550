//go:build !(linux || darwin)

package store

import (
	"io/fs"
	"time"
)

// identity returns nothing: size and time of a file have to do.
func identity(fs.FileInfo) (number uint64, changed time.Time) { return 0, time.Unix(0, 0) }
