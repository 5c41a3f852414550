package output

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/oserr"
)

// The state of an interrupted run may come with a folder that somebody else has made. So nothing that it names is renamed, removed or
// written to unless this run claims it, and all of it is checked before anything is touched.

func notClaimed(path string) error {
	return fmt.Errorf("%s: want a path that this run claims, have one that only the state of the interrupted run names; run without --resume", path)
}

// checkList checks that the list of a commit names only files that this run claims, under hidden names in their folders, and files that
// this run would remove itself. It takes out of the list what must not be removed any more.
func (s *Set) checkList(x *state) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, folders, taken := s.statePath(), map[string]bool{}, map[string]bool{}
	claimed, err := s.claimListed(x)
	if err != nil {
		return err
	}
	for _, m := range x.Commit {
		real := far(path, m.Real)
		if m.Hidden == "" {
			continue
		}
		if claimed[real] != m.What || m.What == "" || !s.isHidden(m.Hidden, real) || taken[real] {
			return notClaimed(cmp.Or(m.Path, m.Real))
		}
		if m.Note != "" && !s.isHidden(m.Note, filepath.Join(filepath.Dir(real), uploadPrefix+filepath.Base(real))) {
			return notClaimed(m.Note)
		}
		taken[real], folders[filepath.Dir(real)] = true, true
	}
	for _, folder := range x.Folders {
		if !folders[far(path, folder)] {
			return notClaimed(folder)
		}
	}
	for _, m := range x.Commit {
		if m.Hidden == "" && !s.mayRemove(far(path, m.Real)) {
			return notClaimed(m.Real)
		}
	}
	x.Commit = slices.DeleteFunc(x.Commit, func(m move) bool { return m.Hidden == "" && !s.isOld(m) })
	return s.adopt(x)
}

// claimListed claims the files of a list, as far as they belong to this run's claims, and returns who writes each, by its real path.
// The caller holds the Set's lock.
func (s *Set) claimListed(x *state) (map[string]string, error) {
	claimed := map[string]string{}
	first := map[string]*target{} // of series of labelled files
	for _, m := range x.Commit {
		for _, c := range s.claims {
			if c.What != m.What || m.Hidden == "" {
				continue
			}
			t, err := c.listed(m.Path, first)
			if err != nil {
				return nil, err
			}
			if t == nil || t.inPlace() {
				continue
			}
			claimed[t.real] = c.What
			if c.sink == nil {
				continue
			}
			if o, err := s.originsTarget(t); err != nil {
				return nil, err
			} else if o != nil {
				claimed[o.real] = c.What
			}
		}
	}
	return claimed, nil
}

// listed returns the target of a path if it is one of the claim's, else nil.
func (c *claim) listed(path string, first map[string]*target) (*target, error) {
	of, n := path, 1
	if c.Rotate != (Rotate{}) {
		if of, n = unnumbered(path); n == 0 {
			return nil, nil
		}
	}
	if c.target != nil && (of != c.Path || n == 1) {
		if of != c.Path {
			return nil, nil
		}
		return c.target, nil
	}
	if c.target == nil && !c.pattern.matches(of) {
		return nil, nil
	}
	key := c.What + "\x00" + of
	if c.target == nil && first[key] == nil {
		t, _, fault := c.sink.ownName(of)
		if c.sink.err != nil {
			return nil, c.sink.err
		}
		if fault != nil {
			return nil, notClaimed(path)
		}
		first[key] = t
	}
	if n == 1 {
		return first[key], nil
	}
	t, bad, err := c.sink.claimFile(path)
	if bad != "" {
		return nil, notClaimed(path)
	}
	return t, err
}

// unnumbered returns the path and the number from which Numbered makes this path; 0 when there are none.
func unnumbered(path string) (of string, n int) {
	stem, ext := cutExt(path)
	i := strings.LastIndexByte(stem, '-')
	if i < 0 {
		return "", 0
	}
	n, err := strconv.Atoi(stem[i+1:])
	if of = stem[:i] + ext; err != nil || n < 1 || Numbered(of, n) != path {
		return "", 0
	}
	return of, n
}

// isHidden reports whether a name is one that the run gives a file until it has its own.
func (s *Set) isHidden(hidden, real string) bool {
	digits := strings.TrimSuffix(hidden[strings.LastIndexByte(hidden, '-')+1:], ".sluice")
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 0 && hidden == s.temporary(filepath.Base(real), n)
}

// mayRemove reports whether a path is one of those that a commit of this run removes when an older run has left a file there.
func (s *Set) mayRemove(real string) bool {
	for _, c := range slices.Concat(s.stale, s.claims) {
		if c.target != nil && c.target.real == real && (c.Optional || !c.writes) || c.failed != nil && c.failed.real == real {
			return true
		}
	}
	if slices.ContainsFunc(s.claims, func(c *claim) bool { return c.sink != nil && c.folder != nil && c.labelled(rowsOf(real)) }) {
		return true
	}
	key := s.keyOf(rowsOf(real))
	return slices.ContainsFunc(s.numbers, func(n *numbering) bool { return n.number(key) > 0 })
}

// isOld reports whether there is a file that an older run has left, at a path that mayRemove accepts.
func (s *Set) isOld(m move) bool {
	real := far(s.statePath(), m.Real)
	return slices.Contains(slices.Concat(s.staleFiles(), s.keptFailed()), real) || s.isLeft(m)
}

