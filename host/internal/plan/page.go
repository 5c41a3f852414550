package plan

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/output"
)

// A Page is a file for people about a run, in the folder of its receipt unless it has a path.
type Page struct {
	Path   string // empty: in the folder of the receipt, see PageBeside
	Name   string
	Mark   string // what every page begins with; a file of its name without it is not of sluice
	Wanted bool   // it was asked for: that it cannot be written is a mistake
	None   bool   // none is written, and that of an earlier run is removed
}

// PageBeside returns where the page of a run lies that has its receipt at a path: name, unless other receipts may lie in the folder too.
func PageBeside(receipt, name string) string {
	folder, file := filepath.Split(receipt)
	if file != receiptName {
		name = file + "." + name
	}
	return filepath.Join(folder, name)
}

// claimPage claims the path of the page, after all others, which go before it.
func (p *Plan) claimPage() config.Diagnostics {
	page := p.opts.Page
	if page == nil {
		return nil
	}
	path := page.Path
	if p.receipt != nil {
		beside := PageBeside(p.ReceiptPath(), page.Name)
		defer p.set.MarkStale(beside, page.Mark) // unless it is claimed here
		path = cmp.Or(path, beside)
	}
	if page.None || path == "" || !page.Wanted && !p.besideOutputs() {
		return nil
	}
	var err error
	if page.Path == "" {
		err = output.MayReplace(path, page.Mark)
	}
	if err == nil {
		p.page, err = p.set.Optional(output.Claim{What: "the report", Path: path, Mark: page.Mark, Tag: p.nowhere()})
	}
	switch {
	case err == nil:
		return nil
	case page.Wanted:
		return config.Diagnostics{p.nowhere()("bad path of the report", err.Error())}
	}
	p.NoPage = err.Error()
	return nil
}

// besideOutputs reports whether the receipt lies in a folder in which, or in folders of which, sinks of the file write files. What is
// there and is no file, such as a pipe, lies in no folder.
func (p *Plan) besideOutputs() bool {
	folder := filepath.Dir(p.ReceiptPath())
	if folder != filepath.Clean(p.Dir()) {
		return false
	}
	for _, o := range p.Sinks {
		if o.config == nil || o.path == "" || o.path == "-" {
			continue
		}
		below, err := filepath.Rel(folder, strings.SplitN(o.path, "{", 2)[0])
		if info, statErr := os.Stat(o.path); err == nil && filepath.IsLocal(below) && (statErr != nil || info.Mode().IsRegular()) {
			return true
		}
	}
	return false
}

// PagePath returns where the page goes, "" when there is none.
func (p *Plan) PagePath() string {
	if p.page == nil {
		return ""
	}
	return p.page.Path()
}

// PageFailure returns why the page was not written; nil when it was.
func (p *Plan) PageFailure() error { return p.page.Failure() }

// WritePage writes the page.
func (p *Plan) WritePage(text []byte) error { return p.page.Write(text) }

// Staged returns the hidden paths of what the run has written, by their paths; empty for pipes and devices.
func (p *Plan) Staged() map[string]string { return p.set.Staged() }
