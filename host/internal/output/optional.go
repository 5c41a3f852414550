package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// MayReplace says why what stands at a path is not to be replaced by a file that begins with mark: it is another's. An empty file,
// and nothing at all, may be.
func MayReplace(path, mark string) error {
	head, err := headOf(path, len(mark))
	switch {
	case missing(err):
		return nil
	case err != nil:
		return err
	case len(head) > 0 && string(head) != mark:
		return fmt.Errorf("%s is there and is not of sluice", path)
	}
	return nil
}

// headOf gives the first n bytes of a file, fewer when it has no more.
func headOf(path string, n int) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	case info.IsDir():
		return nil, fmt.Errorf("want a file to write, have the folder %q", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("want a file to write, have the pipe or device %q", path) // opening a pipe can block for good
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	return head, nil
}

// Spare claims a file that is written last, as Report does, and without which a run goes well: it is left out when it cannot be
// written. The error says why nothing is claimed: somebody has the path already, or no file can stand there.
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

// whither finds the target of a path, in the root of the set if it has one.
func (s *Set) targetOf(path string) (*target, error) {
	path, err := s.inRoot(path)
	if err != nil {
		return nil, err
	}
	return s.locate(path)
}

// Missed says why a spare report has not got its name; nil when it has. The Set is committed.
func (r *Report) Failure() error { return r.claim.failure }

// Stale has the file at a path removed with the commit if it begins with mark, and if nobody has claimed it: it is about another run.
func (s *Set) MarkStale(path, mark string) {
	t, err := s.targetOf(path)
	if err != nil || t.inPlace() {
		return
	}
	if _, taken := s.ownerOf(t, nil); !taken {
		s.stale = append(s.stale, &claim{Claim: Claim{Mark: mark}, target: t})
	}
}

// dropSpare lets go of spare files that have not been written, or have no place any more.
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
			_ = f.discard(&s.disk) // the next run sweeps it
		}
	}
}

// removeStale removes what is about another run: it is not to stand beside new outputs, also when nothing takes its place.
func (s *Set) removeStale() {
	for _, c := range append(slices.Clip(s.stale), s.claims...) {
		if !c.Optional && c.writes {
			continue
		}
		if head, err := headOf(c.target.real, len(c.Mark)); err == nil && string(head) == c.Mark {
			_ = s.disk.remove(c.target.real)
		}
	}
}

// Staged are the hidden paths of files that have no names yet, by the paths that they were claimed for; empty for what is written as
// it stands.
func (s *Set) Staged() map[string]string {
	all := map[string]string{}
	for _, f := range s.files {
		all[f.target.path] = f.temp
	}
	return all
}
