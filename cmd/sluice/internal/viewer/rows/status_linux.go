package rows

import (
	"io/fs"
	"syscall"
)

// statusTime returns when a file was last changed in any way, which cannot be set back; 0 when it is unknown.
func statusTime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}
