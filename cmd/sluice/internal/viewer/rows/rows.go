// Package rows finds rows. It reads files of JSON Lines once, notes in a SQLite database where each row lies and the values
// that people filter and sort by, and answers questions while it still reads.
package rows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// A File is a file to index: JSON Lines, plain, gzip or zstd. Blank lines are no rows.
type File struct {
	Name  string // how it is shown and addressed, such as canonical/train.jsonl; no two have the same
	Path  string
	Hash  string // of its bytes, as a receipt has it, behind its algorithm; "" when unknown
	Input string // the name that origins have for a file which a run has read. Its rows are their own origins.

	Outcome string // of the records that it has rows of; "" when it is not of a run
}

// Options configure an Index.
type Options struct {
	Cache    string // folder of databases; "" for one in the user's cache folder. One that others can write to is not used.
	Unpacked int64  // how many bytes all packed files may have unpacked, on disk while they are open; 0 for 16 GiB

	// Names that several inputs of the run share, so that it is unknown which of their records a row comes of.
	// Names that several Files share as their Input need not be listed.
	Shared []string

	Mask *Mask // nil for none: then a masked Query finds no words, and searches rows as they are
}

// A Mask hides what may not be shown of rows.
type Mask struct {
	Row     func(row []byte) []byte            // returns a row of JSON as it is shown, null for one that is not
	Visible func(row []byte, json bool) []byte // returns what a row has besides what is hidden, nil when that is not known
	Rules   string                             // identifies what the mask goes by: a cache of other rules is not used
}

// An Index holds the rows of some files. Its methods may be called by many goroutines at once.
type Index struct {
	files   []*file
	byName  map[string]int
	options Options
	shared  map[string]bool // names of inputs that several have
	prefix  string          // see cachePrefix
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup
	workers chan struct{} // a place for each block at hand
	long    chan struct{} // a place for one that is longer
	open    chan struct{} // a place for each file at hand

	mu        sync.Mutex
	store     *store
	old       []*store // that were made anew
	closed    bool
	whole     bool          // everything is indexed
	grown     chan struct{} // closed when something is added
	scans     []*scan       // the one asked for last is the last
	scan      int           // how many there were
	spoolFile *spoolFile    // of packed files, nil before the first
}

// A file is a File, which stays, and how far it is indexed, which the mutex of the index guards.
type file struct {
	File
	known
}

type known struct {
	Indexed
	spool  *spool    // of a packed file
	time   time.Time // of the file when it was opened
	status int64     // likewise; see statusTime
}

// Errors of a row.
var (
	ErrChanged = errors.New("want the row as it was indexed: the file has changed")
	errTooLong = errors.New("want a row of at most 1 GiB")
	ErrUnknown = errors.New("want a row of the index, by its file and line")
	ErrNotYet  = errors.New("this row is not indexed yet")
)

const mostOpen = 32

// Open begins to index files and returns at once. What is wrong with one of them is in its State. The context ends all
// that the index does. It returns an error when two files have one name, or no database can be made.
func Open(ctx context.Context, files []File, o Options) (*Index, error) {
	if o.Unpacked <= 0 {
		o.Unpacked = 16 << 30
	}
	o.Cache = cacheFolder(o.Cache)
	x := &Index{
		options: o, byName: map[string]int{}, shared: map[string]bool{}, grown: make(chan struct{}),
		workers: make(chan struct{}, runtime.GOMAXPROCS(0)), long: make(chan struct{}, 1), open: make(chan struct{}, mostOpen),
	}
	for i, f := range files {
		if _, twice := x.byName[f.Name]; twice {
			return nil, fmt.Errorf("want files of different names, have %q twice", f.Name)
		}
		x.byName[f.Name] = i
		x.files = append(x.files, &file{File: f})
		_, again := x.shared[f.Input]
		x.shared[f.Input] = again && f.Input != ""
	}
	for _, name := range o.Shared {
		x.shared[name] = true
	}
	x.prefix = x.cachePrefix()
	x.ctx, x.cancel = context.WithCancel(ctx)
	if x.whole = x.cached(); x.whole {
		return x, nil
	}
	if err := x.begin(); err != nil {
		x.cancel()
		return nil, err
	}
	return x, nil
}

