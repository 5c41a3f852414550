package filestate

import (
	"io/fs"
	"syscall"
	"time"
)

// Of returns the state of a file that the system has described.
func Of(info fs.FileInfo) (s State, known bool) {
	x, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return State{}, false
	}
	return State{x.Dev, x.Ino, time.Unix(x.Ctim.Unix())}, true
}
