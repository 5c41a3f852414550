package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

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
		if _, err := r.complete(c.sink); err != nil {
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
	if beside, err := s.locate(failed.path); err != nil || beside.real != failed.real {
		failed.path = failed.real // t is a link into another folder
	}
	return failed
}

// failedName is NAME.failed.EXT for NAME.EXT. The ending of a compressed file belongs to EXT.
func failedName(path string) string {
	stem, ext := cutExt(path)
	return stem + ".failed" + ext
}
