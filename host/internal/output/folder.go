package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host/internal/filelock"
	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// maxLocks is how many folders a run locks: labels may lead to more, and each lock is an open file.
const maxLocks = 1024

// A lock keeps a folder from other runs until file is closed. file is nil where the file system cannot lock.
type lock struct {
	info fs.FileInfo
	file *os.File
}

// enter makes a folder ready to be written to: there, locked, and free of what dead runs have left.
// shown is its name for messages.
func (s *Set) enter(real, shown string) error {
	if s.entered[real] {
		return nil
	}
	if err := s.makeFolder(real); err != nil {
		return fmt.Errorf("%s: %w", shown, oserr.Reason(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, oserr.Reason(err))
	}
	// Mounted twice, a folder has two names but takes one lock.
	if slices.ContainsFunc(s.locks, func(l lock) bool { return os.SameFile(l.info, info) }) {
		s.entered[real] = true
		return nil
	}
	if len(s.locks) == maxLocks {
		s.entered[real] = true
		return nil
	}
	file, err := s.lockFolder(real)
	switch {
	case errors.Is(err, errBusy):
		return fmt.Errorf("%w %s", err, shown)
	case err != nil:
		return fmt.Errorf("%s: %w", shown, err)
	}
	s.locks = append(s.locks, lock{info, file})
	s.entered[real] = true
	alone := file != nil
	if s.opts.Part != "" {
		if alone, err = s.lockPart(real); err != nil {
			return fmt.Errorf("%w %s", err, shown)
		}
	}
	if alone { // without a lock, what looks left behind may be a living run's
		s.sweep(real)
	}
	return nil
}

// enterFolder prepares the known folder of a path with labels, and tries whether files can be made there.
func (s *Set) enterFolder(c *claim) error {
	shown := places.Clean(c.folder.path)
	if err := s.enter(c.folder.real, shown); err != nil {
		return err
	}
	if strings.ContainsFunc(strings.Join(c.pattern.fixed[1:], ""), isSeparator) {
		return nil // the labels name folders in it, which may be there
	}
	try := filepath.Join(c.folder.real, s.temporary("try", s.temps))
	f, err := os.OpenFile(try, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(try))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown, oserr.Reason(err))
	}
	return nil
}

// makeFolder makes a folder with those above it, and notes which it has made.
func (s *Set) makeFolder(real string) error {
	if info, err := os.Stat(real); err == nil && info.IsDir() {
		return nil
	}
	if above := filepath.Dir(real); above != real {
		if err := s.makeFolder(above); err != nil {
			return err
		}
	}
	err := os.Mkdir(real, 0o700)
	if err == nil {
		s.made = append(s.made, real)
	} else if info, statErr := os.Stat(real); statErr == nil && info.IsDir() {
		return nil // another process has just made it
	}
	return err
}

var errBusy = errors.New("another run is writing into")

// lockFolder locks a folder for this run, or for all parts that write into it.
func (s *Set) lockFolder(real string) (*os.File, error) {
	if s.opts.Part != "" {
		return lockPath(real, os.Open, filelock.TryShared)
	}
	return lockPath(real, os.Open, filelock.Try)
}

// lockPart locks the files of this part in a folder against another run of the same part, and reports whether it could.
func (s *Set) lockPart(real string) (locked bool, err error) {
	path := partLock(real, s.opts.Part)
	if s.partLocks[path] != nil {
		return true, nil
	}
	if err := s.makeFolder(filepath.Dir(path)); err != nil {
		return false, oserr.Reason(err)
	}
	open := func(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }
	f, err := lockPath(path, open, filelock.Try)
	if errors.Is(err, errBusy) {
		err = fmt.Errorf("another run of part %s is writing into", s.opts.Part)
	}
	switch {
	case err == nil && f != nil:
		s.partLocks[path] = f
	case err == nil: // files cannot be locked here
		os.Remove(path)
	}
	return f != nil, err
}

