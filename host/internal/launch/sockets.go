package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluicehq/sluice/host/internal/filelock"
)

// socketFolders begin with this, as go-plugin names them.
const socketFolders = "plugin-dir"

// socketMark is an empty file in the folder of a socket that tells it from those of other programs with go-plugin.
const socketMark = "sluice"

// systemTemp is where sockets lie when the folder for temporary files is too deep for them.
const systemTemp = "/tmp"

// socketsIn returns in which of two folders the folders of sockets are made. The address of a socket, its path, has room for 104 bytes, and
// jobs of clusters and of tests may have longer ones for temporary files.
func socketsIn(temp, system string) (string, error) {
	const most = 104 - len("/plugin-dir0000000000/plugin0000000000")
	temp, err := filepath.Abs(temp)
	if err != nil || runtime.GOOS == "windows" || len(temp) <= most {
		return temp, err
	}
	made, err := os.MkdirTemp(system, socketFolders)
	if err != nil {
		return "", fmt.Errorf("want a TMPDIR of at most %d bytes, since the sockets of plugins are there or in %s, have %d: %s (%w)", most, system, len(temp), temp, err)
	}
	return system, os.Remove(made)
}

// SocketFolder makes a folder for the socket of a process that no Fleet starts. The caller removes it.
func SocketFolder() (string, error) {
	in, err := socketsIn(os.TempDir(), systemTemp)
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(in, socketFolders)
}

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
	in, err := socketsIn(os.TempDir(), systemTemp)
	if err != nil {
		return
	}
	found, _ := filepath.Glob(filepath.Join(in, socketFolders+"*"))
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
