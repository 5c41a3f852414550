package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/places"
)

// A bucket is a place in object storage. An entry is an object, and has marks: empty objects whose names are that of the entry, a dot, and
// the hash of a stamp that its file was found with. An entry was used last when it or one of its marks was written. So a few lists say
// everything of a store but its rows, no object is ever changed, and of several runs at once none undoes what others note.
type bucket struct {
	ctx    context.Context // of reading
	writes context.Context // of writing, which goes on for a moment when the run is interrupted
	root   string
	temps  string

	mu    sync.Mutex
	found map[id]*object
	queue []*fetch // in the order in which they are wanted
	held  int64    // bytes of those that were begun
	begun int
}

// An object is an entry as it was listed.
type object struct {
	there bool        // not only its marks
	info  fs.FileInfo // nil: it was made since
	size  int64
	marks map[string]time.Time
}

const (
	atOnce     = 32                // requests
	mostObject = places.MostAtOnce // bytes of an entry
	usedEvery  = 24 * time.Hour    // how often it is noted that an entry is used
	mostMarks  = 4                 // of an entry: it may be that of copies of a file on several machines
	unstamped  = "used"            // the mark without a stamp
	lastWrites = 10 * time.Second  // how long an interrupted run waits for what it is storing
)

func openBucket(ctx context.Context, dir string) (*bucket, error) {
	b := &bucket{ctx: ctx, root: places.Join(dir, version)}
	if err := places.CheckKey(b.root); err != nil {
		return nil, err
	}
	if strings.ContainsAny(b.root, "*?[") {
		return nil, fmt.Errorf("want a bucket and a prefix without wildcards, have %q", dir)
	}
	staging, err := places.Staging()
	if err != nil {
		return nil, err
	}
	b.temps = filepath.Join(staging, ".store") // no host has this name
	if err := os.MkdirAll(b.temps, 0o700); err != nil {
		return nil, err
	}
	writes, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(lastWrites, cancel) })
	b.writes = writes
	return b, nil
}

func (b *bucket) name(e id) string { return places.Join(b.root, e.key[:2], e.String()) }

// markOf returns the name of a stamp.
func markOf(stamp string) string {
	if stamp == "" {
		return unstamped
	}
	return name(Hash([]byte(stamp)))
}

