package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A staged file is written under a hidden name beside its own, which it gets once it is whole. It is put where a link
// at its name points to, with the mode of the file it replaces. Pipes and devices are written as they stand.
type staged struct {
	*os.File
	path   string // as it was given, for messages
	target string
	temp   string // empty when there is none to remove or rename
	closed bool
}

func stage(path string) (*staged, error) {
	fail := func(err error) (*staged, error) { return nil, fmt.Errorf("%s: %w", path, reason(err)) }
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return nil, fmt.Errorf("want a file to write, have %q", path)
	}
	target := path
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("want a file to write, have the folder %q", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fail(err)
		}
		return &staged{File: f, path: path}, nil
	case err == nil:
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return fail(err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	default:
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fail(err)
		}
	}

	dir, base := filepath.Split(target)
	for {
		temp := fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32())
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fail(err)
		}
		s := &staged{File: f, path: path, target: target, temp: temp}
		if info != nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return fail(errors.Join(reason(err), s.abort()))
			}
		}
		return s, nil
	}
}

// finish makes the file durable under its hidden name.
func (s *staged) finish() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.temp != "" {
		err = s.Sync()
	}
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, reason(err))
	}
	return nil
}

// commit gives the finished file its name.
func (s *staged) commit() error {
	if s.temp == "" {
		return nil
	}
	if err := os.Rename(s.temp, s.target); err != nil {
		return fmt.Errorf("%s: %w", s.path, reason(err))
	}
	s.temp = ""
	if dir, err := os.Open(filepath.Dir(s.target)); err == nil {
		dir.Sync() // not every system can, and the name is given all the same
		dir.Close()
	}
	return nil
}

// abort removes what was written, unless it has its name already.
func (s *staged) abort() error {
	if !s.closed {
		s.closed = true
		s.Close()
	}
	if s.temp == "" {
		return nil
	}
	err := os.Remove(s.temp)
	s.temp = ""
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// WriteFile writes a file whole or not at all, making folders as needed.
func WriteFile(path string, data []byte) error {
	s, err := stage(path)
	if err != nil {
		return err
	}
	if _, err = s.Write(data); err != nil {
		err = fmt.Errorf("%s: %w", path, reason(err))
	} else if err = s.finish(); err == nil {
		err = s.commit()
	}
	return errors.Join(err, s.abort())
}
