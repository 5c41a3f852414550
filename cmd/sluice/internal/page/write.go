package page

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// Write writes the page of a run, named by its receipt or its folder, and returns its path: to, or next to the receipt when to is "".
// Of a run that has not finished and left a receipt, unfinished is that, and the page has the name of such a run's.
func Write(ctx context.Context, run, to string) (page string, unfinished *receipt.Unfinished, err error) {
	r, path, err := receipt.Open(run)
	if u, ok := errors.AsType[*receipt.Unfinished](err); ok && u.Receipt != nil {
		r, path, unfinished, err = u.Receipt, u.Path, u, nil
	}
	if err != nil {
		return "", nil, err
	}
	page, err = write(ctx, r, path, to)
	return page, unfinished, err
}

func write(ctx context.Context, r *receipt.Receipt, path, to string) (_ string, err error) {
	links := Links{}
	if to == "" {
		links = near(r)
		to, err = Asked("true").PathFor(path)
	}
	if err := errors.Join(err, replaces(r, path, to)); err != nil {
		return "", err
	}
	if fetch.Remote(path) {
		run, err := fetch.Run(ctx, r, path)
		if err != nil {
			return "", err
		}
		path = run.Paths[0]
	}
	text, err := Make(r, FilesIn(r, filepath.Dir(path)), links)
	if err != nil {
		return "", err
	}
	return to, host.WritePage(ctx, to, text)
}

// Asked returns the page that a run is asked for by --report.
func Asked(flag string) *host.Page {
	p := &host.Page{Name: Name, Mark: Mark}
	if flag == "false" {
		return p
	}
	p.Wanted = flag != "auto"
	if flag != "auto" && flag != "true" {
		p.Path = flag
	}
	p.Make = func(r *receipt.Receipt, open func(path string) (*os.File, error)) ([]byte, error) {
		links := Links{}
		if p.Path == "" {
			links = near(r)
		}
		return Make(r, func(path string, _ filehash.Sum) (*os.File, error) { return open(path) }, links) // files still have hidden names
	}
	return p
}

func replaces(r *receipt.Receipt, path, to string) error {
	if what := r.Uses(path, to); what != "" {
		return fmt.Errorf("want a path of its own for the page, have %s, which is %s", mask.Name(to), what)
	}
	return nil
}

// FilesIn opens the files of the run of a receipt that is in a folder.
func FilesIn(r *receipt.Receipt, dir string) Files {
	sums := map[string]filehash.Sum{} // of files that were opened
	return func(path string, sum filehash.Sum) (*os.File, error) {
		at, err := r.Locate(dir, path)
		if err != nil {
			return nil, fs.ErrNotExist
		}
		switch info, err := os.Stat(at); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, ErrChanged
		case !info.Mode().IsRegular():
			return nil, host.ErrNoFile
		}
		if sums[at].Algorithm() != sum.Algorithm() {
			if sums[at], err = filehash.File(at, sum.Algorithm()); err != nil {
				if known, ok := errors.AsType[*fs.PathError](err); ok {
					err = known.Err // without the path, which the page has
				}
				return nil, fmt.Errorf("cannot be read: %w", err)
			}
		}
		if sums[at] != sum {
			return nil, ErrChanged
		}
		return os.Open(at)
	}
}
