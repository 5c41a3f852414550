// Package page makes the page about a run, report.html: the content of its receipt, and examples and histograms from the files
// that the receipt names. The page is one file that asks for no other.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// Name is the file name of the page, which is in the folder of the receipt.
const Name = "report.html"

// Mark begins every page, and distinguishes it from other files of the same name.
const Mark = "<!doctype html>\n<!-- sluice report -->\n"

// Files opens a file by its path and hash as a receipt has them. The error is fs.ErrNotExist when there is none, ErrChanged when it
// is not as the run has left it, and host.ErrNoFile when it never was one.
type Files func(path string, sum filehash.Sum) (*os.File, error)

// ErrChanged reports that a file is not as the run has left it.
var ErrChanged = errors.New("has changed since the run")

//go:embed page.html
var text string

// templates are parsed where a page is made, and not by every process at its start.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(chart.Templates().Funcs(template.FuncMap{"base": base, "short": short, "printable": format.Printable, "to": to, "side": sideOf,
		"counting": counting, "lower": strings.ToLower}).Parse(text))
})

// Make makes the page. The same receipt, files and links make the same page.
func Make(r *receipt.Receipt, files Files, links Links) ([]byte, error) {
	m := maker{run: r, files: files, links: links, troubles: map[string]string{}}
	b := bytes.NewBufferString(Mark)
	if err := templates().ExecuteTemplate(b, "page", m.view()); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return b.Bytes(), nil
}

type maker struct {
	run      *receipt.Receipt
	files    Files
	links    Links
	troubles map[string]string // of files, by path
}

// A view is the data of the page. Empty parts are left out.
type view struct {
	Run       *receipt.Receipt
	Failure   *failureView
	Notices   []notice
	Funnel    string // what was kept, as a sentence; "" where it is not known
	Figures   []figure
	Reused    string // what was taken from a store, as a sentence
	Before    *beforeView
	Flow      *chart.Flow
	Time      *timeView
	Rejects   *rejectsView
	Drops     *dropsView
	Losses    list[reason]
	Privacy   []privacyView
	Shapes    *shapesView
	Rows      []measure
	Splits    []splitView
	Counts    list[reason]
	Outputs   list[fileView]
	Inputs    list[fileView]
	Hashes    list[fileView] // of both
	Repeat    repeatView
	Policy    string
	Sampled   bool   // some Rows are of a sample
	Theme     string // light, dark, or ""
	Script    string // its address, "" for none
	OneOutput bool   // Rows are of one output, so that all of them have room side by side
	Viewed    string // the command that shows the rows
	Sections  []section
}

type section struct{ ID, Name string }

func (m *maker) view() *view {
	v := &view{
		Run: m.run, Failure: m.failure(), Figures: m.changed(m.figures()), Time: m.time(), Rejects: m.rejects(),
		Drops: m.drops(), Losses: m.losses().labelled("Lost"), Privacy: m.privacy(),
		Shapes: m.shapes(), Rows: m.rows(), Splits: m.splits(),
		Counts: m.counts().labelled("Counts"), Repeat: m.repeat(), Policy: policy(m.links.Script), Theme: m.links.Theme, Script: m.links.Script, Viewed: m.viewed(),
	}
	v.Repeat.Above = v.Failure != nil && v.Failure.Command == v.Repeat.Command
	v.Reused = m.reused()
	if f, ok := m.run.Funnel(); ok && m.run.Failure == nil {
		v.Funnel = format.Funnel(f)
	}
	if m.run.Graph != nil {
		flow := chart.DrawFlow(m.run.Graph)
		v.Flow = &flow
	}
	v.Outputs, v.Inputs = m.outputs().labelled("written"), m.inputs().labelled("read")
	hashed := slices.Concat(v.Outputs.Rows, v.Inputs.Rows)
	v.Hashes.Rows = hashed[:min(len(hashed), mostHashes)]
	v.Hashes.More = v.Outputs.More + v.Inputs.More + int64(len(hashed)-len(v.Hashes.Rows))
	v.Before = m.before(v.Figures)
	v.Sampled = slices.ContainsFunc(v.Rows, func(x measure) bool { return slices.ContainsFunc(x.Of, func(l lengths) bool { return l.Sampled }) })
	v.OneOutput = !slices.ContainsFunc(v.Rows, func(x measure) bool { return len(x.Of) > 1 })
	v.Notices = m.notices()
	v.Sections = v.sections()
	return v
}

func (v *view) sections() (all []section) {
	add := func(id, name string, shown bool) {
		if shown {
			all = append(all, section{id, name})
		}
	}
	add("rejected", "Rejected", v.Rejects != nil)
	add("dropped", "Dropped", v.Drops != nil)
	add("lost", "Lost", len(v.Losses.Rows) > 0)
	add("privacy", "Privacy", len(v.Privacy) > 0)
	add("rows", "Rows", len(v.Rows) > 0)
	add("splits", "Splits", len(v.Splits) > 0)
	add("shapes", "Shapes", v.Shapes != nil)
	add("pipeline", "Pipeline", v.Flow != nil)
	add("time", "Time", v.Time != nil)
	add("counts", "Counts", len(v.Counts.Rows) > 0)
	add("files", "Files", len(v.Outputs.Rows)+len(v.Inputs.Rows) > 0)
	add("repeat", "Repeat", !v.Repeat.Above)
	add("repeat", "About the run", v.Repeat.Above)
	return all
}

// policy lets the page have its own style and script, and nothing else.
func policy(script string) string {
	sum := sha256.Sum256([]byte(chart.Style))
	if script != "" {
		script = "script-src 'self'; "
	}
	return script + "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Limits that keep a page readable.
const (
	mostListed   = 40 // in a list
	mostHashes   = 30
	mostText     = 100 // characters of a name
	mostExamples = 2   // of one code
	mostRecord   = 700 // characters of an example's record
)

// A list holds the first rows of a table.
type list[T any] struct {
	Rows  []T
	More  int64
	Label string // for who hears the page
}

// countedNames are names with counts, and the title of the column of counts, such as "Findings".
type countedNames struct {
	list[reason]
	Counted string
}

func counting(what string, of list[reason]) countedNames { return countedNames{of, what} }

func listOf[T any](rows []T) list[T] {
	shown := rows[:min(len(rows), mostListed)]
	return list[T]{Rows: shown, More: int64(len(rows) - len(shown))}
}

func (l list[T]) labelled(label string) list[T] {
	l.Label = label
	return l
}

// open opens a file that the receipt names, and notes what is wrong with it.
func (m *maker) open(path string, sum filehash.Sum) *os.File {
	if m.troubles[path] != "" || path == "-" {
		return nil
	}
	f, err := m.files(path, sum)
	switch {
	case errors.Is(err, host.ErrNoFile):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		m.troubles[path] = "is not there any more"
		return nil
	case err != nil:
		m.troubles[path] = err.Error()
		return nil
	}
	return f
}

func short(text string) string { return format.Cut(format.Printable(text), mostText) }

// base returns the name of a file without its folders, whichever system named it.
func base(name string) string { return path.Base(filepath.ToSlash(name)) }
