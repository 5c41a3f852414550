//go:build unix

package output

import (
	"io/fs"
	"syscall"
)

// An identity tells files apart, whatever names lead to them.
type identity struct{ device, file any } // numbers, of a type that the system chooses

func identify(info fs.FileInfo) identity {
	if x, ok := info.Sys().(*syscall.Stat_t); ok {
		return identity{x.Dev, x.Ino}
	}
	return identity{}
}
