// Package store keeps what runs have made of single files of their inputs, so that later runs need not make it again. A store is a folder of
// entries. An entry is named by a key, which says all that its rows depend on besides the bytes of the file, and by the hash of these.
//
// An entry gets its name when it is complete, so several runs may use a store at once: of two that make the same entry either stays. An entry
// that is not as it was written is removed when it is asked for. When all entries take more than the store may hold, those go that were not
// used for longest. Nothing is synced: what a machine loses when it goes down is found by the checksum.
package store

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/oserr"
)

// version is the name of the folder for entries of this form.
const version = "v1"

const (
	tempPrefix  = "tmp-"
	stampEnding = ".stamp"
	saltName    = "salt"
	nameLength  = 32             // bytes of a key and of a hash in a name
	unlockedFor = time.Minute    // how long nobody writes a file at most that is about to be locked, or to get its name
	lostAfter   = 24 * time.Hour // the same where nothing can be locked
)

// A Store is an open store. Several goroutines may use it.
type Store struct {
	dir  string // that the entries lie in
	most int64  // bytes of all entries
	salt string

	mu      sync.Mutex
	known   map[string][]string // hashes of the entries of a key
	total   int64               // bytes of all entries
	removed int                 // entries that made room for others
}

// Open opens the store in a folder, which it makes if need be, and removes what dead runs have left there. All entries take at most a
// number of bytes.
func Open(dir string, most int64) (*Store, error) {
	s := &Store{dir: filepath.Join(dir, version), most: most, known: map[string][]string{}}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the store: %s: %w", dir, oserr.Reason(err))
	}
	found, err := s.list()
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		s.known[e.key] = append(s.known[e.key], e.hash)
		s.total += e.size
	}
	s.sweep()
	if s.salt, err = s.readSalt(); err != nil {
		return nil, err
	}
	return s, nil
}

// Salt returns a random text of the store, for hashes from which nobody guesses what was hashed.
func (s *Store) Salt() string { return s.salt }

func (s *Store) readSalt() (string, error) {
	path := filepath.Join(s.dir, saltName)
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 2*nameLength {
		return string(text), nil
	}
	if err := s.replace(path, []byte(hex.EncodeToString(random()))); err != nil {
		return "", fmt.Errorf("the store: %w", oserr.Reason(err))
	}
	text, err = os.ReadFile(path) // that of another run, if that was later
	return string(text), err
}

// replace writes a small file that others find whole.
func (s *Store) replace(path string, text []byte) error {
	f, err := os.CreateTemp(s.dir, tempPrefix)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// name returns how a key or a hash in hex stands in the name of an entry.
func name(hex string) string { return hex[:min(len(hex), nameLength)] }

// path returns the path of an entry.
func (s *Store) path(key, hash string) string {
	return filepath.Join(s.dir, name(key)[:2], name(key)+"-"+name(hash))
}

// Find returns the entry of a key for a file, nil when there is none. hash reads the file and returns its hash in hex; it is called only where
// there are entries of the key, and none of them is of a file with this stamp. stamp is "" for a file that has none. The error is a *Damaged
// for an entry that cannot be used, or that of hash.
func (s *Store) Find(key, stamp string, hash func() (string, error)) (*Entry, error) {
	s.mu.Lock()
	hashes := slices.Clone(s.known[name(key)])
	s.mu.Unlock()
	if len(hashes) == 0 {
		return nil, nil
	}
	for _, have := range hashes {
		text, err := os.ReadFile(s.path(key, have) + stampEnding)
		if stamp != "" && err == nil && string(text) == stamp {
			return s.open(key, have)
		}
	}
	is, err := hash()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(hashes, name(is)) {
		return nil, nil
	}
	e, err := s.open(key, is)
	if e != nil {
		s.stamp(key, is, stamp)
	}
	return e, err
}

// stamp notes with which stamp the file of an entry was found. Without one the file is read again, so an error does not matter.
func (s *Store) stamp(key, hash, stamp string) {
	if stamp != "" {
		_ = s.replace(s.path(key, hash)+stampEnding, []byte(stamp))
	}
}

// Damaged is the error for an entry that is not as it was written. It is removed.
type Damaged struct{ Why string }

// Error implements error.
func (d *Damaged) Error() string { return d.Why }

// open opens an entry, and notes that it was used.
func (s *Store) open(key, hash string) (*Entry, error) {
	path := s.path(key, hash)
	e, err := openEntry(path)
	if errors.Is(err, fs.ErrNotExist) { // another run has removed it
		return nil, nil
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(key, hash)
		s.remove(path)
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now)
	return e, nil
}

// Drop removes the entries of a key.
func (s *Store) Drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, hash := range s.known[name(key)] {
		s.remove(s.path(key, hash))
	}
	delete(s.known, name(key))
}

func (s *Store) forget(key, hash string) {
	s.known[name(key)] = slices.DeleteFunc(s.known[name(key)], func(h string) bool { return name(h) == name(hash) })
}

func (s *Store) remove(path string) {
	if info, err := os.Stat(path); err == nil && os.Remove(path) == nil {
		s.total -= info.Size()
	}
	_ = os.Remove(path + stampEnding)
}

// listed is an entry of the folder.
type listed struct {
	key, hash, path string
	size            int64
	used            time.Time
}

func (s *Store) list() (all []listed, err error) {
	folders, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", oserr.Reason(err))
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		files, _ := os.ReadDir(filepath.Join(s.dir, folder.Name())) // what cannot be listed is not known
		for _, f := range files {
			key, hash, ok := strings.Cut(f.Name(), "-")
			info, err := f.Info()
			if ok && err == nil && !strings.Contains(hash, ".") {
				all = append(all, listed{key, hash, filepath.Join(s.dir, folder.Name(), f.Name()), info.Size(), info.ModTime()})
			}
		}
	}
	return all, nil
}

// sweep removes the files of runs that have died: those that nobody has locked, or old ones where nothing can be locked.
func (s *Store) sweep() {
	files, _ := filepath.Glob(filepath.Join(s.dir, tempPrefix+"*"))
	for _, path := range files {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil {
			locked, busy := filelock.Try(f)
			if age := time.Since(info.ModTime()); locked && age > unlockedFor || !busy && age > lostAfter {
				_ = os.Remove(path)
			}
		}
		f.Close()
	}
}

// add counts an entry that was made, and makes room if need be.
func (s *Store) add(key, hash string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key, hash)
	s.known[name(key)] = append(s.known[name(key)], name(hash))
	if s.total += size; s.total > s.most {
		s.makeRoom()
	}
}

// makeRoom removes the entries that were not used for longest, and somewhat more than needed, so that not each new entry lists the folder.
func (s *Store) makeRoom() {
	all, err := s.list() // other runs may have changed it
	if err != nil {
		return
	}
	s.total = 0
	for _, e := range all {
		s.total += e.size
	}
	if s.total <= s.most {
		return
	}
	slices.SortFunc(all, func(a, b listed) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, e := range all {
		if s.total <= s.most-s.most/16 {
			return
		}
		s.forget(e.key, e.hash)
		s.remove(e.path)
		s.removed++
	}
}

// Removed returns how many entries have made room for others.
func (s *Store) Removed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removed
}

// Hash returns a key for what it is made of.
func Hash(text []byte) string {
	h := filehash.New(filehash.BLAKE3)
	h.Write(text)
	return h.Result().Hex()
}
