package viewer

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

type overviewPage struct {
	pageFrame
	Kicker, Lede string
	Funnel       string // what was kept, as a sentence; "" where it is not known
	Figures      []figure
	Warnings     []string
	Files        []file
	Missing      []string
	Steps        []step
	Idle         []string // steps that no record reached
	Rejects      []tally
	Drops        []tally
	Facets       []facet
	Kinds        string // whose facets they are
}

type figure struct{ Text, Value, Note, Class, Link string }

type file struct {
	Name, Link, What string
	Rows, Bad        int64
	Size             int64
	Read             string // how far it is indexed, "" when all of it is
	Input            bool
	Trouble          string
}

type step struct {
	Name, Plugin, Link                   string
	In, Out, Dropped, Rejected, Declined int64
	Busy                                 string
}

type tally struct {
	Text, Link string
	Rows       int64
	Share      string
}

func (s *Server) overview(w http.ResponseWriter, r *http.Request, x *state) error {
	p := overviewPage{pageFrame: s.frame(r, x, "overview", s.Subject.Title), Missing: s.Subject.Missing}
	s.files(&p, x)
	if s.Subject.Receipt != nil {
		s.run(&p, x, s.Subject.Receipt)
	} else {
		s.rowsOfFiles(&p)
	}
	p.Again = p.Live
	main := &state{values: url.Values{}, shown: x.shown, query: rows.Query{Masked: !x.shown}}
	if x.shown {
		main.values.Set(valuesKey, asShown)
	}
	if p.Kinds = "Kinds of rows"; s.Subject.main() != "" { // of all files a record would be counted once for each
		p.Kinds = "Rows that were " + s.Subject.main()
		main.values.Set(inKey+"outcome", s.Subject.main())
		main.query.In = []rows.In{{Column: "outcome", Words: []string{s.Subject.main()}}}
	}
	found, err := s.index.Find(main.query)
	if err != nil {
		return err
	}
	var l rowsPage
	if err := s.facets(&l, main, found); err != nil {
		return err
	}
	p.Facets = l.Facets
	return render(w, "overview.html", &p)
}

func (s *Server) files(p *overviewPage, x *state) {
	for _, state := range s.index.States() {
		f := file{
			Name: format.Printable(state.Name), Link: s.only(x, inKey+"file", state.Name), Rows: state.Rows, Bad: state.Bad, Size: state.Of,
			Input: state.Input != "",
		}
		if out, ok := s.Subject.output(state.File); ok {
			f.What = s.what(out)
		}
		switch {
		case state.Err != nil:
			f.Trouble = masked(state.Err.Error(), x.shown)
		case state.Changed != "":
			f.Trouble = state.Changed + " since it was indexed"
		case !state.Done:
			p.Live, f.Read = true, format.Share(state.Read, max(1, state.Of))
		}
		p.Files = append(p.Files, f)
	}
	for _, l := range s.Subject.Listed {
		p.Files = append(p.Files, file{Name: format.Printable(l.Name), What: l.What, Rows: l.Records, Size: l.Bytes, Input: l.Input})
	}
}

func (s *Server) rowsOfFiles(p *overviewPage) {
	var rows, bad, bytes int64
	for _, f := range p.Files {
		rows, bad, bytes = rows+f.Rows, bad+f.Bad, bytes+f.Size
	}
	p.Kicker = plural.Of(len(p.Files), "file")
	p.Figures = []figure{{Text: "Rows", Value: plural.Count(rows)}, {Text: "Size", Value: format.Size(bytes)}}
	if bad > 0 {
		p.Figures = append(p.Figures, figure{Text: "Not JSON", Value: plural.Count(bad), Class: "bad"})
	}
}

