package plan

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/output"
)

// A Page is a file for people about a run, beside its receipt unless it has a path.
type Page struct {
	Path   string // empty: Name beside the receipt
	Name   string
	Mark   string // what every page begins with; a file of its name without it is somebody else's
	Wanted bool   // it was asked for: that it cannot be is a mistake
}

// claimPage claims the path of the page, behind all others, as it gives way to each.
func (p *Plan) claimPage() config.Diagnostics {
	page := p.opts.Page
	if page == nil || p.receipt == nil && page.Path == "" || !page.Wanted && !p.intoFolder() {
		return nil
	}
	path := page.Path
	if path == "" {
		path = filepath.Join(filepath.Dir(p.ReceiptPath()), page.Name)
	}
	var err error
	if page.Path == "" {
		err = output.MayReplace(path, page.Mark)
	}
	if err == nil {
		p.page, err = p.set.Spare(output.Claim{What: "the report", Path: path, Tag: p.nowhere()})
	}
	switch {
	case err == nil:
		return nil
	case page.Wanted:
		return config.Diagnostics{p.nowhere()("bad path of the report", err.Error())}
	}
	p.PageTrouble = err.Error()
	return nil
}

// intoFolder tells whether the receipt lies in a folder that sinks of the file write into, or into folders in it.
func (p *Plan) intoFolder() bool {
	folder := filepath.Dir(p.ReceiptPath())
	if folder != filepath.Clean(p.Dir()) {
		return false
	}
	for _, o := range p.Outlets {
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

// PagePath is where the page goes, "" when there is none.
func (p *Plan) PagePath() string {
	if p.page == nil {
		return ""
	}
	return p.page.Path()
}

// WritePage writes the page.
func (p *Plan) WritePage(text []byte) error { return p.page.Write(text) }

// Staged are the hidden paths of what the run has written, by its paths; empty for what is no file that stays.
func (p *Plan) Staged() map[string]string { return p.set.Staged() }
