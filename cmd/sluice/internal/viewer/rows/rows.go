// Package rows finds rows. It reads files of JSON Lines once, notes where each row lies and the values that people filter
// and sort by, and answers questions while it still reads.
package rows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A File is one to be indexed: JSON Lines, plain, gzip or zstd. Blank lines are no rows.
type File struct {
	Name   string // how it is shown and addressed, such as canonical/train.jsonl; no two have the same
	Path   string // where it lies
	SHA256 string // of its bytes, in hex, as a receipt says; "" when nobody has said
	Input  string // of a file that a run has read: how origins call it. Its rows are their own origins.
}

// Options say how files are indexed.
type Options struct {
	Cache    string // folder of what is used again; "" for the user's cache folder. One that others can write to is done without.
	Unpacked int64  // how many bytes all packed files may have unpacked, on disk while they are open; 0 for 16 GiB
	Workers  int    // how many goroutines read rows; 0 for as many as there are cores

	// Names of inputs that several inputs of the run have, so that nobody can tell which of their records a row comes of.
	// Those that several Files have as their Input need not be among them.
	Shared []string
}

// An Index knows the rows of some files. Its methods may be called by many goroutines, and at once.
type Index struct {
	files   []*file
	byName  map[string]int
	options Options
	shared  map[string]bool // names of inputs that several have
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup
	workers chan struct{} // a place for each block at hand
	long    chan struct{} // a place for one that is longer
	open    chan struct{} // a place for each file at hand

	mu         sync.Mutex
	closed     bool
	grown      chan struct{} // closed when something is added
	generation int64         // of all that can be found
	beside     *besides      // nil until all files are indexed
	scans      []*scan       // the one asked for last stands last
	kept       []*Found      // likewise
	room       *room         // of packed files, nil before the first
}

// A file is a File, which stays, and what is known of it, which the mutex of its index guards.
type file struct {
	File
	known
}

// known is what is known of a file.
type known struct {
	table   *table
	origins *origins
	spool   *spool // of a packed file
	size    int64  // as it lies, when it was opened
	time    time.Time
	read    int64
	status  int64 // see statusTime
	cached  bool
	doubted bool // the cache is not to be asked
	done    bool
	err     error
}

// Errors of a row.
var (
	ErrChanged = errors.New("want the row as it was indexed, have other bytes: the file has changed")
	ErrTooLong = errors.New("want a row of at most 1 GiB, have a longer one")
	ErrUnknown = errors.New("want a row of the index, have none")
)

// mostOpen is how many files are indexed at a time.
const mostOpen = 32

// Open begins to index files and returns at once. What is wrong with one of them is in its State. The context ends all
// that the index does. An error is a name that stands twice.
func Open(ctx context.Context, files []File, o Options) (*Index, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Unpacked <= 0 {
		o.Unpacked = 16 << 30
	}
	o.Cache = cacheFolder(o.Cache)
	x := &Index{
		options: o, byName: map[string]int{}, shared: map[string]bool{}, grown: make(chan struct{}),
		workers: make(chan struct{}, o.Workers), long: make(chan struct{}, 1), open: make(chan struct{}, mostOpen),
	}
	for i, f := range files {
		if _, twice := x.byName[f.Name]; twice {
			return nil, fmt.Errorf("want files of different names, have %q twice", f.Name)
		}
		x.byName[f.Name] = i
		x.files = append(x.files, &file{f, known{table: &table{}}})
		x.shared[f.Input] = f.Input != "" && slices.ContainsFunc(files[:i], func(g File) bool { return g.Input == f.Input })
	}
	for _, name := range o.Shared {
		x.shared[name] = true
	}
	x.ctx, x.cancel = context.WithCancel(ctx)
	x.change(x.findBeside) // of no files
	x.group.Go(func() { x.begin(x.files) })
	return x, nil
}

