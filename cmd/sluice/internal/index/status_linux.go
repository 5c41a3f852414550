package index

import (
	"io/fs"
	"syscall"
)

// statusTime is when a file was last changed in any way, in nanoseconds, which nobody can set back as the time of its bytes can
// be; 0 where it is not known.
func statusTime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}
