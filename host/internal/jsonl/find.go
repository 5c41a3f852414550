package jsonl

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// stdin is the path that stands for standard input.
const stdin = "-"

// found is a file to read.
type found struct {
	name string
	size int64 // -1 when it cannot be known: standard input, pipes, devices
}

// find resolves the patterns in order, each sorted by name; what several of them name is read once.
func find(patterns []string) ([]found, error) {
	if len(patterns) == 0 {
		return nil, errors.New("want at least one path, have none")
	}
	var all []found
	seen := map[string]bool{}
	for _, pattern := range patterns {
		files, err := match(pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if id := identity(f.name); !seen[id] {
				seen[id] = true
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// identity is the same for all names of one file, hard links apart.
func identity(name string) string {
	if name == stdin {
		return name
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// match gives the files that one pattern stands for. A file whose name is the pattern itself comes first.
func match(pattern string) ([]found, error) {
	if pattern == stdin {
		return []found{{name: stdin, size: -1}}, nil
	}
	info, err := os.Stat(pattern)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("want a file, have the folder %q: name the files in it, such as %q", pattern, filepath.Join(pattern, "*.jsonl"))
	case err == nil:
		f, err := readable(pattern, info)
		return []found{f}, err
	case !missing(err):
		return nil, fmt.Errorf("%s: %w", pattern, reason(err))
	case !strings.ContainsAny(pattern, "*?["):
		return nil, fmt.Errorf("want a file, have nothing at %q", pattern)
	}

	names, err := glob(pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var files []found
	for _, name := range slices.Compact(names) {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, reason(err))
		}
		if info.IsDir() {
			continue
		}
		f, err := readable(name, info)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("want files, have none that match %q", pattern)
	}
	return files, nil
}

// readable opens a regular file once, so that a missing permission shows before the run. A pipe is left alone: its
// writer would notice.
func readable(name string, info fs.FileInfo) (found, error) {
	if !info.Mode().IsRegular() {
		return found{name: name, size: -1}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return found{}, fmt.Errorf("%s: %w", name, reason(err))
	}
	return found{name: name, size: info.Size()}, f.Close()
}

// glob lists what matches the pattern: the wildcards of filepath.Match, and "**" for any number of folders, which
// does not follow links. Wildcards never match hidden names, and so neither AppleDouble files nor this package's
// temporary ones.
func glob(pattern string) ([]string, error) {
	dir := filepath.VolumeName(pattern)
	rest := filepath.ToSlash(pattern[len(dir):])
	if strings.HasPrefix(rest, "/") {
		dir += string(filepath.Separator)
	}
	segments := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' })
	for _, s := range segments {
		if _, err := filepath.Match(s, ""); err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
	}
	return expand(dir, segments)
}

func expand(dir string, segments []string) ([]string, error) {
	segment, rest := segments[0], segments[1:]
	if !strings.ContainsAny(segment, "*?[") {
		name := filepath.Join(dir, segment)
		if len(rest) > 0 {
			return expand(name, rest)
		}
		if _, err := os.Lstat(name); err != nil {
			return nil, nil
		}
		return []string{name}, nil
	}

	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	var names []string
	descend := func(dir string, segments []string) error {
		more, err := expand(dir, segments)
		names = append(names, more...)
		return err
	}
	if segment == "**" {
		if len(rest) == 0 {
			rest = []string{"*"}
		}
		if err := descend(dir, rest); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if segment == "**" {
			if e.IsDir() {
				err = descend(name, segments)
			}
		} else if ok, _ := filepath.Match(segment, e.Name()); ok && len(rest) > 0 {
			err = descend(name, rest)
		} else if ok {
			names = append(names, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// missing says that there is nothing at a path, not even the folder, maybe.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reason is err without the paths that the os package puts before it.
func reason(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	}
	return err
}
