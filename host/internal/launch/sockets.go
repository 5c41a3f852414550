package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sluicehq/sluice/host/internal/filelock"
)

// socketFolders begin with this, as go-plugin names them.
const socketFolders = "plugin-dir"

// socketMark is an empty file in the folder of a socket that tells it from those of other programs with go-plugin.
const socketMark = "sluice"

// holdSockets locks the folder of a process's socket for as long as this process lives, and marks it. It returns nil where folders
// cannot be locked.
func holdSockets(folder string) (*os.File, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if locked, _ := filelock.Try(f); !locked {
		f.Close()
		return nil, nil
	}
	if err := os.WriteFile(filepath.Join(folder, socketMark), nil, 0o600); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// longUnmarked is how old an empty folder without a mark is that nobody will put a socket into: a host that was killed before it marked
// its folder has left it, or another program.
const longUnmarked = 24 * time.Hour

// sweepSockets removes the folders of sockets that hosts have left which were killed. Nothing keeps a run from what is left.
func sweepSockets() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), socketFolders+"*"))
	for _, folder := range found {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, socketMark)); errors.Is(err, fs.ErrNotExist) {
			if time.Since(info.ModTime()) > longUnmarked {
				_ = os.Remove(folder) // fails when something is in it
			}
			continue
		}
		f, err := os.Open(folder)
		if err != nil { // another user's
			continue
		}
		if locked, _ := filelock.Try(f); locked {
			os.RemoveAll(folder)
		}
		f.Close()
	}
}
