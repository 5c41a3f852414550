package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// Page is a file for people about a run. It is made from the run's receipt and outputs when these are written, and gets its name
// together with them, so it is always about the same run. A run without a page succeeds too.
type Page struct {
	Path   string // empty: next to the receipt, unless somebody else's file has that name
	Name   string // of the file next to receipt.json; next to another receipt its name comes first
	Mark   string // the beginning of every page
	Wanted bool   // write it also when no output lies next to the receipt, and fail when it cannot be written

	// Make makes the text from the receipt, and from files that open opens by their paths in it. open fails with ErrNoFile for an
	// output that is a pipe or a device, and with fs.ErrNotExist for one that the receipt does not lead to. When Make is nil, no
	// page is written, and one of an earlier run next to the receipt is removed.
	Make func(r *receipt.Receipt, open func(path string) (*os.File, error)) ([]byte, error)
}

// ErrNoFile is the error for an output that is a pipe or a device.
var ErrNoFile = errors.New("no file that stays")

// PathFor returns the path of the page next to a receipt, which may be that of a run that has not finished. The error says why it cannot
// be written there: the path is somebody else's file, or no file.
func (p *Page) PathFor(receipt string) (string, error) {
	finished, failed := output.FinishedPath(receipt)
	if !failed {
		finished = receipt
	}
	path := plan.PagePath(finished, p.Name)
	if failed {
		path = output.FailedPath(path)
	}
	return path, output.MayReplace(path, p.Mark)
}

// WritePage writes a page that no run makes, at once: the file has its old text until all of the new text is on disk. It fails while
// a run writes into the folder, and where a run has a file of that path.
func WritePage(ctx context.Context, path string, text []byte) (err error) {
	set := output.New(output.Options{Run: rand.Text(), Listed: receipt.Listed, Apart: true})
	defer func() { err = errors.Join(err, set.Abort()) }()
	r, err := set.Report(output.Claim{What: "the report", Path: path})
	if err != nil {
		return err
	}
	if err := set.Prepare(ctx); err != nil {
		return err
	}
	if err := r.Write(text); err != nil {
		return err
	}
	if _, err := set.Finish(); err != nil {
		return err
	}
	return set.Commit()
}

func (p *Page) plan() *plan.Page {
	if p == nil {
		return nil
	}
	return &plan.Page{Path: p.Path, Name: p.Name, Mark: p.Mark, Wanted: p.Wanted, None: p.Make == nil}
}

// page writes the page of a run whose receipt is encoded, if it has a place.
func (r *run) page(encoded []byte) error {
	if r.plan.Page == nil {
		return nil
	}
	var x receipt.Receipt
	if err := json.Unmarshal(encoded, &x); err != nil {
		return err
	}
	staged := map[string]string{}
	folder := filepath.Dir(r.plan.ReceiptPath())
	for path, hidden := range r.plan.Set.Staged() {
		shown := path
		if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
			shown = below
		}
		if r.opts.MaskName(shown) == shown { // otherwise the mask hides personal data, and the receipt does not lead to the file
			staged[r.opts.MaskName(path)] = hidden
		}
	}
	text, err := r.opts.Page.Make(&x, func(path string) (*os.File, error) {
		hidden, known := staged[path]
		switch {
		case !known:
			return nil, fs.ErrNotExist
		case hidden == "":
			return nil, ErrNoFile
		}
		return os.Open(hidden)
	})
	if err != nil {
		return err
	}
	return r.plan.Page.Write(text)
}

// reportPage sets in a result the path of the page, or why there is none. bad is the error of writing it.
func (r *run) reportPage(x *Result, bad error) {
	if r.plan.Page == nil {
		x.PageError = r.opts.MaskName(r.plan.NoPage)
	} else if bad = cmp.Or(bad, r.plan.Page.Failure()); bad != nil {
		x.PageError = r.opts.MaskName(bad.Error())
	} else {
		x.Page = r.opts.MaskName(r.plan.Page.Path())
	}
}