func (s *Server) run(p *overviewPage, x *state, r *receipt.Receipt) {
	t := &r.Totals
	p.Kicker = "Run of " + r.Started.Local().Format(time.DateTime)
	p.Lede = masked(r.Pipeline.Path, x.shown)
	kept := figure{Text: "Written", Value: plural.Count(t.Written), Note: format.Size(t.BytesWritten)}
	rejected, dropped := t.Rejected.Total, t.Dropped.Total
	if f, ok := r.Funnel(); ok { // without what became of copies
		p.Funnel = format.Funnel(f)
		rejected, dropped = f.Rejected+f.Unreadable, f.Dropped
		kept = figure{Text: "Kept", Value: plural.Count(f.Kept), Note: format.Share(f.Kept, f.Read), Link: s.only(x, inKey+"outcome", rows.Kept)}
		if f.Made != 0 {
			kept.Note = fmt.Sprintf("%s by steps", format.Signed(f.Made))
		}
	}
	p.Figures = []figure{
		{Text: "Read", Value: plural.Count(t.Read), Note: format.Size(t.BytesRead)},
		kept,
		{Text: "Rejected", Value: plural.Count(rejected), Note: format.Share(rejected, t.Read)},
		{Text: "Dropped", Value: plural.Count(dropped), Note: format.Share(dropped, t.Read)},
		{Text: "Took", Value: format.Seconds(t.Seconds), Note: format.Rate(t.BytesRead, time.Duration(t.Seconds*float64(time.Second)))},
	}
	if rejected > 0 {
		p.Figures[2].Class, p.Figures[2].Link = "bad", s.only(x, inKey+"shape", rows.RejectShape)
	}
	for _, w := range r.Warnings {
		p.Warnings = append(p.Warnings, masked(strings.TrimPrefix(w.Place+": "+w.Message, ": "), x.shown))
	}
	for _, u := range r.Unbalanced {
		p.Warnings = append(p.Warnings, masked("The account of the run does not add up: "+u, x.shown))
	}
	for _, a := range r.Steps {
		if a.In == 0 {
			p.Idle = append(p.Idle, format.Printable(a.Name))
			continue
		}
		p.Steps = append(p.Steps, step{
			Name: format.Printable(a.Name), Plugin: format.Printable(a.Plugin), In: a.In, Out: a.Out, Dropped: a.Dropped.Total, Rejected: a.Rejected.Total,
			Declined: a.Declined.Total, Busy: format.Seconds(a.BusySeconds), Link: s.only(x, inKey+"step", a.Name),
		})
	}
	p.Rejects = s.tallies(x, &t.Rejected, t.Read, rows.Rejected)
	p.Drops = s.tallies(x, &t.Dropped, t.Read, rows.Noted)
}

// what says in words what an output of the run holds.
func (s *Server) what(out receipt.Output) string {
	switch s.Subject.outcome(out) {
	case rows.Kept:
		return "records that were kept"
	case rows.Copied:
		return "copies by a tee"
	case rows.Rejected:
		return "rejected records"
	}
	step, output, _ := strings.Cut(out.Side, "/")
	return format.Printable(output + ", by step " + step)
}

const mostTallies = 30

// tallies lays out what records were rejected or dropped for, as shares of those that were read. Each leads to the rows of an outcome
// that say so, where there are any.
func (s *Server) tallies(x *state, of *receipt.Breakdown, read int64, outcome string) (all []tally) {
	by := of.By
	codes := map[string]bool{}
	if found, err := s.index.Find(rows.Query{Masked: !x.shown, In: []rows.In{{Column: "outcome", Words: []string{outcome}}}}); err == nil {
		for _, f := range found.Facets("code") {
			codes[f.Word] = true
		}
	}
	if !x.shown {
		by = mask.Counts(by) // rows have codes as they are masked
	}
	keys := format.MostFirst(by)
	for _, key := range keys[:min(len(keys), mostTallies)] {
		y := tally{Text: masked(key, x.shown), Rows: by[key], Share: format.Share(by[key], read)}
		if codes[key] || outcome == rows.Rejected {
			y.Link = s.only(x, inKey+"outcome", outcome, inKey+"code", key)
		}
		all = append(all, y)
	}
	return all
}

// report serves the report of the run, as sluice report writes it.
func (s *Server) report(w http.ResponseWriter, r *http.Request, _ *state) error {
	if s.Report == nil {
		return wrong("want a folder with a receipt, have only rows")
	}
	text, err := s.Report(themeOf(r), "report.js")
	if err != nil {
		return err
	}
	// It is one file with its style in it.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text)
	return nil
}
