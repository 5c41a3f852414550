// Package wholefile writes files that others find whole or not at all: under a temporary name first, which is then changed to their
// own. What a run writes has names and rules besides that outlast a kill, in internal/output.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Options say how a file is written.
type Options struct {
	Mode    fs.FileMode // 0: only its owner can read and write it
	Durable bool        // it stays there after a power failure, and is never found empty
	Temp    string      // the temporary path, with a * as os.CreateTemp has it; "": a hidden name in the folder of the file
}

// A File is open under its temporary name.
type File struct {
	*os.File
	path    string
	durable bool
	done    bool
}

// Write replaces a file with one of this content.
func Write(path string, content []byte, o Options) error {
	f, err := Create(path, o)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

// Create opens a file that gets its path with Commit. The caller calls Discard at the end in any case.
func Create(path string, o Options) (*File, error) {
	temp := o.Temp
	if temp == "" {
		temp = filepath.Join(filepath.Dir(path), hidden(filepath.Base(path)))
	}
	f, err := os.CreateTemp(filepath.Dir(temp), filepath.Base(temp))
	if err != nil {
		return nil, err
	}
	whole := &File{File: f, path: path, durable: o.Durable}
	if o.Mode != 0 {
		if err := f.Chmod(o.Mode); err != nil {
			whole.Discard()
			return nil, err
		}
	}
	return whole, nil
}

// mostName is as much of a name as fits into a temporary one, in bytes.
const mostName = 200

func hidden(name string) string {
	if len(name) > mostName {
		name = strings.ToValidUTF8(name[:mostName], "")
	}
	return "." + strings.ReplaceAll(name, "*", "_") + ".*"
}

// Close ends the writing; the file keeps its temporary name until Commit.
func (f *File) Close() error {
	var err error
	if f.durable {
		err = f.Sync()
	}
	return errors.Join(err, f.File.Close())
}

// Commit closes the file unless it is closed, and gives it its path, in place of what is there.
func (f *File) Commit() error {
	if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	if f.durable {
		return SyncFolder(filepath.Dir(f.path), (*os.File).Sync)
	}
	return nil
}

// Discard removes the file unless it has got its path.
func (f *File) Discard() {
	if !f.done {
		f.File.Close()
		_ = os.Remove(f.Name())
	}
}

// SyncFolder makes the names in a folder durable with sync. Not every system can, nor may every user read a folder that takes files: these
// names are as good as the system makes them.
func SyncFolder(name string, sync func(*os.File) error) error {
	dir, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	err = sync(dir)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows" {
		return nil
	}
	return err
}
