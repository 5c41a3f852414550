//go:build unix

package privatefolder

import (
	"io/fs"
	"os"
	"syscall"
)

func isPrivate(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o022 == 0
}
