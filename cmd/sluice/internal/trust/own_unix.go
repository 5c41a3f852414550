//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a folder belongs to the user.
func isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
