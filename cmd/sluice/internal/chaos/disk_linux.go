package chaos

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A disk knows what a folder would hold if the power went: of files what was synced of them, and of names those whose folders were
// synced. It keeps what a rename or a removal takes away, by another name for it, until the folder is synced.
type disk struct {
	kept    string // folder on the same system
	synced  map[uint64]int64
	pending []change
	links   int
	err     error
}

// newDisk returns the disk of a folder all of whose files are synced.
func newDisk(dir, kept string) (*disk, error) {
	d := &disk{kept: kept, synced: map[uint64]int64{}}
	if err := errors.Join(os.RemoveAll(kept), os.Mkdir(kept, 0o700)); err != nil {
		return nil, err
	}
	return d, eachFile(dir, func(_ string, info fs.FileInfo) error {
		d.synced[info.Sys().(*syscall.Stat_t).Ino] = info.Size()
		return nil
	})
}

// eachFile calls do for all files in a folder and below, which need not be there.
func eachFile(dir string, do func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return do(path, info)
	})
}

// A change of a name that a loss of power may undo.
type change struct {
	path  string // name that was made, or removed
	from  string // of a rename, the name before
	kept  string // what had the name before, "" for nothing
	isNew bool   // the name was made, without a rename
}

// note is told of every call before it is made.
func (d *disk) note(c call) {
	switch c.kind {
	case "sync":
		info, err := os.Stat(c.path)
		if err != nil {
			return
		}
		if info.IsDir() {
			d.pending = slices.DeleteFunc(d.pending, func(p change) bool { return filepath.Dir(p.path) == c.path })
			return
		}
		d.synced[info.Sys().(*syscall.Stat_t).Ino] = info.Size()
	case "create":
		if _, err := os.Lstat(c.path); err != nil {
			d.pending = append(d.pending, change{path: c.path, isNew: true})
		}
	case "rename":
		d.pending = append(d.pending, change{path: c.to, from: c.path, kept: d.keep(c.to)})
	case "remove":
		if kept := d.keep(c.path); kept != "" {
			d.pending = append(d.pending, change{path: c.path, kept: kept})
		}
	}
}

func (d *disk) keep(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	d.links++
	kept := filepath.Join(d.kept, fmt.Sprint(d.links))
	if err := os.Link(path, kept); err != nil && d.err == nil {
		d.err = err
	}
	return kept
}

// lose makes of a folder what a loss of power leaves: some last changes of names are undone, in the order of a journal, and each file
// has what was synced of it and perhaps more.
func (d *disk) lose(r *rand.Rand, dir string) error {
	undo := 0
	if len(d.pending) > 0 {
		undo = r.IntN(len(d.pending) + 1)
	}
	for range undo {
		last := d.pending[len(d.pending)-1]
		d.pending = d.pending[:len(d.pending)-1]
		if err := last.undo(); err != nil {
			return err
		}
	}
	return eachFile(dir, func(path string, info fs.FileInfo) error {
		size := d.synced[info.Sys().(*syscall.Stat_t).Ino]
		if lost := info.Size() - size; lost > 0 {
			return os.Truncate(path, size+r.Int64N(lost+1))
		}
		return nil
	})
}

func (c change) undo() error {
	switch {
	case c.from != "":
		if err := os.Rename(c.path, c.from); err != nil && !os.IsNotExist(err) {
			return err
		}
	case c.isNew:
		if err := os.Remove(c.path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if c.kept != "" {
		return os.Link(c.kept, c.path)
	}
	return nil
}
