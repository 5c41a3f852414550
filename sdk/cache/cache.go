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
	"golang.org/x/sync/singleflight"
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
	asks  singleflight.Group
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
	return &file{path: path, db: db}, nil
}

// Get returns the answer that is kept for a key. If there is none, it calls ask and keeps what that returns, unless it is an error.
// Calls with the same key ask once. An answer that Get has returned survives a crash of the process.
func (c *Cache) Get(key string, ask func() ([]byte, error)) ([]byte, error) {
	if c.file == nil {
		return ask()
	}
	sum := sha256.Sum256([]byte(key))
	found, err := c.kept(sum[:])
	if found != nil || err != nil {
		return found, err
	}
	answer, err, _ := c.asks.Do(string(sum[:]), func() (any, error) {
		if found, err := c.kept(sum[:]); found != nil || err != nil { // another call has just kept it
			return found, err
		}
		answer, err := ask()
		if err != nil {
			return nil, err
		}
		answer = slices.Concat([]byte{}, answer)
		return answer, c.db.Batch(func(tx *bbolt.Tx) error { return tx.Bucket(rows).Put(sum[:], answer) })
	})
	if err != nil {
		return nil, err
	}
	return slices.Clone(answer.([]byte)), nil
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
