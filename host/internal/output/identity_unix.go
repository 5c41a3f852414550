//go:build unix

package output

import (
	"io/fs"
	"syscall"
)

// An identity tells files apart, whatever names lead to them.
type identity struct{ device, file uint64 }

func identify(info fs.FileInfo) identity {
	if x, ok := info.Sys().(*syscall.Stat_t); ok {
		return identity{uint64(x.Dev), uint64(x.Ino)}
	}
	return identity{}
}
