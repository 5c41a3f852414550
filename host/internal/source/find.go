package source

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/compression"
)

// stdin is the path of standard input.
const stdin = "-"

// Find returns the names of the files that the paths of Options match, in the order in which they are read. It opens no
// file. A path that matches nothing is an error, but for a pattern of an optional source.
func Find(paths []string, optional bool) ([]string, error) {
	entries, err := find(paths, optional)
	if err != nil {
		return nil, err
	}
	return namesOf(entries), nil
}

// Named returns what Find does, without asking any place but this machine: of the remote files those that a path names without
// wildcards, whether they are there or not.
func Named(paths []string, optional bool) ([]string, error) {
	var local, names []string
	for _, path := range paths {
		switch {
		case !places.Remote(path):
			local = append(local, path)
		case places.IsWeb(path) || !strings.ContainsAny(path, wildcards):
			names = append(names, path)
		}
	}
	found, err := Find(local, optional)
	return append(found, names...), err
}

// CheckPath returns why no file can ever have a path of Options, nor match it. It asks no place but this machine.
func CheckPath(path string) error {
	switch {
	case path == "":
		return errors.New(`want a file or a pattern for some, have ""`)
	case places.Remote(path):
		return places.CheckPattern(path)
	case wellFormed(path):
		return nil
	}
	if _, err := os.Lstat(path); err == nil { // it is the name of a file
		return nil
	}
	return fmt.Errorf("want a pattern whose [ have their ], and [[] for a [ in a name, have %q", path)
}

// wellFormed reports whether a pattern is one of filepath.Match.
func wellFormed(pattern string) bool {
	for s := range strings.SplitSeq(filepath.ToSlash(pattern), "/") {
		if _, err := filepath.Match(s, ""); err != nil {
			return false
		}
	}
	return true
}

// An entry is a file to read, as it was when it was found.
type entry struct {
	name       string
	info       fs.FileInfo // nil for standard input
	compressed bool        // as far as was seen
	file       places.File // of a remote file that is open, and not compressed; nothing was read of it when its splitter is made
	cut        *portion    // what a part reads of it; nil: the run is whole
	columns    bool        // it is Parquet: its text is a line of JSON for each row
}

func newEntry(name string, info fs.FileInfo) (entry, error) {
	if err := compression.CheckName(places.Base(name)); err != nil {
		return entry{}, fmt.Errorf("%s: %w", places.Shown(name), err)
	}
	return entry{name: name, info: info}, nil
}

// open opens the file that was found.
func (e entry) open() (places.File, error) { return places.OpenAs(e.name, e.info) }

// fetched reports whether a file comes over a network.
func (e entry) fetched() bool { return places.Remote(e.name) }

// regular reports whether a file has a size and can be read without waiting for a writer.
func (e entry) regular() bool { return e.info != nil && e.info.Mode().IsRegular() }

// empty reports whether a file that is no regular one never holds anything.
func (e entry) empty() bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && e.info != nil && os.SameFile(null, e.info)
}

func (e entry) size() int64 {
	if !e.regular() {
		return 0
	}
	return e.info.Size()
}

func (e entry) modified() (t time.Time) {
	if e.regular() {
		t = e.info.ModTime().UTC()
	}
	return t
}

// same reports whether both are one file, whatever their names.
func (e entry) same(other entry) bool {
	return e.name == other.name || places.SameFile(e.info, other.info)
}

// changed reports whether now is another file than e, or the same one written to.
func (e entry) changed(now fs.FileInfo) bool {
	return !places.SameFile(e.info, now) || stampOf(e.info) != stampOf(now)
}

// A stamp is the same for all names of one file, and hardly ever for two files.
type stamp struct{ size, modified int64 }

func stampOf(info fs.FileInfo) stamp {
	if info == nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

func namesOf(entries []entry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return names
}

// BadPath is the error of one of the paths of a source.
type BadPath struct {
	Index int // of the path
	error
}

// Unwrap returns the error without the path's index.
func (b *BadPath) Unwrap() error { return b.error }

// find resolves the paths in order, each sorted by name. A file that several of them match has the place of the first. The errors of
// all paths are joined, each a BadPath.
func find(paths []string, optional bool) ([]entry, error) {
	var all []entry
	var wrong []error
	seen := map[stamp][]entry{}
	for i, path := range paths {
		entries, err := match(path)
		if err == nil && len(entries) == 0 && !optional {
			err = fmt.Errorf("want files, have 0 that match %q", path)
		}
		if err != nil {
			wrong = append(wrong, &BadPath{i, err})
			continue
		}
		for _, e := range entries {
			if s := stampOf(e.info); !slices.ContainsFunc(seen[s], e.same) {
				seen[s] = append(seen[s], e)
				all = append(all, e)
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return all, nil
}

// match returns the files that a path matches, perhaps none for a pattern. A file whose name is the pattern itself wins.
func match(pattern string) ([]entry, error) {
	if pattern == stdin {
		return []entry{{name: stdin}}, nil
	}
	if err := CheckPath(pattern); err != nil {
		return nil, err
	}
	if places.Remote(pattern) {
		return matchRemote(pattern)
	}
	info, err := os.Stat(pattern)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("want a file, have the folder %q: name the files in it, such as %q", pattern, filepath.Join(pattern, "*.jsonl"))
	case err == nil:
		e, err := newEntry(pattern, info)
		return []entry{e}, err
	case !oserr.Missing(err), !strings.ContainsAny(pattern, wildcards):
		return nil, oserr.AtPath(err)
	}

	names, err := glob(pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var entries []entry
	for _, name := range slices.Compact(names) {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, oserr.Reason(err)) // a link may lead to nothing
		}
		if info.IsDir() {
			continue
		}
		e, err := newEntry(name, info)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// matchRemote returns the objects that a pattern matches, or the one file that a name without wildcards leads to.
func matchRemote(name string) ([]entry, error) {
	if places.IsWeb(name) || !strings.ContainsAny(name, wildcards) {
		info, err := places.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", places.Shown(name), oserr.Reason(err))
		}
		if info.IsDir() {
			return nil, fmt.Errorf("want a file, have the folder %q: name the files in it, such as %q", name, places.Join(name, "*.jsonl"))
		}
		e, err := newEntry(name, info)
		return []entry{e}, err
	}
	infos, names, err := places.List(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, oserr.Reason(err))
	}
	var entries []entry
	for i, name := range names {
		e, err := newEntry(name, infos[i])
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

const wildcards = "*?["

// glob lists what matches the pattern: the wildcards of filepath.Match, and "**" for any number of folders, which
// does not follow links. Wildcards never match hidden names, and so neither AppleDouble files nor the temporary ones
// of a run.
func glob(pattern string) ([]string, error) {
	dir := filepath.VolumeName(pattern)
	rest := filepath.ToSlash(pattern[len(dir):])
	if strings.HasPrefix(rest, "/") {
		dir += string(filepath.Separator)
	}
	return expand(dir, strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }))
}

func expand(dir string, segments []string) ([]string, error) {
	segment, rest := segments[0], segments[1:]
	if !strings.ContainsAny(segment, wildcards) {
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
	if oserr.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, oserr.Reason(err))
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
