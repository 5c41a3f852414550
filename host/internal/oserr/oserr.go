// Package oserr takes errors of the os package apart.
package oserr

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Missing reports whether an error means that there is nothing at a path, nor perhaps a folder.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

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
