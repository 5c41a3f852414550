// Package cache keeps what a service answered in a file beside a run, so that the next run does not ask again.
//
// The file holds answers as they came, which may be personal data or secrets: only its owner may read it, and it belongs neither in a
// repository nor beside rows that are published. Of the keys it holds only SHA-256.
package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A Cache keeps answers by key. Several goroutines may use it.
type Cache struct {
	*file           // nil: it keeps nothing
	once  sync.Once // closes it
}

// A file is open once in a process, for all workers.
type file struct {
	path  string
	db    *bbolt.DB
	users int

	mu     sync.Mutex
	asking map[[sha256.Size]byte]chan struct{} // the keys that a call asks for; closed when it has done so
}

var (
	mu   sync.Mutex
	open = map[string]*file{}
	rows = []byte("answers")
)

// wait is how long Open waits for a process that is about to end, such as one that a crash has replaced.
var wait = 2 * time.Second

// Open opens the cache in a file, or makes one. All workers of a process share it, and no other process may have it open. Without
// a path the cache keeps nothing, and Get always asks.
func Open(path string) (*Cache, error) {
	if path == "" {
		return &Cache{}, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	f := open[path]
	if f == nil {
		if f, err = openFile(path); err != nil {
			return nil, err
		}
		open[path] = f
	}
	f.users++
	return &Cache{file: f}, nil
}

func openFile(path string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, errors.New("want a cache that no other run has open")
	case err != nil:
		return nil, fmt.Errorf("want a file of a cache: %w", err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(rows)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &file{path: path, db: db, asking: map[[sha256.Size]byte]chan struct{}{}}, nil
}

// Get returns the answer that is kept for a key. If there is none, it calls ask and keeps what that returns, unless it is an error.
// Of calls with the same key one asks, and the others wait for its answer. When it returns an error, such as that of its context, or
// panics, that is its own, and the next of those that wait asks. An answer that Get has returned survives a crash of the process.
func (c *Cache) Get(key string, ask func() ([]byte, error)) ([]byte, error) {
	if c.file == nil {
		return ask()
	}
	sum := sha256.Sum256([]byte(key))
	if found, err := c.kept(sum[:]); found != nil || err != nil {
		return found, err
	}
	defer c.takeTurn(sum)()
	if found, err := c.kept(sum[:]); found != nil || err != nil { // another call has just kept it
		return found, err
	}
	answer, err := ask()
	if err != nil {
		return nil, err
	}
	answer = slices.Concat([]byte{}, answer)
	if err := c.db.Batch(func(tx *bbolt.Tx) error { return tx.Bucket(rows).Put(sum[:], answer) }); err != nil {
		return nil, err
	}
	return answer, nil
}

// takeTurn waits until no other call asks for a key. The caller calls end, also after a panic.
func (f *file) takeTurn(sum [sha256.Size]byte) (end func()) {
	for {
		f.mu.Lock()
		other := f.asking[sum]
		if other == nil {
			done := make(chan struct{})
			f.asking[sum] = done
			f.mu.Unlock()
			return func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				delete(f.asking, sum)
				close(done)
			}
		}
		f.mu.Unlock()
		<-other
	}
}

// kept returns a copy of an answer, nil when there is none.
func (c *Cache) kept(key []byte) (answer []byte, err error) {
	err = c.db.View(func(tx *bbolt.Tx) error {
		if found := tx.Bucket(rows).Get(key); found != nil {
			answer = append([]byte{}, found...)
		}
		return nil
	})
	return answer, err
}

// Close closes the file when all workers have closed it.
func (c *Cache) Close() (err error) {
	if c.file == nil {
		return nil
	}
	c.once.Do(func() {
		mu.Lock()
		defer mu.Unlock()
		if c.users--; c.users == 0 {
			delete(open, c.path)
			err = c.db.Close()
		}
	})
	return err
}
