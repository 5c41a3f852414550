package store

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/filelock"
)

// sweep removes the files of runs that have died: those that nobody has locked, or old ones where nothing can be locked.
func (s *Store) sweep() {
	files, _ := filepath.Glob(filepath.Join(s.temps, tempPrefix+"*"))
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
func (s *Store) add(e id, size int64) {
	s.forget(e)
	s.mu.Lock()
	s.known[e.key] = append(s.known[e.key], e.hash)
	s.total += size
	s.added++
	s.mu.Unlock()
	s.makeRoom()
}

func (s *Store) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total > s.most
}

// makeRoom removes the entries of a full store that were not used for longest, and somewhat more than needed, so that not each new entry
// lists the store. Those that are being stored meanwhile wait for it before the next.
func (s *Store) makeRoom() {
	if !s.isFull() {
		return
	}
	s.room.Lock()
	defer s.room.Unlock()
	if !s.isFull() {
		return
	}
	all, unlisted, err := s.backend.list() // other runs may have changed it
	if err = cmp.Or(err, unlisted); err != nil {
		s.fail(err)
		return
	}
	total := int64(0)
	for _, e := range all {
		total += e.size
	}
	s.mu.Lock()
	s.total = total
	s.mu.Unlock()
	if total <= s.most {
		return
	}
	slices.SortFunc(all, func(a, b listed) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.String(), b.String())) })
	var group sync.WaitGroup
	slots := make(chan struct{}, max(1, cap(s.later)))
	for _, e := range all {
		if total <= s.most-s.most/16 {
			break
		}
		total -= e.size
		s.forget(e.id)
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if !s.remove(e.id) {
				return
			}
			s.mu.Lock()
			s.removed++
			s.mu.Unlock()
		})
	}
	group.Wait()
}

// Removed returns how many entries have made room for others.
func (s *Store) Removed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removed
}

// Added returns how many entries were made.
func (s *Store) Added() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.added
}
