// Package privatefolder reports whether only the user may write to a folder, so that what lies there may be believed.
package privatefolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Is reports whether there is a folder at a path, and no link, that belongs to the user and that nobody else may write to.
func Is(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && isPrivate(info)
}

// Cache returns the folder for what sluice can make anew, which it makes if need be, "" when there is none that is private. A home that
// does not exist is not made.
func Cache() string {
	user, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder := filepath.Join(user, "sluice")
	for _, dir := range []string{user, folder} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return ""
		}
	}
	if !Is(folder) {
		return ""
	}
	return folder
}
