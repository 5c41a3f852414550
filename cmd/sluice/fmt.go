package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
)

// A formatting is one call of fmt.
type formatting struct {
	out                    *report
	in                     io.Reader
	check, diff, recursive bool
	changed                int // files that are, or would be, spaced anew
}

func fmtCommand(out *report) *cobra.Command {
	f := &formatting{out: out}
	c := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "space pipeline files as all of them are",
		Long: `fmt rewrites pipeline files and their tests with the spacing that all of them have, and names on stdout each file that
it changes. A PATH is a file, a folder whose .hcl files are meant, or - for standard input, which is written to stdout.
Without a PATH it is the folder where the command runs. A file whose syntax is wrong is left alone.

With --check or --diff nothing is written. The exit code of --check is 1 when a file would change, otherwise 0.`,
		Example: `  sluice fmt
  sluice fmt --check --diff --recursive .
  sluice fmt - <pipeline.hcl`,
		RunE: func(c *cobra.Command, args []string) error {
			f.in = c.InOrStdin()
			return f.all(args)
		},
	}
	c.Flags().BoolVar(&f.check, "check", false, "write nothing, and fail when a file would change")
	c.Flags().BoolVar(&f.diff, "diff", false, "write nothing, and show what would change")
	c.Flags().BoolVar(&f.recursive, "recursive", false, "take the folders below a folder too")
	return c
}

// all formats what the arguments name. The mistakes of all files are told together.
func (f *formatting) all(args []string) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	var wrong host.Diagnostics
	for _, arg := range args {
		paths, err := f.paths(arg)
		if err != nil {
			return err
		}
		for _, path := range paths {
			err := f.one(path)
			if diags, ok := errors.AsType[host.Diagnostics](err); ok {
				wrong = append(wrong, diags...)
			} else if err != nil {
				return err
			}
		}
	}
	switch {
	case len(wrong) > 0:
		return wrong
	case f.check && f.changed > 0:
		return fmt.Errorf("want every file as sluice fmt writes it, have %s", format.Plural(f.changed, "other"))
	}
	return nil
}

// paths are the files that an argument stands for. Below a folder, hidden ones are left out.
func (f *formatting) paths(arg string) (paths []string, err error) {
	info, err := os.Stat(arg)
	switch {
	case arg == "-":
		return []string{arg}, nil
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return []string{arg}, nil
	case !info.IsDir():
		return nil, fmt.Errorf("want a file, a folder or - for standard input, have %s, which is neither", arg)
	}
	err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == arg:
		case d.IsDir() && (!f.recursive || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".hcl" && !strings.HasPrefix(d.Name(), "."):
			paths = append(paths, path)
		}
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// one formats a file, or standard input.
func (f *formatting) one(path string) error {
	name, read := path, os.ReadFile
	if path == "-" {
		name, read = "<stdin>", func(string) ([]byte, error) { return io.ReadAll(f.in) }
	}
	before, err := read(path)
	if err != nil {
		return err
	}
	after, err := host.Format(name, before)
	if err != nil {
		return err
	}
	changed := !bytes.Equal(before, after)
	if changed {
		f.changed++
	}
	shown := ""
	switch {
	case changed && f.diff:
		shown = udiff.Unified(name, name+" as fmt writes it", string(before), string(after))
	case f.diff:
	case path == "-" && !f.check:
		shown = string(after)
	case changed:
		shown = name + "\n"
	}
	if changed && !f.check && !f.diff && path != "-" {
		err = replace(path, after)
	}
	return errors.Join(err, f.out.text(shown))
}

// replace gives a file another content under its name, all at once, with the mode that it has. A link stays one.
func replace(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // when it was not renamed
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
