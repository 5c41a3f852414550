package store

import (
	"fmt"
	"io/fs"
	"time"
)

// settled is how long ago a file was changed whose stamp counts: one that changes again within the tick of a clock may keep its times.
const settled = 2 * time.Second

// Stamp returns a text that changes when a file does: of its size, its times and, where the system tells them, its number and when the system
// last saw it change. It is "" for one that was changed too recently to say.
func Stamp(info fs.FileInfo, now time.Time) string {
	if info == nil || !info.Mode().IsRegular() {
		return ""
	}
	number, changed := identity(info)
	if now.Sub(info.ModTime()) < settled || now.Sub(changed) < settled {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d\n", info.Size(), info.ModTime().UnixNano(), number, changed.UnixNano())
}
