// Package hclfile finds, formats and rewrites pipeline files.
package hclfile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
	"github.com/sluicehq/sluice/host/wholefile"
)

// Below returns the files in a folder, and below it when recursive, whose names end in ending. It skips hidden folders.
func Below(dir, ending string, recursive bool) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == dir:
		case d.IsDir() && (!recursive || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ending):
			paths = append(paths, path)
		}
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// Stat returns what lies at the path of a pipeline or a folder. Where nothing does, the error is what every command says of a pipeline
// that is missing.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil {
		return info, nil
	}
	if _, missing := host.Load(path, host.Options{}); missing != nil {
		return nil, missing
	}
	return nil, host.AtPath(err)
}

// Rewrite replaces the content of a file at once and keeps its mode. A symbolic link stays one.
func Rewrite(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return wholefile.Write(path, content, wholefile.Options{Mode: info.Mode().Perm(), Durable: true})
}

// FormatOptions say which files are formatted, and how the result is shown.
type FormatOptions struct {
	Check     bool // files stay as they are
	Diff      bool // files stay as they are; the difference is shown
	Recursive bool // the folders below a folder, too
}

// Paths returns the files that arguments mean: a file is itself, "-" standard input, and a folder its pipeline files.
func (o *FormatOptions) Paths(args []string) (paths []string, err error) {
	for _, arg := range args {
		if arg == "-" {
			paths = append(paths, arg)
			continue
		}
		info, err := Stat(arg)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			below, err := Below(arg, ".hcl", o.Recursive)
			if err != nil {
				return nil, err
			}
			hidden := func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }
			paths = append(paths, slices.DeleteFunc(below, hidden)...)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("want a file, a folder or - for standard input, have %s, which is a device, socket or pipe", arg)
		default:
			paths = append(paths, arg)
		}
	}
	return paths, nil
}

// Format formats a file, or standard input, and returns what is shown of it, and whether its text changes.
func (o *FormatOptions) Format(path string, stdin io.Reader) (shown string, changed bool, err error) {
	name, read := path, os.ReadFile
	if path == "-" {
		name, read = "<stdin>", func(string) ([]byte, error) { return io.ReadAll(stdin) }
	}
	before, err := read(path)
	if err != nil {
		return "", false, err
	}
	after, err := editor.Format(name, before)
	if err != nil {
		return "", false, err
	}
	changed = !bytes.Equal(before, after)
	switch {
	case o.Diff && changed:
		return udiff.Unified(name, name+" as fmt writes it", string(before), string(after)), true, nil
	case o.Diff:
		return "", false, nil
	case path == "-" && !o.Check:
		return string(after), changed, nil
	case !changed:
		return "", false, nil
	case !o.Check:
		err = Rewrite(path, after)
	}
	return name + "\n", true, err
}
