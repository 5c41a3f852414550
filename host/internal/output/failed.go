package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/oserr"
)

// KeepFailed keeps the files of a failed run whose claims have KeepFailed, each under the name NAME.failed.EXT in the same folder,
// in place of what an earlier run left there, and returns them. Empty files are not kept. Call Abort after it; a later
// Commit of the same claims removes what was kept.
func (s *Set) KeepFailed() ([]File, error) {
	s.auditor.stop()
	var kept []File
	var errs []error
	for _, c := range s.claims {
		if !c.KeepFailed || c.failed == nil || c.file == nil || c.file.temp == "" {
			continue
		}
		file, err := s.keepFailed(c)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.What, err))
		}
		if file.Path != "" {
			kept = append(kept, file)
		}
	}
	return kept, errors.Join(errs...)
}

func (s *Set) keepFailed(c *claim) (kept File, err error) {
	if c.sink != nil {
		r := c.sink.only.current()
		if r.records == 0 {
			return File{}, nil
		}
		if kept, err = r.complete(); err != nil {
			return File{}, err
		}
	}
	if !c.file.complete {
		return File{}, nil // a report that was not written
	}
	kept.Claim, kept.Path, kept.Origins = c.Claim, c.failed.path, nil
	kept.Bytes, kept.Sum = c.file.sum()
	if err := s.keepAs(c.file, c.failed.real); err != nil {
		return File{}, err
	}
	return kept, s.syncFolder(filepath.Dir(c.failed.real))
}

// WriteFailed writes the text of a run that has failed under the name NAME.failed.EXT, in place of what an earlier run left there, and
// returns its path: "" when there is no place for it. The Set is prepared, and neither aborted nor kept yet.
func (r *Report) WriteFailed(ctx context.Context, text []byte) (path string, err error) {
	c, s := r.claim, r.set
	if c.failed == nil {
		return "", nil
	}
	final := s.final(c.failed.real)
	if err := MayReplace(c.failed.path, c.failedMark()); err != nil {
		return "", err
	}
	folder := filepath.Dir(c.failed.real)
	temp := filepath.Join(folder, s.nextTemporary(filepath.Base(c.failed.real)))
	defer func() {
		if err != nil {
			_ = s.disk.remove(temp)
			path, err = "", fmt.Errorf("%s: %w", c.failed.path, oserr.Reason(err))
		}
	}()
	if err := s.writeDurable(temp, func(f *os.File) error { _, err := f.Write(text); return err }); err != nil {
		return "", err
	}
	if final == c.failed.real {
		return c.failed.path, errors.Join(s.disk.rename(temp, final), s.syncFolder(folder))
	}
	if err := s.putObject(ctx, final, temp, int64(len(text))); err != nil {
		return "", err
	}
	return c.failed.path, s.disk.remove(temp)
}

// writeDurable makes a file under a hidden name. After an error there is none.
func (s *Set) writeDurable(temp string, write func(*os.File) error) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = s.disk.sync(f)
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		f.Close()
		_ = s.disk.remove(temp)
	}
	return err
}

// RemoveFailed removes what an earlier run has written with WriteFailed, since it is not about this one. The Set is prepared, or completes
// a commit.
func (s *Set) RemoveFailed() error {
	var errs []error
	for _, c := range s.claims {
		if !c.Failed || !s.hasFailed(c) {
			continue
		}
		err := s.removeFinal(c.failed.real)
		if err == nil && !s.isRemote(c.failed.real) {
			err = s.syncFolder(filepath.Dir(c.failed.real))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.failed.path, oserr.Reason(err)))
		}
	}
	return errors.Join(errs...)
}

// hasFailed reports whether an earlier run has left a file at the place of a claim for a run that fails.
func (s *Set) hasFailed(c *claim) bool {
	if c.failed == nil || !s.hasFinal(c.failed.real) {
		return false
	}
	mark := c.failedMark()
	head, err := headOf(s.final(c.failed.real), len(mark))
	return mark == "" || err == nil && string(head) == mark
}

// failedMark returns what the file begins with that a run has written with WriteFailed, "" for what KeepFailed keeps.
func (c *claim) failedMark() string {
	if !c.Failed {
		return ""
	}
	return cmp.Or(c.Mark, receiptMark)
}

// receiptMark is what a receipt begins with.
const receiptMark = "{\n  \"run\": \""

// keptFailed returns what KeepFailed has kept and WriteFailed has written of earlier runs.
func (s *Set) keptFailed() (paths []string) {
	for _, c := range s.claims {
		if s.hasFailed(c) {
			paths = append(paths, c.failed.real)
		}
	}
	return paths
}

// failedTarget returns where the file for t is kept when the run fails: in the same folder, so that a rename is enough.
func (s *Set) failedTarget(t *target) *target {
	failed := &target{path: FailedPath(t.path), real: FailedPath(t.real)}
	failed.key = s.keyOf(failed.real)
	if near, err := s.locate(failed.path); err != nil || near.real != failed.real {
		failed.path = failed.real // t is a link into another folder
	}
	return failed
}

const failedEnding = ".failed"

// FailedPath returns NAME.failed.EXT for NAME.EXT. The ending of a compressed file belongs to EXT.
func FailedPath(path string) string {
	stem, ext := cutExt(path)
	return stem + failedEnding + ext
}

// FinishedPath returns the path from which FailedPath makes this one.
func FinishedPath(failed string) (path string, ok bool) {
	stem, ext := cutExt(failed)
	if ext == failedEnding {
		return stem, true
	}
	stem, ok = strings.CutSuffix(stem, failedEnding)
	return stem + ext, ok
}
