package store

import (
	"io/fs"
	"syscall"
	"time"
)

// identity returns the number of a file, and when its bytes, name or rights were changed, which nobody can set.
func identity(info fs.FileInfo) (number uint64, changed time.Time, known bool) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino, time.Unix(s.Ctim.Unix()), true
	}
	return 0, time.Time{}, false
}
