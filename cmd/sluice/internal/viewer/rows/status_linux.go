package rows

import (
	"io/fs"
	"os"
	"syscall"
)

// statusTime returns when a file was last changed in any way, in nanoseconds, which nobody can set back as the time of its bytes can
// be; 0 where it is not known.
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
