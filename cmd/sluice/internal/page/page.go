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
	"sync"

	"github.com/tidwall/gjson"

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
	return template.Must(chart.Templates().Funcs(template.FuncMap{"base": base, "short": short, "printable": format.Printable}).Parse(text))
})

// Make makes the page. The same receipt and files make the same page.
func Make(r *receipt.Receipt, files Files) ([]byte, error) {
	m := maker{run: r, files: files, troubles: map[string]string{}}
	b := bytes.NewBufferString(Mark)
	if err := templates().ExecuteTemplate(b, "page", m.view()); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return b.Bytes(), nil
}

type maker struct {
	run      *receipt.Receipt
	files    Files
	troubles map[string]string // of files, by path
}

// A view is the data of the page. Empty parts are left out.
type view struct {
	Run      *receipt.Receipt
	Failure  *failureView
	Notices  []notice
	Figures  []figure
	Flow     *chart.Flow
	Time     *timeView
	Rejects  *rejectsView
	Drops    list[reason]
	Losses   list[reason]
	Privacy  []privacyView
	Shapes   *shapesView
	Rows     *rowsView
	Splits   []splitView
	Twins    []twinsView
	Counts   list[reason]
	Outputs  list[fileView]
	Inputs   list[fileView]
	Repeat   repeatView
	Policy   string
	Sections []section
}

type section struct{ ID, Name string }

func (m *maker) view() *view {
	v := &view{
		Run: m.run, Failure: m.failure(), Figures: m.figures(), Time: m.time(), Rejects: m.rejects(),
		Drops: m.drops().labelled("Dropped"), Losses: m.losses().labelled("Lost"), Privacy: m.privacy(),
		Shapes: m.shapes(), Rows: m.rows(), Splits: m.splits(), Twins: m.twins(),
		Counts: m.counts().labelled("Counts"), Repeat: m.repeat(), Policy: policy(),
	}
	if m.run.Graph != nil {
		flow := chart.DrawFlow(m.run.Graph)
		v.Flow = &flow
	}
	v.Outputs, v.Inputs = m.outputs().labelled("written"), m.inputs().labelled("read")
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
	add("pipeline", "Pipeline", v.Flow != nil)
	add("time", "Time", v.Time != nil)
	add("rejected", "Rejected", v.Rejects != nil)
	add("dropped", "Dropped", len(v.Drops.Rows) > 0)
	add("lost", "Lost", len(v.Losses.Rows) > 0)
	add("privacy", "Privacy", len(v.Privacy) > 0)
	add("shapes", "Shapes", v.Shapes != nil)
	add("rows", "Rows", v.Rows != nil)
	add("splits", "Splits", len(v.Splits) > 0)
	add("duplicates", "Duplicates", len(v.Twins) > 0)
	add("counts", "Counts", len(v.Counts.Rows) > 0)
	add("files", "Files", len(v.Outputs.Rows)+len(v.Inputs.Rows) > 0)
	add("repeat", "Repeat", true)
	return all
}

// policy lets the page show its own style and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(chart.Style))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Limits that keep a page readable.
const (
	mostListed   = 40  // in a list
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

type twinsView struct {
	Step    string
	Of      int64
	Dropped list[reason]
	Pairs   []twins
	AllRows bool // the pairs are all that there are
}

// Twins are two records of which one was left out.
type twins struct {
	File     string
	Line     int64
	Twin     string
	TwinLine int64
	Kind     string
	Alike    string
}

func (m *maker) twins() (all []twinsView) {
	for _, s := range m.run.Steps {
		if s.Plugin != "dedup" || s.In == 0 {
			continue
		}
		v := twinsView{Step: s.Name, Of: s.In, Dropped: ofStep("warn", s, s.Dropped.By)}
		m.pairs(&v)
		all = append(all, v)
	}
	return all
}

// pairs reads the first pairs that the step has written.
func (m *maker) pairs(v *twinsView) {
	const most = 8
	for _, o := range m.run.Outputs {
		if o.Side != v.Step+"/pairs" || o.Records == 0 {
			continue
		}
		m.read(o, 1<<18, func(row []byte) {
			x := gjson.ParseBytes(row)
			if len(v.Pairs) < most {
				v.Pairs = append(v.Pairs, twins{
					x.Get("file").Str, x.Get("line").Int(), x.Get("twin_file").Str, x.Get("twin_line").Int(),
					x.Get("kind").Str, format.Share(int64(x.Get("similarity").Num*1000), 1000),
				})
			}
		})
		v.AllRows = int64(len(v.Pairs)) == o.Records
	}
}
