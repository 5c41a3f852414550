package store

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/wholefile"
)

// A folder is a place on this machine. Beside an entry lies the stamp that its file was found with.
type folder struct{ dir string }

const (
	stampEnding  = ".stamp"
	folderLength = 2 // of the names of the folders that entries lie in: the first characters of their keys
)

func openFolder(dir string) (*folder, error) {
	d := &folder{filepath.Join(dir, version)}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, oserr.Reason(err))
	}
	return d, nil
}

func (d *folder) path(e id) string { return filepath.Join(d.dir, e.key[:folderLength], e.String()) }

func (d *folder) list() (all []listed, unlisted, err error) {
	folders, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, nil, oserr.Reason(err)
	}
	for _, folder := range folders {
		if len(folder.Name()) != folderLength {
			continue
		}
		files, err := os.ReadDir(filepath.Join(d.dir, folder.Name()))
		unlisted = cmp.Or(unlisted, unlessMissing("list entries", err))
		for _, f := range files {
			key, hash, ok := strings.Cut(f.Name(), "-")
			if !ok || strings.Contains(hash, ".") {
				continue
			}
			info, err := f.Info()
			if err == nil {
				all = append(all, listed{id: id{key, hash}, size: info.Size(), used: info.ModTime()})
			}
			unlisted = cmp.Or(unlisted, unlessMissing("list entries", err))
		}
	}
	return all, unlisted, nil
}

// unlessMissing returns why something could not be done, nil when another run has removed what it was to be done with.
func unlessMissing(what string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%s: %w", what, oserr.Reason(err))
}

func (d *folder) readSalt() (salt string, unstored, err error) {
	path := filepath.Join(d.dir, saltName)
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 2*nameLength {
		return string(text), nil, nil
	}
	if err := d.replace(path, []byte(hex.EncodeToString(random()))); err != nil {
		return "", nil, oserr.Reason(err)
	}
	text, err = os.ReadFile(path) // that of another run, if that was later
	return string(text), nil, err
}

// replace writes a small file. Until it has its name it has one that is swept.
func (d *folder) replace(path string, text []byte) error {
	return wholefile.Write(path, text, wholefile.Options{Temp: filepath.Join(d.dir, tempPrefix+"*")})
}

func (d *folder) ahead(id) {}

func (d *folder) open(e id) (*Entry, error) {
	path := d.path(e)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // another run has removed it
		return nil, nil
	case err != nil:
		return nil, &Damaged{oserr.Reason(err).Error()}
	case !info.Mode().IsRegular(): // opening a pipe can block for good
		return nil, &Damaged{"want a file, have " + info.Mode().Type().String()}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Damaged{oserr.Reason(err).Error()}
	}
	return openFile(f, f.Close)
}

func (d *folder) stamped(e id, stamp string) bool {
	text, err := os.ReadFile(d.path(e) + stampEnding)
	return err == nil && string(text) == stamp
}

func (d *folder) use(e id, stamp string) {
	now := time.Now()
	_ = os.Chtimes(d.path(e), now, now)
	if stamp != "" && !d.stamped(e, stamp) {
		_ = d.replace(d.path(e)+stampEnding, []byte(stamp))
	}
}

// put renames the file, which lies in the folder.
func (d *folder) put(e id, f *os.File, size int64) (more int64, err error) {
	path := d.path(e)
	err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), f.Close())
	if info, err := os.Stat(path); err == nil {
		more = -info.Size()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return more + size, oserr.Reason(err)
}

func (d *folder) remove(e id) (size int64, err error) {
	path := d.path(e)
	info, err := os.Lstat(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		size = info.Size()
	}
	err = unlessMissing("remove an entry", err)
	return size, cmp.Or(err, unlessMissing("remove the stamp of an entry", os.Remove(path+stampEnding)))
}
