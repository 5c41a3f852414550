// Package store keeps what runs have made of single files of their inputs, so that later runs need not make it again. A store is a folder of
// entries, or a bucket with them. An entry is named by a key, which says all that its rows depend on besides the bytes of the file, and by
// the hash of these.
//
// An entry gets its name when it is complete, so several runs may use a store at once: of two that make the same entry either stays. An entry
// that is not as it was written is removed when it is asked for. When all entries take more than the store may hold, those go that were not
// used for longest. Nothing is synced: what a machine loses when it goes down is found by the checksum.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/places"
)

// version is the name of the folder for entries of this form.
const version = "v1"

const (
	tempPrefix  = "tmp-"
	saltName    = "salt"
	nameLength  = 32             // bytes of a key and of a hash in a name
	unlockedFor = time.Minute    // how long nobody writes a file at most that is about to be locked, or to get its name
	lostAfter   = 24 * time.Hour // the same where nothing can be locked
)

// A backend is where entries lie: a folder or a bucket. Several goroutines use it.
type backend interface {
	// list lists all entries. unlisted is why some could not be listed, of which nobody knows how many there are.
	list() (all []listed, unlisted, err error)
	// readSalt returns the salt, which it makes if need be. unstored is why one that was made could not be stored.
	readSalt() (salt string, unstored, err error)
	// ahead says that an entry is opened soon, after those that were told of before.
	ahead(e id)
	// open opens an entry and checks it: nil for one that is gone, a *Damaged for one that can never be used.
	open(e id) (*Entry, error)
	// stamped reports whether an entry is of the file with a stamp.
	stamped(e id, stamp string) bool
	// use notes that an entry was used, for the file with a stamp if it has one. What cannot be noted does no harm.
	use(e id, stamp string)
	// put makes an entry of a file, which it closes, and says by how much the store has grown.
	put(e id, f *os.File, size int64) (more int64, err error)
	// remove removes an entry, or what is left of one that is gone. It returns the size of the entry, 0 when it has removed none.
	remove(e id) (size int64, err error)
}

// An id names an entry by the beginnings of its key and of its file's hash.
type id struct{ key, hash string }

// String returns the name of the entry.
func (e id) String() string { return e.key + "-" + e.hash }

// listed is an entry of the store.
type listed struct {
	id
	size int64
	used time.Time
	gone bool // only what was noted of its use is left
}

// A Store is an open store. Several goroutines may use it.
type Store struct {
	backend backend
	temps   string // folder of this machine for entries that are being written
	most    int64  // bytes of all entries
	part    int64  // bytes of one entry
	salt    string

	later chan struct{} // bounds what is done at once; nil: everything is done by who asks for it
	group sync.WaitGroup
	room  sync.Mutex // of who makes some

	mu       sync.Mutex
	known    map[string][]string // hashes of the entries of a key
	total    int64               // bytes of all entries
	dropping map[string]chan struct{}
	added    int   // entries that were made
	removed  int   // entries that made room for others
	unstored error // why nothing more is stored
	unread   bool  // nothing more is found
}

// Open opens the store in a folder, or of an s3://bucket/prefix, which it makes if need be, and removes what dead runs have left on this
// machine. All entries take at most a number of bytes. The context is that of all requests.
func Open(ctx context.Context, dir string, most int64) (*Store, error) {
	s := &Store{most: most, part: most, known: map[string][]string{}, dropping: map[string]chan struct{}{}}
	if err := s.open(ctx, dir); err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	s.sweep()
	return s, nil
}

func (s *Store) open(ctx context.Context, dir string) error {
	if places.IsS3(dir) {
		b, err := openBucket(ctx, dir)
		if err != nil {
			return err
		}
		s.backend, s.temps = b, b.temps
		s.part, s.later = min(s.most, mostObject), make(chan struct{}, atOnce)
	} else {
		d, err := openFolder(dir)
		if err != nil {
			return err
		}
		s.backend, s.temps = d, d.dir
	}
	found, unlisted, err := s.backend.list()
	if err != nil {
		return err
	}
	for _, e := range found {
		if s.total += e.size; !e.gone {
			s.known[e.key] = append(s.known[e.key], e.hash)
		}
	}
	s.salt, s.unstored, err = s.backend.readSalt()
	s.unstored = cmp.Or(s.unstored, unlisted)
	return err
}

// Salt returns a random text of the store, for hashes from which nobody guesses what was hashed.
func (s *Store) Salt() string { return s.salt }

// name returns how a key or a hash in hex stands in the name of an entry.
func name(hex string) string { return hex[:min(len(hex), nameLength)] }

