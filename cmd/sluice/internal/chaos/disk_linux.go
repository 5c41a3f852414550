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

	"golang.org/x/sys/unix"
)

// A disk knows what a folder would hold if the power went: of files what was synced of them, and of names those whose folders were
// synced. It keeps what a rename or a removal takes away, by another name for it, until the folder is synced.
type disk struct {
	dir     string
	kept    string // folder on the same system
	synced  map[uint64]int64
	pending []change
	links   int
	err     error
}

// newDisk returns the disk of a folder all of whose files are synced.
func newDisk(dir, kept string) (*disk, error) {
	d := &disk{dir: dir, kept: kept}
	return d, d.settle()
}

// settle takes everything to be synced.
func (d *disk) settle() error {
	d.synced, d.pending = map[uint64]int64{}, nil
	if err := errors.Join(os.RemoveAll(d.kept), os.Mkdir(d.kept, 0o700)); err != nil {
		return err
	}
	return eachFile(d.dir, func(_ string, info fs.FileInfo) error {
		d.synced[inode(info)] = info.Size()
		return nil
	})
}

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// heard returns a watcher that has the disk hear of the calls that are made.
func (d *disk) heard(meet func(call) (unix.Errno, bool)) watcher {
	return func(c call) unix.Errno {
		failed, made := unix.Errno(0), true
		if meet != nil {
			failed, made = meet(c)
		}
		if made {
			d.note(c)
		}
		return failed
	}
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
	isNew bool   // the name was made, without a rename; of a file or of a folder
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
		d.synced[inode(info)] = info.Size()
	case "truncate":
		if info, err := os.Stat(c.path); err == nil {
			d.synced[inode(info)] = min(d.synced[inode(info)], c.size)
		}
	case "create", "mkdir":
		if _, err := os.Lstat(c.path); err != nil && c.path != d.dir {
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

// lose makes of the folder what a loss of power leaves: in each folder some last changes of names are undone, and each file has what was
// synced of it, and behind that more of it, or zeros.
func (d *disk) lose(r *rand.Rand) error {
	keep := map[string]int{} // how many changes of each folder
	for _, c := range d.pending {
		keep[filepath.Dir(c.path)]++
	}
	for _, folder := range sortedKeys(keep) {
		keep[folder] = r.IntN(keep[folder] + 1)
	}
	var undone []change
	for _, c := range d.pending {
		folder := filepath.Dir(c.path)
		if keep[folder]--; keep[folder] < 0 {
			undone = append(undone, c)
		}
	}
	for _, c := range slices.Backward(undone) {
		if err := c.undo(); err != nil {
			return err
		}
	}
	err := eachFile(d.dir, func(path string, info fs.FileInfo) error {
		size := d.synced[inode(info)]
		if info.Size() <= size {
			return nil
		}
		more := r.Int64N(info.Size() - size + 1)
		if r.IntN(3) > 0 {
			return os.Truncate(path, size+more)
		}
		return errors.Join(os.Truncate(path, size), os.Truncate(path, size+more))
	})
	return errors.Join(err, d.settle())
}

func (c change) undo() error {
	switch {
	case c.from != "":
		if err := os.Rename(c.path, c.from); err != nil && !os.IsNotExist(err) {
			return err
		}
	case c.isNew:
		if err := os.RemoveAll(c.path); err != nil {
			return err
		}
	}
	if c.kept == "" {
		return nil
	}
	err := os.Link(c.kept, c.path)
	if os.IsNotExist(err) || os.IsExist(err) && isSame(c.kept, c.path) { // the folder is lost too, or the call was never made
		return nil
	}
	return err
}

func isSame(a, b string) bool {
	of, err := os.Stat(a)
	other, bad := os.Stat(b)
	return err == nil && bad == nil && os.SameFile(of, other)
}