// list asks for the entries by the first digit of their keys, for all at once: one answer has a thousand names at most.
func (b *bucket) list() (all []listed, unlisted, err error) {
	const digits = "0123456789abcdef"
	var infos [len(digits)][]fs.FileInfo
	group, _ := errgroup.WithContext(b.ctx)
	for i := range digits {
		group.Go(func() (err error) {
			infos[i], _, err = places.List(places.Join(b.root, digits[i:i+1]+"*", "*"))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	found := map[id]*object{}
	for _, some := range infos {
		for _, info := range some {
			text, mark, marked := strings.Cut(info.Name(), ".")
			key, hash, ok := strings.Cut(text, "-")
			if !ok || len(key) != nameLength || len(hash) != nameLength {
				continue
			}
			o := found[id{key, hash}]
			if o == nil {
				o = &object{marks: map[string]time.Time{}}
				found[id{key, hash}] = o
			}
			if marked {
				o.marks[mark] = info.ModTime()
			} else {
				o.there, o.info, o.size = true, info, info.Size()
			}
		}
	}
	for e, o := range found {
		all = append(all, listed{e, o.size, o.used(), !o.there})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found = found
	return all, nil, nil
}

// used returns when an entry was used last.
func (o *object) used() (last time.Time) {
	if o.info != nil {
		last = o.info.ModTime()
	}
	for _, at := range o.marks {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// readSalt reads the salt. Of two runs that make one at once the later wins, and the other finds nothing of its own again.
func (b *bucket) readSalt() (salt string, unstored, err error) {
	path := places.Join(b.root, saltName)
	text, err := readSmall(path)
	if err == nil && len(text) == 2*nameLength {
		return string(text), nil, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	text = []byte(hex.EncodeToString(random()))
	if err := b.write(path, text); err != nil { // others may still be read
		return string(text), err, nil
	}
	text, err = readSmall(path)
	return string(text), nil, err
}

// readSmall reads an object that others may be writing. Each of them does so once.
func readSmall(path string) (text []byte, err error) {
	for range 10 {
		if text, err = places.ReadFile(path); !errors.Is(err, places.ErrChanged) {
			break
		}
	}
	return text, err
}

func (b *bucket) write(path string, text []byte) error {
	return places.Write(b.writes, path, bytes.NewReader(text), int64(len(text)))
}

// object returns what is known of an entry, which may be nothing.
func (b *bucket) object(e id) *object {
	o := b.found[e]
	if o == nil {
		o = &object{marks: map[string]time.Time{}}
		b.found[e] = o
	}
	return o
}

func (b *bucket) stamped(e id, stamp string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.object(e).marks[markOf(stamp)]
	return ok
}

// use writes a mark, unless that was done a short time ago. Without a stamp the file is read again, so an error does not matter.
func (b *bucket) use(e id, stamp string) {
	mark, now := markOf(stamp), time.Now()
	b.mu.Lock()
	o := b.object(e)
	_, known := o.marks[mark]
	if recent := now.Sub(o.used()) < usedEvery; recent && (known || stamp == "") {
		b.mu.Unlock()
		return
	}
	o.marks[mark] = now
	oldest := ""
	if len(o.marks) > mostMarks {
		for m, at := range o.marks {
			if m != mark && (oldest == "" || at.Before(o.marks[oldest])) { // clocks of others may be ahead
				oldest = m
			}
		}
		delete(o.marks, oldest)
	}
	b.mu.Unlock()
	_ = b.write(b.name(e)+"."+mark, nil)
	if oldest != "" {
		_ = places.RemoveListed(b.writes, b.name(e)+"."+oldest)
	}
}

func (b *bucket) put(e id, f *os.File, size int64) (more int64, err error) {
	defer os.Remove(f.Name())
	defer f.Close()
	if err := places.Write(b.writes, b.name(e), f, size); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.object(e)
	more = size - o.size
	o.there, o.info, o.size = true, nil, size
	return more, nil
}

// remove leaves the marks of an entry, which still say what its file is when it is made anew. Those of one that is gone are removed.
func (b *bucket) remove(e id) (size int64, err error) {
	b.mu.Lock()
	o := b.object(e)
	size, there, marks := o.size, o.there, slices.Collect(maps.Keys(o.marks))
	o.there, o.info, o.size = false, nil, 0
	b.mu.Unlock()
	if there {
		if err := places.RemoveListed(b.writes, b.name(e)); err != nil {
			return 0, err
		}
		return size, nil
	}
	for _, mark := range marks {
		err = errors.Join(err, places.RemoveListed(b.writes, b.name(e)+"."+mark))
	}
	return 0, err
}

// open opens an entry, which was fetched ahead or is fetched now. Another run may have removed it, or made it anew.
func (b *bucket) open(e id) (opened *Entry, err error) {
	text, err := b.fetched(e)
	if text != nil {
		return openText(text)
	}
	if err == nil || errors.Is(err, places.ErrChanged) {
		opened, err = b.download(e)
	}
	if errors.Is(err, places.ErrChanged) {
		opened, err = b.download(e)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return opened, err
}

// download copies an entry into a file of this machine.
func (b *bucket) download(e id) (*Entry, error) {
	from, err := places.Open(b.name(e))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	f, err := os.CreateTemp(b.temps, tempPrefix)
	if err != nil {
		return nil, err
	}
	done := func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	if _, err := io.Copy(f, places.Until(b.ctx, from)); err != nil {
		return nil, errors.Join(err, done())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, done())
	}
	return openFile(f, done)
}