// lockPath locks a file or folder and makes sure that it was not replaced meanwhile. It returns nil where it cannot be locked.
func lockPath(real string, open func(string) (*os.File, error), try func(*os.File) (locked, busy bool)) (*os.File, error) {
	for {
		f, err := open(real)
		if err != nil {
			return nil, nil // writing to it may be allowed all the same
		}
		locked, busy := try(f)
		if !locked {
			f.Close()
			if busy {
				return nil, errBusy
			}
			return nil, nil
		}
		before, err := f.Stat()
		now, errNow := os.Stat(real)
		if err == nil && errNow == nil && os.SameFile(before, now) {
			return f, nil
		}
		f.Close()
		if errNow != nil && !oserr.Missing(errNow) {
			return nil, oserr.Reason(errNow)
		}
	}
}

// ours reports whether the name of a file that a dead run has left may be of this run: a part leaves those of other parts alone,
// whose runs may go on.
func (s *Set) ours(name string) bool {
	if s.opts.Part == "" {
		return true
	}
	all := partForm.FindAllStringSubmatch(name, -1)
	return len(all) > 0 && all[len(all)-1][1] == s.opts.Part // what comes before may be in the name of the whole run's file
}

var partForm = regexp.MustCompile(`-([0-9]{5}-of-[0-9]{5})`)

// sweep removes the temporary files of runs that have ended without doing so, unless they can be resumed. The folder is locked, and this
// run has none in it yet but those that it takes over. Files that cannot be removed, such as another user's, do no harm.
func (s *Set) sweep(real string) {
	entries, err := os.ReadDir(real)
	if err != nil {
		return // writing to it may be allowed all the same
	}
	var resumable map[string]bool
	if filepath.Base(real) == sidecarFolder {
		resumable = s.resumable(real) // it removes notes, of which nothing hidden may be left
	}
	for _, e := range entries {
		if state := stateOfAttachment(e.Name()); state != "" && e.Type().IsRegular() && s.ours(state) {
			if _, err := os.Lstat(filepath.Join(real, state)); oserr.Missing(err) && filepath.Base(real) == sidecarFolder {
				_ = s.disk.remove(filepath.Join(real, e.Name())) // of a run that ended before its first checkpoint was whole
			}
			continue
		}
		run := runOf(e.Name())
		if !e.Type().IsRegular() || run == "" || !s.ours(e.Name()) || s.adopted[filepath.Join(real, e.Name())] {
			continue
		}
		if resumable == nil {
			resumable = s.resumable(real)
		}
		if run == s.opts.Run || !resumable[run] {
			s.removeHidden(filepath.Join(real, e.Name()))
		}
	}
}

var temporaryForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\..+\.([0-9A-Za-z]{8,64})-[0-9]+\.sluice$`) })

// runOf returns the run of a temporary file, "" of any other.
func runOf(name string) string {
	if m := temporaryForm().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

func isTemporary(name string) bool { return runOf(name) != "" }

// temporary returns the hidden name under which the set's nth file is written, at most maxName bytes long.
func (s *Set) temporary(name string, n int) string {
	end := fmt.Sprintf(".%s-%d.sluice", s.opts.Run, n)
	if s.opts.Part != "" && len(name) > maxName-len(".")-len(end) {
		end = "-" + s.opts.Part + end // is cut off with the end of the name
	}
	if most := maxName - len(".") - len(end); len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return "." + name + end
}

// leaveFolders unlocks the folders, and removes those that the run has made and not used, and sidecar folders without sidecars.
func (s *Set) leaveFolders() {
	for path, f := range s.partLocks {
		os.Remove(path)
		f.Close()
	}
	clear(s.partLocks)
	for real := range s.entered {
		if filepath.Base(real) == sidecarFolder {
			os.Remove(real) // fails when something is in it
		}
	}
	for _, real := range slices.Backward(s.made) {
		os.Remove(real)
	}
	s.made, s.madeSynced = nil, 0
	for _, l := range s.locks {
		if l.file != nil {
			l.file.Close()
		}
	}
	s.locks = nil
	clear(s.entered)
}
