//go:build !(linux || darwin)

package store

import (
	"io/fs"
	"time"
)

// identity returns nothing: this system tells size and time of a file, which anybody can set.
func identity(fs.FileInfo) (number uint64, changed time.Time, known bool) {
	return 0, time.Time{}, false
}
