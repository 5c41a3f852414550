// Package output owns every path that a run writes: sinks, the dead letter, side outputs, reports and the receipt.
//
// A path is claimed before anything runs, by the file it really leads to, so that no file has two writers and no input
// is overwritten. Files are staged under hidden names in their folders and renamed together at the end, the receipt last;
// until then no existing file is touched. Where the rows of a file come from is noted next to it, see [Origins].
//
// A [Set] goes through claims, Prepare, writing, Finish, the receipt and Commit. Abort ends it at any point before.
package output

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/parquet"
)

// Options describe the run that a Set writes for.
type Options struct {
	Run     string    // id of the run, 8 to 64 letters and digits, a part of the names of temporary files
	Stdout  io.Writer // for a sink with the path "-"
	Origins bool      // note where the rows of each sink's files come from, at OriginsPath
	Hash    string    // the algorithm of filehash for what is written; empty: its default
	Part    string    // names the part that the run is, as its paths do; other parts may write into the same folders. Empty: the run is whole
	Root    string    // a folder that every file lies in, by its whole path, instead of where its path leads; empty: none

	Listed  func(receipt string) []Listed // the files that a receipt lists, so that no other run's is replaced, and the commit removes what a longer run has left; may be nil
	Shown   func(path string) string      // the form in which receipts list a path; nil: as it is
	Replace bool                          // files of other runs may be replaced, and those of the run before may stay
	Apart   bool                          // what is written is of no run, so that none of its files may be replaced
}

// A Set is everything that one run writes. Claims, Prepare, Finish, Commit, Abort and KeepFailed are for one goroutine; sinks and
// reports have one goroutine each.
type Set struct {
	opts   Options         // Run becomes that of the run that this one goes on with
	mirror string          // folder of this machine where files for object storage are staged; empty until there is one
	ctx    context.Context // for uploads
	disk   disk
	blind  func(folder string) bool // whether the folder takes names that differ in case for one

	mu        sync.Mutex // for what follows, since labels lead to new files while the sinks write
	claims    []*claim   // that write
	sinks     []*Sink
	schemas   map[string]func() (*parquet.Schema, error) // that several sinks have, by Table.Schema
	conflicts []Conflict
	receipt   *claim
	stale     []*claim                 // what the commit removes
	owned     map[string]ownership     // by target.key
	existing  map[identity][]ownership // what of it is there already
	messages  *ownership               // of the file that messages go to; nil: none
	counted   map[family][]ownership   // what of it has a number
	folders   map[string]ownership     // keys of the folders that outputs lie in
	patterns  map[string]ownership     // by pattern key
	numbers   []*numbering             // of sinks that rotate
	families  map[family]*numbering
	real      map[string]string   // folders without links, by spelling
	blindness map[string]bool     // of folders
	files     []*file             // staged
	temps     int                 // number of the next hidden name
	entered   map[string]bool     // folders that are ready to be written to
	locks     []lock              // on them, as far as they are locked
	partLocks map[string]*os.File // on the files of this part in them, by path
	made      []string            // folders, from the top down

	auditor  auditor
	prepared bool
	finished bool
	leftover []move               // of longer runs, which the commit removes
	further  []Further            // what may not be theirs
	replaced keys                 // files of the run whose place this one takes; nil: not read yet
	foreign  map[string][]foreign // receipts by their folders

	from           *state          // of the run that this one goes on with; nil: none
	adopted        map[string]bool // hidden files that it takes over
	saved          bool            // the state on disk is this run's
	kept           bool            // what is not renamed stays
	stateLeft      error           // of removing the state behind the commit
	lastAttachment int             // number of the last attachment of a state
	attached       []string        // attachments of the state on disk
	noted          map[string]bool // folders with a note: whether it is durable
	madeSynced     int             // how many of made are durable
}

// New makes a Set without claims. It touches nothing.
func New(o Options) *Set {
	if o.Shown == nil {
		o.Shown = func(path string) string { return path }
	}
	o.Hash = cmp.Or(o.Hash, filehash.Default)
	return &Set{
		opts: o, ctx: context.Background(), disk: theDisk, blind: caseBlind,
		owned: map[string]ownership{}, existing: map[identity][]ownership{}, counted: map[family][]ownership{}, families: map[family]*numbering{}, folders: map[string]ownership{}, patterns: map[string]ownership{},
		real: map[string]string{}, blindness: map[string]bool{}, entered: map[string]bool{}, noted: map[string]bool{},
		partLocks: map[string]*os.File{}, foreign: map[string][]foreign{},
	}
}

var runForm = regexp.MustCompile(`^[0-9A-Za-z]+$`)

// Prepare makes the folders, holds them against other runs, removes what dead runs have left in them, and stages every
// file whose name is known, so that what cannot be written is found before anything runs. Opening a pipe waits for its
// reader or for ctx. After an error the Set can only be aborted.
func (s *Set) Prepare(ctx context.Context) error {
	if !fitRun(s.opts.Run) {
		return fmt.Errorf("want the id of the run to be 8 to 64 letters and digits, have %q", s.opts.Run)
	}
	if len(s.conflicts) > 0 {
		c := s.conflicts[0]
		return fmt.Errorf("%s: %s", c.Claim.What, c.Message)
	}
	s.ctx = ctx
	if err := s.tryBuckets(); err != nil {
		return err
	}
	texts, err := s.takeOver()
	if err != nil {
		return err
	}
	defer texts.Close()
	for _, c := range s.claims {
		if err := s.prepare(ctx, c, texts); err != nil {
			return fmt.Errorf("%s: %w", c.What, err)
		}
	}
	s.auditor.start()
	s.prepared = true
	return nil
}

func fitRun(id string) bool { return len(id) >= 8 && len(id) <= 64 && runForm.MatchString(id) }

func (s *Set) prepare(ctx context.Context, c *claim, texts io.Reader) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(c.pattern.labels) > 0 {
		if err := s.enterFolder(c); err != nil || s.from == nil {
			return err
		}
	}
	if s.from != nil && c.sink != nil {
		return c.sink.restore(s.from.sink(c), texts)
	}
	if !c.Sidecar {
		err = s.mayReplace(c.target)
	}
	if err == nil {
		c.file, err = s.stage(ctx, c, c.target)
	}
	if err != nil && c.Optional {
		c.file, c.failure = nil, err
		return nil
	}
	if err != nil || c.sink == nil {
		return err
	}
	return c.sink.begin(c.sink.only.add(&sinkFile{path: c.target.path, file: c.file}))
}
