package output

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// MayReplace returns why the file at a path must not be replaced by one that begins with mark: it begins otherwise, so it is not
// of sluice. An empty file may be replaced, and so may what a loss of power leaves of one that is not synced: a part, or zeros.
func MayReplace(path, mark string) error {
	head, err := headOf(path, len(mark))
	switch {
	case oserr.Missing(err):
		return nil
	case err != nil:
		return err
	case !strings.HasPrefix(mark, strings.TrimRight(string(head), "\x00")):
		return fmt.Errorf("%s exists, and sluice did not write it", path)
	}
	return nil
}

// headOf returns the first n bytes of a file, fewer when it has no more.
func headOf(path string, n int) ([]byte, error) {
	info, err := places.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, oserr.Reason(err))
	case info.IsDir():
		return nil, fmt.Errorf("want a file to write, have the folder %q", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("want a file to write, have the pipe or device %q", path) // opening a pipe can block for good
	}
	f, err := places.OpenAs(path, info)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, oserr.Reason(err))
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, oserr.Reason(err))
	}
	return head, nil
}

// Optional claims a file that is written last, as Report does, and without which a run succeeds: it is left out when it cannot
// be written. The error names why nothing is claimed: the path is claimed already, or cannot be that of a file.
func (s *Set) Optional(c Claim) (*Report, error) {
	t, err := s.targetOf(c.Path)
	if err == nil {
		err = t.writable()
	}
	if err != nil {
		return nil, err
	}
	if t.inPlace() {
		return nil, fmt.Errorf("want a file to write, have the pipe or device %q", c.Path)
	}
	if h, taken := s.ownerOf(t, nil); taken {
		return nil, fmt.Errorf("want a path of its own, have %q, which %s", c.Path, h.by.verb())
	}
	c.AfterFinish, c.NotDurable, c.Optional = true, true, true
	return s.Report(c)
}

// targetOf returns the target of a path, in the root of the set if it has one.
func (s *Set) targetOf(path string) (*target, error) {
	path, err := s.inRoot(path)
	if err != nil {
		return nil, err
	}
	return s.locate(path)
}

// Failure returns why an optional report was not written; nil when it was. The Set is committed.
func (r *Report) Failure() error { return r.claim.failure }

// MarkStale has Commit remove the file at a path if it begins with mark and is not claimed: it describes another run.
func (s *Set) MarkStale(path, mark string) {
	t, err := s.targetOf(path)
	if err != nil || t.inPlace() {
		return
	}
	if _, taken := s.ownerOf(t, nil); !taken {
		s.stale = append(s.stale, &claim{Claim: Claim{Mark: mark}, target: t})
	}
}

// dropOptional discards optional files that were not written, or whose path cannot be that of a file any more.
func (s *Set) dropOptional() {
	for _, f := range s.files {
		if !f.claim.Optional {
			continue
		}
		err := f.target.writable()
		if err == nil && !f.complete {
			err = errors.New("it was not written")
		}
		if err != nil {
			f.claim.failure = err
			_ = f.discard(&s.disk) // the next run removes it otherwise
		}
	}
}

// staleFiles returns the files that describe another run, also where no new file takes their place.
func (s *Set) staleFiles() (paths []string) {
	for _, c := range append(slices.Clip(s.stale), s.claims...) {
		if !c.Optional && c.writes {
			continue
		}
		if head, err := headOf(s.final(c.target.real), len(c.Mark)); err == nil && string(head) == c.Mark {
			paths = append(paths, c.target.real)
		}
	}
	return paths
}

// Staged returns the hidden paths of files that were not renamed yet, by the paths that they were claimed for; empty for pipes
// and devices.
func (s *Set) Staged() map[string]string {
	all := map[string]string{}
	for _, f := range s.files {
		all[f.target.path] = f.temp
	}
	return all
}
