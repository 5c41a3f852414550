package output

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
)

// A target is the file that a path leads to, through links and in whatever spelling.
type target struct {
	path string      // as it was given
	real string      // absolute and without links; empty for pipes and devices
	key  string      // the same for all spellings of real that its file system takes for one
	info fs.FileInfo // nil when there is no file yet
}

// inRoot returns where a path leads in the root of the set, if it has one: paths that lead to different files still do. A
// path that cannot be a file's stays as it is, so that it is refused as ever.
func (s *Set) inRoot(path string) (string, error) {
	switch {
	case s.opts.Root == "" || path == "" || os.IsPathSeparator(path[len(path)-1]):
		return path, nil
	case path == stdout:
		return filepath.Join(s.opts.Root, "stdout"), nil
	case places.IsS3(path):
		bucket, key := places.Split(path)
		return filepath.Join(s.opts.Root, "s3", bucket, filepath.FromSlash(key)), nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	volume := filepath.VolumeName(whole)
	return filepath.Join(s.opts.Root, "files", strings.ReplaceAll(volume, ":", ""), whole[len(volume):]), nil
}

// inPlace reports whether the target is a pipe, a device or standard output, which is written without staging.
func (t *target) inPlace() bool { return t.real == "" }

// distinct reports whether a file must have one writer. Many may write to a device, such as the null device or a terminal.
func distinct(info fs.FileInfo) bool {
	return info != nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0)
}

// locate finds the target of a path. It does not write.
func (s *Set) locate(path string) (*target, error) {
	if places.Remote(path) {
		return s.locateRemote(path)
	}
	if path == stdout {
		return s.locateStdout(), nil
	}
	t := &target{path: path}
	info, err := os.Stat(path)
	if err == nil {
		t.info = info
		if !info.Mode().IsRegular() && !info.IsDir() {
			return t, nil
		}
	} else if !oserr.Missing(err) {
		return nil, fmt.Errorf("%s: %w", path, oserr.Reason(err))
	}
	if t.real, err = s.realPath(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, oserr.Reason(err))
	}
	t.key = s.keyOf(t.real)
	return t, nil
}

// writable returns why no file can be written at the target, as far as that shows without writing.
func (t *target) writable() error {
	if t.path == "" || os.IsPathSeparator(t.path[len(t.path)-1]) {
		return fmt.Errorf("want a file to write, have %q", t.path)
	}
	if places.IsS3(t.path) {
		if err := places.CheckKey(t.path); err != nil {
			return err
		}
	}
	if places.IsWeb(t.path) {
		return fmt.Errorf("want a file or an object such as s3://bucket/key to write, have %q", places.Shown(t.path))
	}
	if t.inPlace() {
		return nil
	}
	info, err := os.Stat(t.real)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("want a file to write, have the folder %q", t.path)
	case err != nil && !oserr.Missing(err):
		return fmt.Errorf("%s: %w", t.path, oserr.Reason(err))
	case isTemporary(filepath.Base(t.real)):
		return fmt.Errorf("want a name that is not one of a temporary file, have %q", t.path)
	}
	if !canBeFolder(filepath.Dir(t.real)) {
		return fmt.Errorf("%s: %w", t.path, syscall.ENOTDIR)
	}
	return nil
}

// canBeFolder reports whether a path is a folder or could become one.
func canBeFolder(real string) bool {
	info, err := os.Stat(nearestExisting(real))
	return err != nil || info.IsDir()
}

// maxLinks is how many links may lead from one to the next, as on Linux.
const maxLinks = 40

// realPath returns the path without links, dangling ones included, and absolute. What does not exist stays as it is
// spelled.
func (s *Set) realPath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + string(filepath.Separator) + path // not joined: behind a link ".." leads elsewhere
	}
	return s.follow(path, maxLinks)
}

func (s *Set) follow(path string, links int) (string, error) {
	for len(path) > 0 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	if volume := filepath.VolumeName(path); len(path) == len(volume) {
		return volume + string(filepath.Separator), nil
	}
	dir, base := filepath.Split(path)
	folder, known := s.real[dir]
	if !known {
		var err error
		if folder, err = s.follow(dir, links); err != nil {
			return "", err
		}
		s.real[dir] = folder
	}
	switch base {
	case ".":
		return folder, nil
	case "..":
		return filepath.Dir(folder), nil
	}
	path = filepath.Join(folder, base)
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		if oserr.Missing(err) {
			err = nil
		}
		return path, err
	}
	if links == 0 {
		return "", syscall.ELOOP
	}
	to, err := os.Readlink(path)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(to) {
		to = folder + string(filepath.Separator) + to
	}
	return s.follow(to, links-1)
}

func (s *Set) keyOf(real string) string { return s.fold(filepath.Dir(real), real) }

// fold removes the differences from a name that the file system of a folder ignores.
func (s *Set) fold(folder, name string) string {
	folder = nearestExisting(folder)
	blind, known := s.blindness[folder]
	if !known {
		blind = s.blind(folder)
		s.blindness[folder] = blind
	}
	switch {
	case blind:
		return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
	case runtime.GOOS == "darwin": // its file systems take both forms of an accent for one, whatever they do with case
		return norm.NFC.String(name)
	}
	return name
}

// nearestExisting returns the folder, or the nearest one above it that there is.
func nearestExisting(folder string) string {
	for {
		if _, err := os.Lstat(folder); err == nil {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			return folder
		}
		folder = above
	}
}

// caseBlind finds out whether the folder answers to its name in swapped case.
func caseBlind(folder string) bool {
	for {
		above, name := filepath.Dir(folder), filepath.Base(folder)
		if above == folder {
			return runtime.GOOS == "windows" || runtime.GOOS == "darwin" // no name to ask with
		}
		if swapped := strings.Map(swapCase, name); swapped != name {
			a, err := os.Lstat(folder)
			b, errSwapped := os.Lstat(filepath.Join(above, swapped))
			return err == nil && errSwapped == nil && os.SameFile(a, b)
		}
		folder = above
	}
}

func swapCase(r rune) rune {
	if upper := unicode.ToUpper(r); upper != r {
		return upper
	}
	return unicode.ToLower(r)
}
