package output

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/wholefile"
)

// A File is what a sink has written, as it lies on disk.
type File struct {
	Claim   Claim // the sink's
	Path    string
	Records int64
	Bytes   int64
	filehash.Sum
	Lengths map[int64]int64  // rows by the most bytes that they have, before compression; see receipt.Output
	Origins *Origins         // nil when there are none
	AsJSON  []parquet.Column // of a table: those that no other type holds
	Unmet   []string         // of a table: columns with a type that is given, and that no row of the sink has
}

// Finish completes every file but the receipt and reports about the others, and makes it durable, under its hidden name
// still. It reads back what was written and fails when that is not what the sinks have counted. The files are in the order
// of their claims, and within a sink by name. A sink without labels has a file even when it has no record; a report that was
// not written has none.
func (s *Set) Finish() ([]File, error) {
	s.auditor.stop()
	files, err := s.completeSinks()
	if err != nil {
		return nil, err
	}
	for _, c := range s.claims {
		if c.sink == nil && c != s.receipt && !c.AfterFinish && !c.file.complete {
			if err := c.file.discard(&s.disk); err != nil {
				return nil, fmt.Errorf("%s: %w", c.What, err)
			}
		}
	}
	s.sortFurther()
	s.sortReplaced()
	s.finished = true
	return files, nil
}

// completeSinks completes the files of all sinks.
func (s *Set) completeSinks() ([]File, error) {
	var written []*sinkFile
	var of []*Sink
	for _, sink := range s.sinks {
		sink.retiring.Wait()
		for _, path := range slices.Sorted(maps.Keys(sink.series)) {
			for _, r := range sink.series[path].files {
				if r.file != nil { // otherwise it is claimed for records that did not come
					written, of = append(written, r), append(of, sink)
				}
			}
		}
	}
	for _, sink := range s.sinks {
		if sink.format.table {
			if _, err := sink.schema(); err != nil {
				return nil, fmt.Errorf("%s: %w", sink.claim.What, err)
			}
		}
	}
	files := make([]File, len(written))
	var closing sync.Mutex
	err := together(len(written), func(i int) (err error) {
		closing.Lock() // it changes what the sink has open
		err = written[i].close(of[i])
		closing.Unlock()
		if err == nil {
			files[i], err = written[i].complete()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", of[i].claim.What, err)
		}
		return err
	})
	return files, err
}

// atOnce is how many files are made durable at the same time: a disk does that for several in little more time than for one.
const atOnce = 16

// together calls do(0) to do(n-1), several at the same time, and starts no call after a failure. It returns the error of the lowest number,
// and panics when a call does.
func together(n int, do func(i int) error) error {
	errs, panics := make([]error, n), make([]any, n)
	var g errgroup.Group
	var failed atomic.Bool
	g.SetLimit(atOnce)
	for i := range n {
		if failed.Load() {
			break
		}
		g.Go(func() error {
			defer func() {
				if panics[i] = recover(); panics[i] != nil {
					failed.Store(true)
				}
			}()
			if errs[i] = do(i); errs[i] != nil {
				failed.Store(true)
			}
			return nil
		})
	}
	_ = g.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p)
	}
	return cmp.Or(errs...)
}

// finish makes a file and its origins whole and durable, and returns what lies on disk. It is called once, by complete.
func (r *sinkFile) finish(s *Sink) (file File, err error) {
	if err := r.close(s); err != nil {
		return file, err
	}
	schema := &parquet.Schema{}
	if s.format.table {
		if schema, err = r.convert(s); err != nil {
			return file, err
		}
	}
	lines := int64(-1)
	if r.lined {
		lines = r.records
	}
	if err := r.file.finish(&s.set.disk, lines); err != nil {
		return file, err
	}
	bytes, sum := r.file.sum()
	file = File{s.claim.Claim, r.path, r.records, bytes, sum, r.lengths.byBound(), nil, schema.JSON, schema.Unmet}
	if r.origins != nil {
		if file.Origins, err = r.origins.finish(&s.set.disk, &file); err != nil {
			return file, err
		}
	}
	return file, nil
}

