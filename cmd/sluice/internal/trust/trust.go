// Package trust remembers which pipelines and programs a person trusts, in the folder of their settings. An entry is for one folder,
// and for one hash there or for whatever lies in it. Nothing that comes with a pipeline can add one.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/privatefolder"
	"github.com/sluicehq/sluice/host/wholefile"
)

// A Store is a folder with a file for each entry, so that runs side by side need no lock.
type Store struct{ dir string }

// An Entry is what a person trusts in a folder.
type Entry struct {
	Folder string `json:"folder"`           // absolute, without links
	SHA256 string `json:"sha256,omitempty"` // "" for all in the folder
	What   string `json:"what"`             // for people
}

// Open returns the store of the user. Where there is none, as without a home, nothing is trusted.
func Open() Store {
	dir, err := os.UserConfigDir()
	if err != nil {
		return Store{}
	}
	return Store{filepath.Join(dir, "sluice", "trust")}
}

// Knows reports whether a hash is trusted in a folder, as host.Options.Trusted wants it.
func (s Store) Knows(folder, sum string) bool {
	if !privatefolder.Is(s.dir) { // others could add entries
		return false
	}
	folder = real(folder)
	return slices.ContainsFunc([]Entry{{Folder: folder}, {Folder: folder, SHA256: sum}}, s.has)
}

// has reports whether an entry is there. One without text is what a full disk has left, which All cannot tell.
func (s Store) has(e Entry) bool {
	info, err := os.Lstat(s.path(e))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Accept adds what a pipeline claims.
func (s Store) Accept(c *host.Claims) error {
	pipeline := len(c.Reads) > 0
	for _, p := range c.Programs {
		if p.Attr != "" {
			pipeline = true
			continue
		}
		if err := s.add(Entry{real(c.Folder), p.SHA256, p.Path}); err != nil {
			return err
		}
	}
	if !pipeline {
		return nil
	}
	return s.add(Entry{real(c.Folder), c.SHA256, filepath.Base(c.Path)})
}

// AcceptFolder adds a folder with whatever lies in it, now and later.
func (s Store) AcceptFolder(folder string) error {
	return s.add(Entry{Folder: real(folder), What: "pipelines of the folder, and programs that they name"})
}

func (s Store) add(e Entry) error {
	if s.dir == "" {
		return errors.New("want a home folder to remember what you trust in, have a system that names no such folder")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if !privatefolder.Is(s.dir) {
		return fmt.Errorf("want a folder that only you may write to, have %s", s.dir)
	}
	if err := s.prune(); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if s.has(e) {
		return nil
	}
	return wholefile.Write(s.path(e), append(text, '\n'), wholefile.Options{Durable: true})
}

// most is how many entries may be there before those of folders that are gone are removed.
const most = 1000

func (s Store) prune() error {
	if files, err := os.ReadDir(s.dir); err != nil || len(files) < most {
		return err
	}
	all, _ := s.All() // an entry that cannot be read stays
	for _, e := range all {
		if e.Gone() {
			_ = os.Remove(s.path(e)) // another run may have
		}
	}
	return nil
}

// Gone reports whether the folder of the entry is no longer there.
func (e Entry) Gone() bool {
	_, err := os.Stat(e.Folder)
	return errors.Is(err, fs.ErrNotExist)
}

// Forget removes the entries of a folder, and returns them.
func (s Store) Forget(folder string) (gone []Entry, err error) {
	all, err := s.All()
	for _, e := range all {
		if e.Folder != real(folder) {
			continue
		}
		if bad := os.Remove(s.path(e)); bad != nil {
			return gone, errors.Join(err, bad)
		}
		gone = append(gone, e)
	}
	return gone, err
}

// All returns the entries, by folder.
func (s Store) All() ([]Entry, error) {
	if s.dir == "" {
		return nil, nil
	}
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Entry
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") { // one that is being written, or whose writer was killed
			continue
		}
		text, bad := os.ReadFile(filepath.Join(s.dir, f.Name()))
		var e Entry
		if bad = errors.Join(bad, json.Unmarshal(text, &e)); bad != nil { // cut off by a full disk
			err = errors.Join(err, fmt.Errorf("%s: %w", f.Name(), bad))
			continue
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Folder+"\x00"+a.What, b.Folder+"\x00"+b.What) })
	return all, err
}

// path returns the file of an entry. Its name depends on what is trusted, and not on words about it.
func (s Store) path(e Entry) string {
	sum := sha256.Sum256([]byte(e.Folder + "\x00" + strings.ToLower(e.SHA256)))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:]))
}

// real returns a folder as it is known to the system: absolute and without links.
func real(folder string) string {
	if path, err := filepath.Abs(folder); err == nil {
		folder = path
	}
	if path, err := filepath.EvalSymlinks(folder); err == nil {
		folder = path
	}
	return folder
}