// begin starts to index files, in order.
func (x *Index) begin(files []*file) {
	for _, f := range files {
		select {
		case x.open <- struct{}{}:
		case <-x.ctx.Done():
			x.finish(f, x.ctx.Err())
			continue
		}
		x.group.Go(func() {
			defer func() { <-x.open }()
			x.finish(f, x.take(f))
		})
	}
}

// finish notes that a file is done.
func (x *Index) finish(f *file, err error) {
	x.change(func() {
		f.done, f.err = true, err
		x.findBeside()
	})
}

// change changes what the mutex guards, and tells those who wait for it.
func (x *Index) change(by func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	by()
	x.tell()
}

// tell tells those who wait for it that something is another. The mutex is held.
func (x *Index) tell() {
	x.generation++
	close(x.grown)
	x.grown = make(chan struct{})
}

// start starts a goroutine, unless the index is closed. The mutex is held.
func (x *Index) start(run func()) bool {
	if !x.closed {
		x.group.Go(run)
	}
	return !x.closed
}

// Close ends what still goes on and removes unpacked copies.
func (x *Index) Close() (err error) {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.cancel()
	x.group.Wait()
	if x.room != nil {
		err = x.room.close()
	}
	return err
}

// Wait waits until all files are indexed, or the context ends.
func (x *Index) Wait(ctx context.Context) error {
	for {
		x.mu.Lock()
		grown, done := x.grown, x.indexed()
		x.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// indexed tells whether all that can be found is known. The mutex is held.
func (x *Index) indexed() bool { return x.beside != nil && x.beside.done }

// doubt indexes a file anew of which a row is not what the cache says, though the file seems the same. Its rows may get other
// IDs; addresses by line stay.
func (x *Index) doubt(f *file) {
	x.renew(func(other *file) bool { return other == f && f.cached && f.changed() == "" })
}

// renew indexes some files anew, not from the cache.
func (x *Index) renew(which func(*file) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var again []*file
	for _, f := range x.files {
		if !x.closed && f.done && which(f) {
			f.known = known{table: &table{}, doubted: true}
			again = append(again, f)
		}
	}
	if len(again) == 0 {
		return
	}
	for _, s := range x.scans {
		s.cancel()
	}
	x.scans, x.kept, x.beside = nil, nil, nil
	x.start(func() { x.begin(again) })
	x.tell()
}

// A State is how far a file is indexed.
type State struct {
	File
	Rows     int64  // so far
	Bad      int64  // of them are no JSON
	Read, Of int64  // bytes of the file as it lies, packed or not
	Done     bool   // everything that can be had is indexed
	Cached   bool   // from the cache
	Origins  bool   // it is known which records its rows come of
	Err      error  // what ended the indexing before the end of the file, or why its origins are not known; the rows before it are there
	Changed  string // "" or how the file differs from what is indexed: "grown", "changed", "missing"
}

// States are those of the files, in the order of Open.
func (x *Index) States() []State {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]State, len(x.files))
	for i, f := range x.files {
		all[i] = State{
			File: f.File, Rows: int64(f.table.rows()), Bad: f.table.Bad, Read: f.read, Of: f.size,
			Done: f.done, Cached: f.cached, Origins: f.origins != nil || f.Input != "" || len(f.table.Said.Runs) > 0, Err: f.err,
		}
		if f.done {
			all[i].Changed = f.changed()
		}
	}
	return all
}

// changed says how a file has changed since it was opened.
func (f *file) changed() string {
	info, err := os.Stat(f.Path)
	switch {
	case err != nil && f.time.IsZero():
		return "" // it never was there
	case err != nil:
		return "missing"
	case info.Size() > f.size:
		return "grown"
	case info.Size() != f.size || !info.ModTime().Equal(f.time), statusTime(info) != f.status:
		return "changed"
	}
	return ""
}

// cacheFolder is where what is used again lies, "" when it can lie nowhere.
func cacheFolder(folder string) string {
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(user, "sluice")
	}
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !isOwn(info) { // others could put tables there
		return ""
	}
	return folder
}
