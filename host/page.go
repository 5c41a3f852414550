package host

import (
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

// A Page is a file for people about a run. It is made when all else is written, and gets its name with the outputs, so that it is
// never about another run than they are. A run goes well without it.
type Page struct {
	Path   string // empty: where PageBeside says, unless that is somebody else's
	Name   string
	Mark   string // what every page begins with
	Wanted bool   // also when the receipt lies beside no output; that there can be none is a mistake then

	// Make makes the text from the receipt as it was encoded, and from files that open gives by their paths in it. Open fails with
	// ErrNoFile for what is no file that stays, and with fs.ErrNotExist for what who has the receipt alone would not find.
	// Without Make no page is written, and one of an earlier run beside the receipt goes.
	Make func(r *receipt.Receipt, open func(path string) (*os.File, error)) ([]byte, error)
}

// ErrNoFile says that an output of a run is no file that stays, but a pipe or a device.
var ErrNoFile = errors.New("no file that stays")

// MayReplace says why what stands at a path is not to be replaced by a page that begins with mark: it is another's, or no file. An
// empty file, and nothing at all, may be.
func MayReplace(path, mark string) error { return output.MayReplace(path, mark) }

// PageBeside is where the page of a run lies that has its receipt at a path: name, and behind the name of a receipt that is not
// receipt.json, since other receipts may lie in the folder too.
func PageBeside(receipt, name string) string { return plan.PageBeside(receipt, name) }

// plan is what the plan needs of a page.
func (p *Page) plan() *plan.Page {
	if p == nil {
		return nil
	}
	return &plan.Page{Path: p.Path, Name: p.Name, Mark: p.Mark, Wanted: p.Wanted, None: p.Make == nil}
}

// page writes the page of a run whose receipt is encoded, if it has a place.
func (r *run) page(encoded []byte) error {
	if r.plan.PagePath() == "" {
		return nil
	}
	text, err := r.pageText(encoded)
	if err != nil {
		return err
	}
	return r.plan.WritePage(text)
}

// tellPage tells what became of the page when all files have their names. bad is what kept it from being written.
func (r *run) tellPage(x *Result, bad error) {
	path := r.plan.PagePath()
	if path == "" {
		x.PageTrouble = r.opts.MaskName(r.plan.PageTrouble)
		return
	}
	if bad == nil {
		bad = r.plan.PageMissed()
	}
	if bad != nil {
		x.PageTrouble = r.opts.MaskName(bad.Error())
		return
	}
	x.Page = r.opts.MaskName(path)
}

func (r *run) pageText(encoded []byte) ([]byte, error) {
	var x receipt.Receipt
	if err := json.Unmarshal(encoded, &x); err != nil {
		return nil, err
	}
	staged := map[string]string{}
	folder := filepath.Dir(r.plan.ReceiptPath())
	for path, hidden := range r.plan.Staged() {
		if r.findable(folder, path) {
			staged[r.opts.MaskName(path)] = hidden
		}
	}
	return r.opts.Page.Make(&x, func(path string) (*os.File, error) {
		hidden, known := staged[path]
		switch {
		case !known:
			return nil, fs.ErrNotExist
		case hidden == "":
			return nil, ErrNoFile
		}
		return os.Open(hidden)
	})
}

// findable tells whether a file is found from the folder of its receipt, which has a form of its path that hides what is private.
func (r *run) findable(folder, path string) bool {
	if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
		path = below
	}
	return r.opts.MaskName(path) == path
}

// WriteBeside writes a file that tells more of a run, in one go: what was there stays until all of the new text lies on disk. It
// fails while a run writes into the folder.
func WriteBeside(ctx context.Context, path string, text []byte) (err error) {
	set := output.New(output.Options{Run: rand.Text()})
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
