package page

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
)

// Links gives the addresses that a page leads to, and what else it has where it is served and no file. A nil function, and an empty address, is
// no link.
type Links struct {
	Output func(path string) string             // of an output, by its path in the receipt
	Record func(file string, line int64) string // of a record of an input
	Code   func(outcome, code string) string    // of all rows with a code: rejects, or notes about what was dropped

	Theme  string // light, dark, or "" for that of the system
	Script string // the address of a script that the page has, "" for none
}

// near returns links for a page that lies next to the receipt: to the files of the run below that folder.
func near(r *receipt.Receipt) Links {
	if r.Failure != nil { // none of them is in place
		return Links{}
	}
	return Links{Output: func(path string) string {
		at, inside := r.Place("", path)
		if r.Timeline == nil || !inside || !filepath.IsLocal(at) || mask.Masked(at) {
			return ""
		}
		return (&url.URL{Path: "./" + filepath.ToSlash(at)}).String()
	}}
}

func (l Links) output(path string) string {
	if l.Output == nil {
		return ""
	}
	return l.Output(path)
}

func (l Links) record(file string, line int64) string {
	if l.Record == nil || line < 1 {
		return ""
	}
	return l.Record(file, line)
}

func (l Links) code(outcome, code string) string {
	if l.Code == nil || mask.Word(code) != code {
		return ""
	}
	return l.Code(outcome, code)
}

// viewed returns the command that shows the rows of the run, "" when its folder is not known.
func (m *maker) viewed() string {
	if m.run.Timeline == nil || m.links.Record != nil || mask.Masked(m.run.Timeline.Path) {
		return ""
	}
	hidden := filepath.Dir(filepath.FromSlash(m.run.Timeline.Path))
	if filepath.Base(hidden) != ".sluice" || strings.Contains(hidden, "://") {
		return ""
	}
	return "sluice view " + quoted(filepath.ToSlash(filepath.Dir(hidden)))
}

// A leading is a text with the address that it leads to, if any.
type leading struct{ Link, Text string }

func to(link, text string) leading { return leading{link, text} }
