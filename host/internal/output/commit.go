package output

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
)

// A File is what a sink has written, as it lies on disk.
type File struct {
	Claim   Claim // the sink's
	Path    string
	Records int64
	Bytes   int64
	filehash.Sum
	Lengths map[int64]int64 // rows by the most bytes that they have, a power of two, before compression
	Origins *Origins        // nil when there are none
}

// Finish completes every file but the receipt and reports about the others, and makes it durable, under its hidden name
// still. It reads back what was written and fails when that is not what the sinks have counted. The files are in the order
// of their claims, and within a sink by name. A sink without labels has a file even when it has no record; a report that was
// not written has none.
func (s *Set) Finish() ([]File, error) {
	s.auditor.stop()
	var files []File
	for _, sink := range s.sinks {
		sink.retiring.Wait()
		for _, path := range slices.Sorted(maps.Keys(sink.series)) {
			for _, r := range sink.series[path].files {
				if r.file == nil {
					continue // claimed for records that did not come
				}
				file, err := r.complete()
				if err != nil {
					return nil, fmt.Errorf("%s: %w", sink.claim.What, err)
				}
				files = append(files, file)
			}
		}
	}
	for _, c := range s.claims {
		if c.sink == nil && c != s.receipt && !c.AfterFinish && !c.file.complete {
			if err := c.file.discard(&s.disk); err != nil {
				return nil, fmt.Errorf("%s: %w", c.What, err)
			}
		}
	}
	s.finished = true
	return files, nil
}

// finish makes a file and its origins whole and durable, and returns what lies on disk. It is called once, by complete.
func (r *sinkFile) finish(s *Sink) (file File, err error) {
	if err := r.close(); err != nil {
		return file, err
	}
	lines := int64(-1)
	if r.lined {
		lines = r.records
	}
	if err := r.file.finish(&s.set.disk, lines); err != nil {
		return file, err
	}
	bytes, sum := r.file.sum()
	file = File{s.claim.Claim, r.path, r.records, bytes, sum, r.lengths.byBound(), nil}
	if r.origins != nil {
		file.Origins, err = r.origins.finish(&s.set.disk, &file)
	}
	return file, err
}

// Commit renames all files to their names: first it removes the old receipt, so that no receipt lies next to outputs that it
// does not describe, then it renames outputs and reports, and the new receipt last. The error lists which files are in place
// and which are not; Abort removes those that are not.
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
	if err := s.removeReceipt(); err != nil {
		return err
	}
	s.removeStale()
	s.removeLeftover()
	folders := map[string]bool{}
	for i, f := range files {
		if s.receipt != nil && f == s.receipt.file {
			s.syncFolders(folders)
		}
		if err := f.moveTo(&s.disk, f.target.real); err != nil && f.claim.Optional {
			f.claim.failure = err
			_ = f.discard(&s.disk)
		} else if err != nil {
			return fmt.Errorf("%s: %w (%s)", f.claim.What, err, places(files[:i], files[i:]))
		}
		if !f.notDurable {
			folders[filepath.Dir(f.target.real)] = true
		}
	}
	s.syncFolders(folders)
	s.removeFailed()
	s.leaveFolders()
	return nil
}

// unnamed returns the staged files that have no name yet, in the order of their claims, within a sink by name, the receipt last.
func (s *Set) unnamed() []*file {
	files := slices.DeleteFunc(slices.Clone(s.files), func(f *file) bool { return f.temp == "" })
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

func (s *Set) removeReceipt() error {
	if s.receipt == nil || s.receipt.file.temp == "" {
		return nil
	}
	real := s.receipt.target.real
	err := s.disk.remove(real)
	if oserr.Missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: old receipt: %w", s.receipt.What, s.receipt.file.failed(err))
	}
	s.syncFolders(map[string]bool{filepath.Dir(real): true})
	return nil
}

// syncFolders makes names durable. Not every system can, and the names are given all the same.
func (s *Set) syncFolders(folders map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if dir, err := os.Open(name); err == nil {
			_ = s.disk.sync(dir)
			dir.Close()
		}
	}
}

func places(given, left []*file) string {
	names := func(files []*file) string {
		var all []string
		for _, f := range files {
			all = append(all, f.target.path)
		}
		return cmp.Or(strings.Join(all, ", "), "nothing")
	}
	return "in place: " + names(given) + "; not in place: " + names(left)
}

// Abort removes the files that were not renamed, and the folders that were made for them. It may be called at any time after the
// writers have stopped, and again.
func (s *Set) Abort() error {
	s.auditor.stop()
	for _, sink := range s.sinks {
		sink.stop()
	}
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.discard(&s.disk))
	}
	s.leaveFolders()
	return errors.Join(errs...)
}

// KeepFailed keeps the files of a failed run whose claims have Keep, each under the name NAME.failed.EXT in the same folder,
// in place of what an earlier run left there, and returns their paths. Empty files are not kept. Call Abort after it; a later
// Commit of the same claims removes what was kept.
func (s *Set) KeepFailed() ([]string, error) {
	s.auditor.stop()
	var kept []string
	var errs []error
	for _, c := range s.claims {
		if c.failed == nil || c.file == nil || c.file.temp == "" {
			continue
		}
		path, err := s.keepFailed(c)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.What, err))
		} else if path != "" {
			kept = append(kept, path)
		}
	}
	return kept, errors.Join(errs...)
}

func (s *Set) keepFailed(c *claim) (string, error) {
	if c.sink != nil {
		r := c.sink.only.current()
		if r.records == 0 {
			return "", nil
		}
		if _, err := r.complete(); err != nil {
			return "", err
		}
	}
	if !c.file.complete {
		return "", nil // a report that was not written
	}
	if err := c.file.moveTo(&s.disk, c.failed.real); err != nil {
		return "", err
	}
	s.syncFolders(map[string]bool{filepath.Dir(c.failed.real): true})
	return c.failed.path, nil
}

// removeFailed removes what KeepFailed has kept of earlier runs. No run fails for it.
func (s *Set) removeFailed() {
	for _, c := range s.claims {
		if c.failed == nil {
			continue
		}
		if info, err := os.Lstat(c.failed.real); err == nil && info.Mode().IsRegular() {
			_ = s.disk.remove(c.failed.real) // it does no harm if it stays
		}
	}
}

// failedTarget returns where KeepFailed keeps the file for t: in the same folder, so that a rename is enough.
func (s *Set) failedTarget(t *target) *target {
	failed := &target{path: failedName(t.path), real: failedName(t.real)}
	failed.key = s.keyOf(failed.real)
	if near, err := s.locate(failed.path); err != nil || near.real != failed.real {
		failed.path = failed.real // t is a link into another folder
	}
	return failed
}

// failedName returns NAME.failed.EXT for NAME.EXT. The ending of a compressed file belongs to EXT.
func failedName(path string) string {
	stem, ext := cutExt(path)
	return stem + ".failed" + ext
}
