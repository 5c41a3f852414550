package receipt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// Open reads the receipt of a run, named by its path or by a folder as in Find, and returns its path.
func Open(path string) (r *Receipt, at string, err error) {
	info, err := places.Stat(path)
	if err == nil && info.IsDir() {
		path, err = Find(path)
	}
	if errors.Is(err, fs.ErrNotExist) { // a folder of a bucket is there when something is in it
		for _, at := range []string{path, places.Join(path, Name)} {
			if u := unfinished(at); u != nil {
				return nil, "", u
			}
		}
	}
	if err != nil {
		return nil, "", oserr.AtPath(err)
	}
	if r, err = Read(path); err == nil && r.Run == "" {
		err = fmt.Errorf("%s: want the receipt of a run, have a JSON file without one", path)
	}
	return r, path, err
}

// Name is the name of a receipt that has no other.
const Name = "receipt.json"

// Find returns the path of the receipt of a run in its folder, or in the only folder below that has one. The error is an *Unfinished when
// the run there has not finished.
func Find(dir string) (string, error) {
	path := places.Join(dir, Name)
	if _, err := places.Stat(path); err == nil {
		return path, nil
	}
	if u := unfinished(path); u != nil {
		return "", u
	}
	found, err := filepath.Glob(places.Join(dir, "*", Name))
	if err == nil && len(found) == 1 {
		return found[0], nil
	}
	if u := unfinishedIn(dir); u != nil && len(found) == 0 {
		return "", u
	}
	if _, err := places.Stat(dir); err != nil && !places.Remote(dir) { // of a bucket there are only objects
		return "", oserr.AtPath(err)
	}
	if len(found) > 0 {
		return "", fmt.Errorf("%s: want the receipt of one run, have %d in the folders below", dir, len(found))
	}
	return "", fmt.Errorf("%s: want the receipt of a run, have a folder without %s", dir, Name)
}

// Locate returns where a file of the run lies now that its receipt lies in dir: at its Place, under as much of its path as exists in dir, or
// where the run wrote it. Whether it is still what the run wrote, its hash says.
func (r *Receipt) Locate(dir, path string) (string, error) {
	if at, _ := r.Place(dir, path); exists(at) {
		return at, nil
	}
	if near := near(dir, path); near != "" {
		return near, nil
	}
	if !exists(path) {
		return "", fmt.Errorf("%s: want the output %s, have no such file", dir, path)
	}
	return path, nil
}

// Place returns the one place where a file of the run belongs now that its receipt lies in dir. A file that was written into the folder of
// the receipt, or below it, moves with that folder, and inside is true. Another file has its old place relative to the receipt, or its own
// path if there is nothing at that place.
func (r *Receipt) Place(dir, path string) (at string, inside bool) {
	folder, known := r.folder()
	if known && places.Remote(path) != places.Remote(folder) {
		return path, false
	}
	if !known {
		if near := near(dir, path); near != "" {
			return near, true
		}
		return path, false
	}
	below, err := filepath.Rel(folder, path)
	if err != nil { // one of the two is absolute
		return path, false
	}
	at, inside = places.Join(dir, below), filepath.IsLocal(below)
	if !inside && !exists(at) {
		return path, false
	}
	return at, inside
}

// folder returns the folder that the run wrote the receipt into, which the path of its timeline names.
func (r *Receipt) folder() (dir string, known bool) {
	if r.Timeline == nil {
		return "", false
	}
	hidden := places.Dir(r.Timeline.Path)
	return places.Dir(hidden), filepath.Base(hidden) == ".sluice"
}

// near returns the file in dir, or below it, that has as much of a path as exists there, "" when there is none.
func near(dir, path string) string {
	steps := strings.Split(filepath.ToSlash(path), "/")
	for i := range steps {
		below := filepath.Join(steps[i:]...)
		if at := places.Join(dir, below); filepath.IsLocal(below) && exists(at) {
			return at
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := places.Stat(path)
	return err == nil
}
