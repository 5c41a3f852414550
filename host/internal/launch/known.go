package launch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/filestate"
	"github.com/sluicehq/sluice/host/wholefile"
)

// The SHA-256 of this program lies in the cache folder, since the file is large and every run names it in its receipt. It is
// found by what no two files, and no two states of one, have in common; where that is unknown, as on some systems, the file is read.
const (
	knownName = "programs" // of the file: lines of an identity and a hash, the latest last
	knownMost = 64         // lines: more than the programs of one pipeline
)

// identityOf returns what a file shares with no other, nor with itself in another state, "" when that is unknown.
func identityOf(info fs.FileInfo) string {
	s, known := filestate.Of(info)
	if !known {
		return ""
	}
	return fmt.Sprintf("%d-%d-%d-%d-%d", s.Device, s.Number, info.Size(), info.ModTime().UnixNano(), s.Changed.UnixNano())
}

// knownSum returns the hash of a file with this identity, "" when it is not known.
func knownSum(folder, identity string) string {
	text, err := os.ReadFile(filepath.Join(folder, knownName))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if sum, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), identity+" "); ok && len(sum) == 2*sha256.Size {
			return sum
		}
	}
	return ""
}

// keepSum notes the hash of a file with this identity. It is noted by a later run when that fails.
func keepSum(folder, identity, sum string) {
	path := filepath.Join(folder, knownName)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines = append(lines[:len(lines)-1], identity+" "+sum+"\n") // the last is empty, or cut off
	latest := strings.Join(lines[max(0, len(lines)-knownMost):], "")
	_ = wholefile.Write(path, []byte(latest), wholefile.Options{})
}
