// Package oserr takes errors of the os package apart.
package oserr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Missing reports whether an error means that there is nothing at a path, nor perhaps a folder.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// AtPath returns an error about a path that somebody named, in the words that the messages have for it. It returns other errors as they are.
func AtPath(err error) error {
	e, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return err
	case Missing(err):
		return &nothing{e}
	}
	return fmt.Errorf("%s: %w", e.Path, Reason(err))
}

// nothing says that there is nothing at a path.
type nothing struct{ *fs.PathError }

// Error implements error.
func (n *nothing) Error() string { return fmt.Sprintf("want a file, have nothing at %q", n.Path) }

// Reason returns the error without the paths that the os package puts before it.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
