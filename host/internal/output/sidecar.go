package output

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/places"
)

// sidecarFolder is the hidden folder of sidecars, files that describe those in the folder above.
const sidecarFolder = ".sluice"

// isSidecar reports whether a target lies in a folder of sidecars, where runs replace and remove files by their names.
func (t *target) isSidecar() bool { return filepath.Base(filepath.Dir(t.key)) == sidecarFolder }

func notBeside(path string) error {
	return fmt.Errorf("want a path outside of the folder %s, where runs keep what describes their outputs, have %q", sidecarFolder, path)
}

// sidecarPath returns the path of a file's sidecar, "" when its name gets too long.
func sidecarPath(path, ending string) string {
	folder, name := places.Dir(path), places.Base(path)
	if len(name)+len(ending) > maxName {
		return ""
	}
	return places.Join(folder, sidecarFolder, name+ending)
}

const timelineEnding = ".timeline.jsonl"

// timelinePath returns the path of the timeline of the run with a receipt, "" when its name gets too long.
func timelinePath(receipt string) string { return sidecarPath(receipt, timelineEnding) }

// LinesPath returns the path by which the parts of a run with a receipt tell each other of the lines of an input, "" when there is none.
func LinesPath(receipt, key string) string {
	if places.Remote(receipt) {
		return ""
	}
	return filepath.Join(filepath.Dir(receipt), sidecarFolder, key+linesEnding)
}

// RemoveLines removes what the parts of a run with a receipt have told each other of the lines of inputs. Who needs it again counts again.
func RemoveLines(receipt string) {
	if places.Remote(receipt) {
		return
	}
	folder := filepath.Join(filepath.Dir(receipt), sidecarFolder)
	entries, _ := os.ReadDir(folder) // what cannot be listed stays
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == linesEnding {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// Timeline claims the timeline of the receipt, whose path c has, as Optional does. It returns nil when there is no place for it:
// the receipt is a pipe, a device or standard output, the name gets too long, or another file has the path.
func (s *Set) Timeline(c Claim) *Report {
	if IsStream(c.Path) {
		return nil
	}
	c.Path = timelinePath(c.Path)
	if c.Path == "" || s.receipt == nil || s.receipt.target.inPlace() {
		return nil
	}
	c.Sidecar = true
	r, _ := s.Optional(c) // nil after an error
	return r
}
