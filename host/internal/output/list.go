package output

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// A move is one line of the list of a commit: a hidden file and the name that it gets, or a file that is removed. Its path is relative to
// the state's folder.
type move struct {
	What   string `json:"what,omitempty"`
	Path   string `json:"path,omitempty"` // for messages
	Real   string `json:"real"`
	Hidden string `json:"hidden,omitempty"` // empty: removed
	Bytes  int64  `json:"bytes,omitempty"`
	filehash.Sum
	Describes bool `json:"describes,omitempty"` // the others: the file that it replaces goes first, and it comes last
	Optional  bool `json:"optional,omitempty"`  // the run succeeds without it
	Loose     bool `json:"loose,omitempty"`     // it is not durable, so a loss of power may have spoilt it

	Upload places.Parts `json:"upload,omitzero"` // what was sent of a file for object storage
	Note   string       `json:"note,omitempty"`  // hidden name of the note about it

	file  *file // nil in a run that completes another's commit
	given bool  // it has got its name
}

// A CommitError is the error of a commit that has begun.
type CommitError struct {
	Err       error
	Given     []string // paths of the files that are in place
	Left      []string // and that are not
	Lost      []string // and of those whose bytes somebody has removed; nothing completes the commit then
	Resumable bool     // the list is on disk, so the commit can be completed
}

// Error implements error.
func (e *CommitError) Error() string {
	given := cmp.Or(strings.Join(e.Given, ", "), "nothing")
	left := cmp.Or(strings.Join(e.Left, ", "), "nothing")
	switch {
	case len(e.Lost) > 0:
		left += "; lost: " + strings.Join(e.Lost, ", ") + "; run anew, without --resume"
	case e.Resumable:
		left += "; all is written and kept, and run --resume completes it"
	}
	return fmt.Sprintf("%v (in place: %s; not in place: %s)", e.Err, given, left)
}

// Unwrap returns the cause.
func (e *CommitError) Unwrap() error { return e.Err }

// A LostError says that somebody has removed or changed what a run has staged. No run can go on with what is left.
type LostError struct {
	Path    string // of the output
	Bytes   int64
	Hidden  string
	Changed bool // the hidden name leads to something else now
}

// Error implements error.
func (e *LostError) Error() string {
	if e.Changed {
		return fmt.Sprintf("%s: want the %d bytes that the run has written, have a file that was changed or replaced since at %s", e.Path, e.Bytes, e.Hidden)
	}
	return fmt.Sprintf("%s: want the %d bytes that the run has written, have no file %s", e.Path, e.Bytes, e.Hidden)
}

// list makes the list of a commit that gives files their names.
func (s *Set) list(files []*file) *state {
	path, x, folders := s.statePath(), &state{}, map[string]bool{}
	for _, f := range files {
		describes := f.claim == s.receipt || f.claim.AfterFinish && !f.claim.Optional
		bytes, sum := f.sum()
		x.Commit = append(x.Commit, move{
			f.claim.What, f.target.path, near(path, f.target.real), filepath.Base(f.temp), bytes, sum,
			describes, f.claim.Optional, f.notDurable, f.parts, noteOf(f), f, false,
		})
		if dir := filepath.Dir(f.target.real); !folders[dir] {
			folders[dir] = true
			x.Folders = append(x.Folders, near(path, dir))
		}
	}
	slices.SortStableFunc(x.Commit, func(a, b move) int { return cmp.Compare(rank(a), rank(b)) })
	for _, name := range slices.Concat(s.staleFiles(), s.keptFailed()) {
		x.Commit = append(x.Commit, move{Real: near(path, name)})
	}
	x.Commit = append(x.Commit, s.leftover...)
	return x
}

func noteOf(f *file) string {
	if f.parts.ID == "" {
		return ""
	}
	return filepath.Base(f.note)
}

func rank(m move) int {
	if m.Describes {
		return 1
	}
	return 0
}

// writeList writes the list of a commit down. From then on nothing is lost.
func (s *Set) writeList(x *state) error {
	if err := cmp.Or(s.enterState(), s.Discard()); err != nil {
		return err
	}
	if err := s.syncLoose(x); err != nil {
		return err
	}
	path, folders := s.statePath(), map[string]bool{}
	var homes []string
	for _, folder := range x.Folders {
		homes = append(homes, far(path, folder))
		folders[far(path, folder)] = true
	}
	if err := errors.Join(s.syncFolders(folders), s.syncMade()); err != nil { // the hidden names
		return err
	}
	if err := s.protect(homes); err != nil {
		return err
	}
	for _, made := range s.made {
		x.Made = append(x.Made, near(path, made))
	}
	x.Next = s.temps
	if err := s.writeState(x); err != nil {
		return err
	}
	s.kept = true
	return nil
}

// syncLoose makes all files durable that are not yet, except optional ones. What the list completes is whole then, even after a loss of
// power.
func (s *Set) syncLoose(x *state) error {
	return together(len(x.Commit), func(i int) error {
		m := &x.Commit[i]
		if m.file == nil || !m.Loose || m.Optional {
			return nil
		}
		d := durable{m.file, m.file.temp, 0}
		if err := d.sync(&s.disk); err != nil {
			return fmt.Errorf("%s: %w", m.What, m.file.failed(err))
		}
		m.Loose = false
		return nil
	})
}