// rowsOf returns the path of the rows whose origins lie at a path, or this path when it is none of origins.
func rowsOf(path string) string {
	name, cut := strings.CutSuffix(filepath.Base(path), originsEnding)
	if folder := filepath.Dir(path); cut && filepath.Base(folder) == sidecarFolder {
		return filepath.Join(filepath.Dir(folder), name)
	}
	return path
}

// adopt takes over the folders and the parts of an interrupted run, if this run would make the folders, too.
func (s *Set) adopt(x *state) error {
	path := s.statePath()
	var made []string
	for _, folder := range x.Made {
		if made = append(made, far(path, folder)); !s.hasFolder(far(path, folder)) {
			return notClaimed(folder)
		}
	}
	s.made, s.madeSynced = made, len(made)
	for _, p := range x.Attached {
		s.attached = append(s.attached, p.File)
	}
	return nil
}

// hasFolder reports whether a folder is one that outputs or their sidecars lie in, or above it.
func (s *Set) hasFolder(real string) bool {
	if filepath.Base(real) == sidecarFolder {
		real = filepath.Dir(real)
	}
	_, has := s.folders[filepath.Dir(s.keyOf(filepath.Join(real, "x")))]
	return has
}

// checkMark checks that what a checkpoint has of a sink are files of this run's.
func (s *Set) checkMark(c *claim, m *sinkMark) error {
	for _, x := range m.Series {
		whole := c.target != nil && x.Path == c.Path || c.target == nil && c.pattern.matches(x.Path)
		if !whole || len(x.Files) > 1 && c.Rotate == (Rotate{}) {
			return notClaimed(x.Path)
		}
		for i, y := range x.Files {
			if err := s.adoptFile(c, c.nth(x.Path, i+1), y); err != nil {
				return err
			}
		}
	}
	return nil
}

// adoptFile notes the hidden names of a file of a checkpoint.
func (s *Set) adoptFile(c *claim, path string, m fileMark) error {
	t, err := s.locate(path)
	if err != nil || m.Hidden == "" {
		return err
	}
	h, taken := s.ownerOf(t, c)
	if t.inPlace() || taken && h.by != c || !s.isHidden(m.Hidden, t.real) {
		return notClaimed(path)
	}
	temp := filepath.Join(filepath.Dir(t.real), m.Hidden)
	if err := s.checkHidden(path, temp, m.Size, m.CRC, m.Sum != nil); err != nil {
		return fmt.Errorf("%s: %w", c.What, err)
	}
	s.adopted[temp] = true
	s.ownFolders(ownership{c, t}, t.key)
	if m.Origins == nil {
		return nil
	}
	o, err := s.originsTarget(t)
	if err != nil {
		return err
	}
	if o == nil || !s.isHidden(m.Origins.Hidden, o.real) {
		return notClaimed(OriginsPath(path))
	}
	temp = filepath.Join(filepath.Dir(o.real), m.Origins.Hidden)
	s.adopted[temp] = true
	if err := s.checkHidden(OriginsPath(path), temp, m.Origins.Size, m.Origins.CRC, m.Origins.Sum != nil); err != nil {
		return fmt.Errorf("%s: %w", c.What, err)
	}
	return nil
}

// checkHidden checks that a hidden file begins with what an interrupted run had written by its last checkpoint. A complete one has nothing
// behind it.
func (s *Set) checkHidden(path, temp string, size int64, crc uint32, complete bool) error {
	info, err := os.Lstat(temp)
	switch {
	case oserr.Missing(err):
		return fmt.Errorf("%w; run without --resume", &LostError{path, size, temp, false})
	case err != nil:
		return fmt.Errorf("%s: %w", path, oserr.Reason(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: want a file that the interrupted run has written, have something else at %s; run without --resume", path, temp)
	case info.Size() < size || complete && info.Size() != size:
		return fmt.Errorf("%s: want the %d bytes that the interrupted run has written, have %d in %s; run without --resume", path, size, info.Size(), temp)
	}
	switch same, err := holds(s.ctx, temp, size, crc); {
	case err != nil:
		return fmt.Errorf("%s: %w", path, oserr.Reason(err))
	case !same:
		return fmt.Errorf("%s: want the bytes that the interrupted run has written, have bytes that differ in %s; run without --resume", path, temp)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// holds reports whether the first bytes of a file have a checksum.
func holds(ctx context.Context, name string, size int64, crc uint32) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	have := uint32(0)
	for buf := make([]byte, min(size, auditStep)); size > 0; {
		n, err := io.ReadFull(f, buf[:min(size, int64(len(buf)))])
		if err = cmp.Or(err, context.Cause(ctx)); err != nil {
			return false, err
		}
		have, size = crc32.Update(have, castagnoli, buf[:n]), size-int64(n)
	}
	return have == crc, nil
}

// noteLeads reports whether the interrupted run with the state has written into a folder: it has a note, or lies beside the state.
func (s *Set) noteLeads(folder, run string) bool {
	path, home := s.statePath(), noteFolder(folder)
	if home == filepath.Dir(path) {
		return true
	}
	name := filepath.Join(home, run+stateEnding)
	of, leads := headOfState(name)
	return of == run && leads != "" && far(name, leads) == path
}

// isAbove reports whether a path is that of a folder or of something in it.
func isAbove(folder, path string) bool {
	sep := string(filepath.Separator)
	return strings.HasPrefix(path+sep, strings.TrimSuffix(folder, sep)+sep)
}

// isFolder reports whether a folder is there, not a link to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
