// Package mediafile writes the images, audio and video that rows refer to by hash into files beside the rows.
package mediafile

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
)

// Counts are of the files that the rows of a side output hold.
type Counts struct {
	Written int `json:"written"`
	Present int `json:"present"` // already there, with the same bytes, or in an earlier row
}

// Unpack reads rows {"sha256", "path", "base64"}, as step chatml writes them for its output media, and writes each to its path,
// which is relative to the folder of the rows. Data that differs from its hash, a path that leaves the folder and a file with other
// bytes are errors with the line.
func Unpack(path string) (Counts, error) {
	var n Counts
	rows, err := rowfile.Open(path, nil)
	if err != nil {
		return n, err
	}
	defer rows.Close()
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return n, err
	}
	defer folder.Close()
	line := 0
	for row, err := range rows.Lines() {
		if line++; err != nil {
			return n, err
		}
		written, err := unpack(folder, row)
		switch {
		case err != nil:
			return n, fmt.Errorf("%s:%d: %w", path, line, err)
		case written:
			n.Written++
		default:
			n.Present++
		}
	}
	return n, nil
}

// unpack writes one file, and reports whether it was missing.
func unpack(folder *os.Root, row []byte) (bool, error) {
	if !gjson.ValidBytes(row) {
		return false, errors.New("want a row of JSON")
	}
	m := gjson.GetManyBytes(row, "sha256", "path", "base64")
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m[2].String(), "="))
	if err != nil || m[2].Type != gjson.String {
		return false, errors.New("base64: want the data of a file in base64")
	}
	sum := sha256.Sum256(data)
	if have := hex.EncodeToString(sum[:]); have != m[0].String() {
		return false, fmt.Errorf("sha256: want the hash of the data, %s, have %q", have, shortened(m[0].String()))
	}
	name := filepath.FromSlash(m[1].String())
	if !filepath.IsLocal(name) || !strings.HasPrefix(filepath.Base(name), m[0].String()) {
		return false, fmt.Errorf("path: want a path below the folder of the rows whose name begins with the hash, have %q", shortened(m[1].String()))
	}
	switch there, err := folder.ReadFile(name); {
	case err == nil && bytes.Equal(there, data):
		return false, nil
	case err == nil:
		return false, fmt.Errorf("%s exists with other bytes", m[1].String())
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err := folder.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return false, err
	}
	// An unfinished file never has the name that rows refer to.
	unfinished := name + ".part"
	if err := folder.WriteFile(unfinished, data, 0o600); err != nil {
		return false, errors.Join(err, folder.Remove(unfinished))
	}
	return true, folder.Rename(unfinished, name)
}

// shortened returns as much of a text as a message shows.
func shortened(text string) string { return text[:min(len(text), 100)] }