// begin begins to index all files into a new store. The index is not shared yet, or the mutex is held.
func (x *Index) begin() (err error) {
	if x.store, err = newStore(x.options.Cache); err != nil {
		return err
	}
	states := make([]string, len(x.files))
	for i, f := range x.files {
		f.known, states[i] = known{}, f.state()
	}
	into := x.store
	x.group.Go(func() {
		var group sync.WaitGroup
		for i, f := range x.files {
			x.open <- struct{}{}
			group.Go(func() {
				defer func() { <-x.open }()
				err := x.index(into, i)
				x.change(func() { f.Done, f.Err = true, err })
			})
		}
		group.Wait()
		if x.ctx.Err() == nil && into.addBeside() == nil {
			x.keep(states)
		}
		x.change(func() { x.whole = true })
	})
	return nil
}

// change changes what the mutex guards, and wakes those who wait for it.
func (x *Index) change(by func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	by()
	x.wake()
}

func (x *Index) wake() {
	close(x.grown)
	x.grown = make(chan struct{})
}

// Close ends all background work and removes unpacked copies.
func (x *Index) Close() (err error) {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.cancel()
	x.group.Wait()
	for _, s := range append(x.old, x.store) {
		err = errors.Join(err, s.close())
	}
	if x.spoolFile != nil {
		err = errors.Join(err, x.spoolFile.close())
	}
	return err
}

// Wait waits until all files are indexed, or the context ends.
func (x *Index) Wait(ctx context.Context) error {
	return x.until(ctx, func() bool { return x.whole })
}

// until waits until something that the mutex guards is so, or the context ends.
func (x *Index) until(ctx context.Context, so func() bool) error {
	for {
		x.mu.Lock()
		grown, is := x.grown, so()
		x.mu.Unlock()
		if is {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// doubt indexes all files anew, with new IDs, when a row is not what the cache says though its file seems the same.
func (x *Index) doubt(f *file) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f.Cached && f.changed() == "" {
		x.renew()
	}
}

// renew indexes all files anew, without the cache. The mutex is held.
func (x *Index) renew() {
	if x.closed || !x.whole {
		return
	}
	for _, s := range x.scans {
		s.cancel()
	}
	old := x.store
	if x.begin() != nil {
		x.store = old
		return
	}
	if old.kept {
		_ = os.Remove(old.path) // it is wrong
	}
	x.scans, x.whole, x.old = nil, false, append(x.old, old)
	x.wake()
}

// A State is a file and how far it is indexed.
type State struct {
	File
	Indexed
	Changed string // "" or how the file differs from what is indexed: "grown", "changed", "missing"
}

// Indexed is how far a file is indexed.
type Indexed struct {
	Rows     int64 // so far
	Bad      int64 // of them are no JSON
	Read, Of int64 // bytes of the file as it lies, packed or not
	Done     bool  // everything that can be had is indexed
	Cached   bool  // from the cache
	Err      error // what ended the indexing before the end of the file, or why its origins are not known; the rows before it are there
}

// States returns the state of each file, in the order of Open.
func (x *Index) States() []State {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]State, len(x.files))
	for i, f := range x.files {
		if all[i] = (State{File: f.File, Indexed: f.Indexed}); f.Done {
			all[i].Changed = f.changed()
		}
	}
	return all
}

func (k *known) stat(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: want a file that can be read twice, have %s", path, info.Mode().Type())
	}
	k.Of, k.time, k.status = info.Size(), info.ModTime(), statusTime(info)
	return nil
}

func (f *file) changed() string {
	var now known
	switch err := now.stat(f.Path); {
	case err != nil && f.time.IsZero():
		return "" // it never was there
	case err != nil:
		return "missing"
	case now.Of > f.Of:
		return "grown"
	case now.Of != f.Of || !now.time.Equal(f.time) || now.status != f.status:
		return "changed"
	}
	return ""
}