// do has something done, at once or while the run goes on.
func (s *Store) do(what func()) {
	if s.later == nil {
		what()
		return
	}
	s.later <- struct{}{}
	s.group.Go(func() {
		defer func() { <-s.later }()
		what()
	})
}

// Close waits until everything is stored, and returns why something could not be.
func (s *Store) Close() error {
	s.group.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unstored
}

// fail has nothing more stored.
func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unstored = cmp.Or(s.unstored, err)
}

func (s *Store) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unstored
}

// hashes returns the hashes of the entries of a key.
func (s *Store) hashes(key string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.known[name(key)])
}

// likely returns which of the entries of a key is that of a file with a stamp: stamped, if there is one, or else the only one.
func (s *Store) likely(key, stamp string, hashes []string) (e id, stamped bool) {
	for _, hash := range hashes {
		if e := (id{name(key), hash}); stamp != "" && s.backend.stamped(e, stamp) {
			return e, true
		}
	}
	if len(hashes) == 1 {
		return id{name(key), hashes[0]}, false
	}
	return id{}, false
}

// Ahead says that Find will be called with a key and a stamp, after those that were told of before. Find is faster then. It reports whether
// there is an entry of the key.
func (s *Store) Ahead(key, stamp string) bool {
	hashes := s.hashes(key)
	if s.later != nil {
		if e, _ := s.likely(key, stamp, hashes); e != (id{}) {
			s.backend.ahead(e)
		}
	}
	return len(hashes) > 0
}

// Find returns the entry of a key for a file, nil when there is none. hash reads the file and returns its hash in hex; it is called only where
// there are entries of the key, and none of them is of a file with this stamp. stamp is "" for a file that has none. The error is a *Damaged
// for an entry that cannot be used, an *Unread the first time that the store cannot be read, or that of hash.
func (s *Store) Find(key, stamp string, hash func() (string, error)) (*Entry, error) {
	hashes := s.hashes(key)
	if len(hashes) == 0 {
		return nil, nil
	}
	e, stamped := s.likely(key, stamp, hashes)
	if !stamped {
		is, err := hash()
		if err != nil {
			return nil, err
		}
		if e = (id{name(key), name(is)}); !slices.Contains(hashes, e.hash) {
			return nil, nil
		}
	}
	found, err := s.backend.open(e)
	switch _, damaged := errors.AsType[*Damaged](err); {
	case damaged:
		s.forget(e)
		s.remove(e)
		return nil, err
	case err != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.known = map[string][]string{}
		if s.unread {
			return nil, nil
		}
		s.unread = true
		return nil, &Unread{err}
	case found != nil:
		s.do(func() { s.backend.use(e, stamp) })
	}
	return found, nil
}

// Damaged is the error for an entry that is not as it was written. It is removed.
type Damaged struct{ Why string }

// Error implements error.
func (d *Damaged) Error() string { return d.Why }

// Unread is the error for a store that can be read no more. Nothing is found in it any more.
type Unread struct{ Err error }

// Error implements error.
func (u *Unread) Error() string { return u.Err.Error() }

// Unwrap returns why.
func (u *Unread) Unwrap() error { return u.Err }

// Drop removes the entries of a key.
func (s *Store) Drop(key string) {
	key = name(key)
	s.mu.Lock()
	hashes, done := s.known[key], make(chan struct{})
	delete(s.known, key)
	if len(hashes) > 0 {
		s.dropping[key] = done
	}
	s.mu.Unlock()
	if len(hashes) == 0 {
		return
	}
	s.do(func() {
		defer close(done)
		for _, hash := range hashes {
			s.remove(id{key, hash})
		}
	})
}

// dropped waits until what was dropped of a key is gone, so that what comes in its place stays.
func (s *Store) dropped(key string) {
	s.mu.Lock()
	done := s.dropping[key]
	delete(s.dropping, key)
	s.mu.Unlock()
	if done != nil {
		<-done
	}
}

func (s *Store) forget(e id) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[e.key] = slices.DeleteFunc(s.known[e.key], func(h string) bool { return h == e.hash })
}

// remove removes an entry, and reports whether it was there. A store of which one cannot be removed gets nothing more: it would outgrow its
// bounds.
func (s *Store) remove(e id) bool {
	size, err := s.backend.remove(e)
	if err != nil {
		s.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= size
	return size > 0
}

// Hash returns a key for what it is made of.
func Hash(text []byte) string {
	h := filehash.New(filehash.BLAKE3)
	h.Write(text)
	return h.Result().Hex()
}
