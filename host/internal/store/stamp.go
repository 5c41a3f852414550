package store

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/sluicehq/sluice/host/filestate"
	"github.com/sluicehq/sluice/host/internal/places"
)

// settled is how long ago a file was changed whose stamp counts: one that changes again within the tick of a clock may keep its times.
const settled = 2 * time.Second

// Stamp returns a text that changes when a file does: of its size, its times, its number and when the system last saw it change, or of the
// ETag of an object. It is "" for one that was changed too recently to say, and for one of which there is no more than size and time, such as
// one of the web: its bytes have to be read.
func Stamp(info fs.FileInfo, now time.Time) string {
	if etag := places.ETag(info); etag != "" {
		return fmt.Sprintf("%d %d %s\n", info.Size(), info.ModTime().UnixNano(), etag)
	}
	if info == nil || !info.Mode().IsRegular() {
		return ""
	}
	s, known := filestate.Of(info)
	if !known || now.Sub(info.ModTime()) < settled || now.Sub(s.Changed) < settled {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d\n", info.Size(), info.ModTime().UnixNano(), s.Number, s.Changed.UnixNano())
}