// Commit gives all files their names. What it does is written down first, in the state of the run: when it fails or is killed after
// that, Complete does the rest, and Abort removes nothing. First the old receipt and what else describes the outputs goes, so that none
// lies next to outputs that it is not about, then outputs and reports get their names, and the new receipt comes last. The error of a
// commit that has begun is a CommitError.
func (s *Set) Commit() error {
	if !s.finished || s.receipt != nil && !s.receipt.file.complete {
		return errors.New("want everything finished and the receipt written before the commit")
	}
	s.dropOptional()
	files := s.unnamed()
	for _, f := range files {
		if f.claim.AfterFinish && !f.complete {
			return fmt.Errorf("want %s written before the commit", f.claim.What)
		}
		if err := f.target.writable(); err != nil { // it has become a folder
			return fmt.Errorf("%s: %w", f.claim.What, err)
		}
	}
	if err := s.sendRest(files); err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f *file) bool { return f.temp == "" })
	list := s.list(files)
	if err := s.checkStaged(list); err != nil {
		return err
	}
	if s.statePath() != "" {
		if err := s.writeList(list); err != nil {
			return err
		}
	}
	if err := s.carryOut(list); err != nil {
		return err
	}
	s.done(list)
	return nil
}

// done removes what only served the commit, the state last: until then a run that was killed here can be resumed, which does the rest. All
// outputs have their names, so the run has succeeded, whatever comes of it.
func (s *Set) done(list *state) {
	for _, f := range s.files {
		if f.rows { // what is left of them the next run removes
			_ = f.discard(&s.disk)
		}
	}
	if path := s.statePath(); path != "" {
		s.cleanFolders(list)
		if err := s.removeState(list); err != nil {
			err = fmt.Errorf("all outputs are in place, but what the run noted to give them their names may be left at %s: %w; the next run removes it", path, err)
			s.stateLeft = errors.Join(s.stateLeft, err)
		}
	}
	s.saved, s.kept, s.from = false, false, nil
	s.leaveFolders()
}

// StateLeft returns why the state of the run, or what a failed run has said of itself, could not be removed; nil when nothing is left. What
// is left does no harm: the next run with the same receipt removes it.
func (s *Set) StateLeft() error { return s.stateLeft }

// unnamed returns the staged files that have no name yet, in the order of their claims, within a sink by name, the receipt last.
func (s *Set) unnamed() []*file {
	files := slices.DeleteFunc(slices.Clone(s.files), func(f *file) bool { return f.temp == "" || f.rows })
	order := map[*claim]int{}
	for i, c := range s.claims {
		order[c] = i
	}
	if s.receipt != nil {
		order[s.receipt] = len(s.claims)
	}
	slices.SortFunc(files, func(a, b *file) int {
		return cmp.Or(order[a.claim]-order[b.claim], strings.Compare(a.target.path, b.target.path))
	})
	return files
}

// syncFolders makes names durable.
func (s *Set) syncFolders(folders map[string]bool) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		errs = append(errs, s.syncFolder(name))
	}
	return errors.Join(errs...)
}

func (s *Set) syncFolder(name string) error {
	if err := wholefile.SyncFolder(name, s.disk.sync); err != nil {
		return fmt.Errorf("%s: %w", name, oserr.Reason(err))
	}
	return nil
}

// Abort removes the files that were not renamed, the state of the run, and the folders that were made for them. After a commit that
// has begun, and when the files of an interrupted run could not be opened, it removes nothing, so that the run can be resumed. It may be
// called at any time after the writers have stopped, and again.
func (s *Set) Abort() error {
	if s.kept || s.from != nil && !s.prepared {
		return s.release()
	}
	err := s.Remove()
	s.leaveFolders()
	return err
}

// Remove does the part of Abort that makes room on the disks: it removes files and state, and keeps the folders and their locks.
func (s *Set) Remove() error {
	s.auditor.stop()
	for _, sink := range s.sinks {
		sink.stop()
	}
	var errs []error
	if s.saved || s.from != nil { // first, since it leads to the files
		x, _ := readState(s.statePath())
		errs = append(errs, s.removeState(x))
		s.from = nil
	} else {
		s.removeUnsaved()
	}
	for _, f := range s.files {
		errs = append(errs, f.discard(&s.disk))
	}
	return errors.Join(errs...)
}
