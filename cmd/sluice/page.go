package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

func reportCommand(out *report) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "report DIR|RECEIPT",
		Short: "make the page about a run again",
		Long: `report makes report.html, the page about a run, from its receipt and the files that this names: where records went, what was
rejected and why, what the privacy steps took out, how long the rows are, and how to repeat the run. It is one file that asks for
no other, and while no file of the run has changed it is the same as the one that the run has made.

The argument is the receipt, or the folder that it lies in. What a file of the run no longer holds as the run left it is said on
the page. Personal data and secrets in examples are masked.`,
		Example: `  sluice report out
  sluice report out/receipt.json --to /tmp/report.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{command: c, err: fmt.Errorf("want a receipt, or the folder that it lies in, have %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			path, err := receiptOf(args[0])
			if err != nil {
				return err
			}
			run, err := receipt.Read(path)
			if err != nil {
				return err
			}
			if to == "" {
				to = host.PageBeside(path, page.Name)
				err = host.MayReplace(to, page.Mark)
			}
			if err := errors.Join(err, spares(run, path, to)); err != nil {
				return err
			}
			text, err := page.Make(run, filesOf(filepath.Dir(path)))
			if err != nil {
				return err
			}
			if err := host.WriteBeside(c.Context(), to, text); err != nil {
				return err
			}
			out.say("report   %s", mask.Name(to))
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "write the page to `PATH`")
	return c
}

// pageOf is what --report asks for.
func pageOf(flag string) *host.Page {
	p := &host.Page{Name: page.Name, Mark: page.Mark, Wanted: flag != "auto", Make: makePage}
	switch flag {
	case "false":
		return &host.Page{Name: page.Name, Mark: page.Mark}
	case "auto", "true":
		return p
	}
	p.Path = flag
	return p
}

// makePage makes the page of a run whose files still have hidden names.
func makePage(r *receipt.Receipt, open func(path string) (*os.File, error)) ([]byte, error) {
	return page.Make(r, func(path, _ string) (*os.File, error) { return open(path) })
}

// spares says which file of a run the page would take the place of.
func spares(r *receipt.Receipt, path, to string) error {
	target, err := os.Stat(to)
	if err != nil {
		return nil // what cannot be written is found by who writes it
	}
	for _, f := range filesNamed(r, path) {
		near, _ := receipt.Locate(filepath.Dir(path), f.path) // empty when it is nowhere
		for _, at := range []string{f.path, near} {
			if info, err := os.Stat(at); err == nil && !info.IsDir() && os.SameFile(info, target) {
				return fmt.Errorf("want a place of its own for the page, have %s, which is %s", mask.Name(to), f.what)
			}
		}
	}
	return nil
}

// A namedFile is a file that a receipt names, and what it is to the run.
type namedFile struct{ path, what string }

func filesNamed(r *receipt.Receipt, receipt string) []namedFile {
	all := []namedFile{{receipt, "the receipt"}, {r.Pipeline.Path, "the pipeline"}}
	if r.Timeline != nil {
		all = append(all, namedFile{r.Timeline.Path, "the timeline"})
	}
	for _, in := range r.Inputs {
		all = append(all, namedFile{in.Name, "an input"})
	}
	for _, o := range r.Outputs {
		all = append(all, namedFile{o.Path, "an output"})
		if o.Origins != nil {
			all = append(all, namedFile{o.Origins.Path, "what an output's rows come of"})
		}
	}
	for _, x := range r.Shadows {
		all = append(all, namedFile{x.Path, "the report of a shadow"})
	}
	for _, x := range r.Firsts {
		all = append(all, namedFile{x.Path, "the report of a first"})
	}
	return all
}

// receiptOf is the receipt that an argument names.
func receiptOf(arg string) (string, error) {
	if info, err := os.Stat(arg); err != nil || !info.IsDir() {
		return arg, err
	}
	return receipt.Find(arg)
}

// reasonOf is why a file cannot be read, without its path, which the page says itself.
func reasonOf(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// filesOf opens the files of a run whose receipt lies in a folder.
func filesOf(dir string) page.Files {
	sums := map[string]string{} // of files that were looked at
	return func(path, sum string) (*os.File, error) {
		at, err := receipt.Locate(dir, path)
		if err != nil {
			return nil, fs.ErrNotExist
		}
		switch info, err := os.Stat(at); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, page.ErrChanged
		case !info.Mode().IsRegular():
			return nil, host.ErrNoFile
		}
		if sums[at] == "" {
			if sums[at], err = shaOf(at); err != nil {
				return nil, fmt.Errorf("cannot be read: %w", reasonOf(err))
			}
		}
		if sums[at] != sum {
			return nil, page.ErrChanged
		}
		return os.Open(at)
	}
}
