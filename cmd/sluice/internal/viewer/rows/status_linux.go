package rows

import (
	"io/fs"
	"os"
	"syscall"
)

// statusTime returns when a file was last changed in any way, which cannot be set back; 0 when it is unknown.
func statusTime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}

func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Getuid()
}