// checkStaged returns the error of a commit that cannot begin, since somebody has removed what the run has staged.
func (s *Set) checkStaged(x *state) error {
	path := s.statePath()
	for i := range x.Commit {
		if m := &x.Commit[i]; m.Hidden != "" && m.lost(path) {
			return s.stuck(x, fmt.Errorf("%s: %w", m.What, m.errLost(path)))
		}
	}
	return nil
}

// stuck returns the error of a commit that comes no further. After a loss nobody can complete it, so nothing is kept for that.
func (s *Set) stuck(x *state, cause error) error {
	path, e := s.statePath(), &CommitError{Err: cause}
	for i := range x.Commit {
		switch m := &x.Commit[i]; {
		case m.Hidden == "":
		case m.given:
			e.Given = append(e.Given, m.Path)
		case m.lost(path):
			e.Lost = append(e.Lost, m.Path)
		case m.waits(path):
			e.Left = append(e.Left, m.Path)
		}
	}
	s.kept = s.kept && len(e.Lost) == 0
	e.Resumable = s.kept
	return e
}

// carryOut does what a list says, as far as it is not done yet.
func (s *Set) carryOut(x *state) error {
	path := s.statePath()
	fail := func(err error) error { return s.stuck(x, err) }
	if err := s.removeOld(x); err != nil {
		return fail(err)
	}
	for _, describes := range []bool{false, true} {
		folders := map[string]bool{}
		var remote []*move
		for i := range x.Commit {
			m := &x.Commit[i]
			if m.Hidden == "" || m.Describes != describes {
				continue
			}
			if !describes && s.isRemote(far(path, m.Real)) {
				remote = append(remote, m)
				continue
			}
			if err := s.carry(m); err != nil {
				return fail(fmt.Errorf("%s: %w", m.What, err))
			}
			if !m.Loose {
				folders[filepath.Dir(far(path, m.Real))] = true
			}
		}
		err := together(len(remote), func(i int) error {
			if err := s.carry(remote[i]); err != nil {
				return fmt.Errorf("%s: %w", remote[i].What, err)
			}
			return nil
		})
		if err != nil {
			return fail(err)
		}
		if err := errors.Join(s.syncFolders(folders), s.syncMade()); err != nil {
			return fail(err)
		}
	}
	return nil
}

// removeOld removes the files that describe older outputs, and then what else the list removes, which may stay without harm.
func (s *Set) removeOld(x *state) error {
	path, folders, taken := s.statePath(), map[string]bool{}, map[string]bool{}
	for i := range x.Commit {
		m := &x.Commit[i]
		if m.Hidden == "" {
			continue
		}
		taken[m.Real] = m.given
		if !m.Describes || taken[m.Real] {
			continue
		}
		err := s.removeFinal(far(path, m.Real))
		if err != nil && !oserr.Missing(err) {
			return fmt.Errorf("%s: %s: old file: %w", m.What, m.Path, oserr.Reason(err))
		}
		if err == nil {
			folders[filepath.Dir(far(path, m.Real))] = true
		}
	}
	for _, m := range x.Commit {
		if m.Hidden == "" && !taken[m.Real] {
			_ = s.removeFinal(far(path, m.Real))
		}
	}
	return s.syncFolders(folders)
}

// waits reports whether there is a file under the hidden name.
func (m *move) waits(state string) bool {
	_, err := os.Lstat(m.hidden(state))
	return !oserr.Missing(err)
}

// changed reports whether the hidden name leads to something else than what the run has written and compared.
func (m *move) changed() bool {
	if m.file == nil {
		return false // another process has
	}
	_, is := errors.AsType[*LostError](m.file.check())
	return is
}

// lost reports whether the file is gone or changed before it got its name, and the run does not succeed without it.
func (m *move) lost(state string) bool {
	return !m.given && !m.Optional && !m.Loose && (!m.waits(state) || m.changed())
}

func (m *move) errLost(state string) error {
	return &LostError{m.Path, m.Bytes, m.hidden(state), m.waits(state)}
}

func (m *move) hidden(state string) string {
	return filepath.Join(filepath.Dir(far(state, m.Real)), m.Hidden)
}

// carry gives a file its name.
func (s *Set) carry(m *move) error {
	path := s.statePath()
	if m.given {
		return nil
	}
	var err error
	if m.file != nil {
		err = m.file.check()
	}
	if name := s.final(far(path, m.Real)); err != nil {
	} else if places.IsS3(name) {
		err = s.completeUpload(m, name)
	} else {
		err = s.disk.rename(m.hidden(path), far(path, m.Real))
	}
	switch {
	case err == nil:
		if m.given = true; m.file != nil {
			m.file.temp = ""
		}
	case m.Optional || m.Loose:
		if m.file != nil {
			m.file.claim.failure = fmt.Errorf("%s: %w", m.Path, oserr.Reason(err))
		}
		_ = s.disk.remove(m.hidden(path))
	case m.lost(path):
		return m.errLost(path)
	default:
		return fmt.Errorf("%s: %w", m.Path, oserr.Reason(err))
	}
	return nil
}
