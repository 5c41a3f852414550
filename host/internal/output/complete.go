package output

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
)

// Complete ends the commit of an interrupted run, which is Committing: it renames the files that Commit would have renamed. The caller
// prepares nothing before it, and only aborts after it.
func (s *Set) Complete(ctx context.Context, i *Interrupted) error {
	s.Resume(i)
	x := i.state
	s.ctx = ctx
	s.adopted, s.kept = map[string]bool{}, true
	if err := s.checkList(x); err != nil {
		return err
	}
	for k := range x.Commit {
		if m := &x.Commit[k]; m.Hidden != "" {
			s.adopted[m.hidden(i.path)] = true
			s.adopted[filepath.Join(filepath.Dir(m.hidden(i.path)), m.Note)] = m.Note != ""
		}
	}
	if err := s.enterState(); err != nil { // it sweeps
		return err
	}
	for _, folder := range x.Folders {
		s.mu.Lock()
		err := s.enter(far(i.path, folder), far(i.path, folder))
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	for k := range x.Commit {
		if err := cmp.Or(ctx.Err(), s.verify(&x.Commit[k])); err != nil {
			return err
		}
	}
	if err := s.carryOut(x); err != nil {
		return err
	}
	if err := s.RemoveFailed(); err != nil { // the run that could not give the names has said so after it wrote the list
		s.stateLeft = fmt.Errorf("all outputs are in place, but so is what a failed run has said of itself: %w", err)
	}
	s.done(x)
	return nil
}

// verify finds out whether a file of a list is still what it was, under its hidden name or its own, and which of both it has.
func (s *Set) verify(m *move) error {
	path := s.statePath()
	if m.Hidden == "" {
		return nil
	}
	name, waits := m.hidden(path), m.waits(path)
	if m.given = !waits; !waits {
		name = far(path, m.Real)
		if s.isRemote(name) {
			return s.verifyObject(m, s.final(name))
		}
	}
	info, err := os.Lstat(name)
	var sum filehash.Sum
	switch {
	case err != nil || info.Size() != m.Bytes || !info.Mode().IsRegular():
	case waits && !m.Loose: // nobody else knows its name
		return nil
	default:
		sum, err = filehash.File(name, m.Algorithm())
	}
	switch {
	case err == nil && sum == m.Sum:
		return nil
	case m.Loose && waits:
		_ = s.disk.remove(name)
		return nil
	case m.Loose:
		return nil
	case !waits && oserr.Missing(err):
		return fmt.Errorf("%w, nor one in its place; run without --resume", m.errLost(path))
	case err != nil:
		return fmt.Errorf("%s: %s: %w", m.What, m.Path, oserr.Reason(err))
	}
	return fmt.Errorf("%s: want the %d bytes that the run has written, have bytes that differ in %s; run without --resume", m.Path, m.Bytes, name)
}
