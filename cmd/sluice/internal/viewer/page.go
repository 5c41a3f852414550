package viewer

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"reflect"
	"sync"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed viewer.js
var script string

//go:embed report.js
var reportScript string

//go:embed icon.svg
var icon string

//go:embed viewer.css
var ownStyle string

// pages are parsed for the first page, and not by every process at its start.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(chart.Templates().Funcs(template.FuncMap{
		"count": func(n any) string { return plural.Count(int64Of(n)) }, "size": func(n any) string { return format.Size(int64Of(n)) },
		"plural": func(n any, what string) string { return plural.Of(int64Of(n), what) }, "show": format.Printable,
		"parts": format.Parts,
	}).ParseFS(pageFiles, "pages/*.html"))
})

func int64Of(n any) int64 { return reflect.ValueOf(n).Int() }

// A pageFrame holds what all pages have.
type pageFrame struct {
	Title   string
	Subject string
	Theme   string // light, dark, or "" for that of the system
	Here    string // overview, rows, compare
	Run     bool
	Pair    bool   // there is a second run
	Report  bool   // there is a page of the run as a whole
	Shown   bool   // personal values are not masked
	Other   string // address of this page with values masked, or shown
	Rows    string // address of the search
	Home    string // address of the run's page
	Compare string
	Live    bool // the page is not complete yet
	Again   bool // a browser without scripts loads it again
	Wide    bool
	Text    string
}

func (s *Server) frame(r *http.Request, x *state, here, title string) pageFrame {
	f := pageFrame{
		Title: format.Printable(title), Subject: format.Printable(s.Subject.Title), Theme: themeOf(r), Here: here, Run: s.Subject.Receipt != nil,
		Pair: s.Against != nil, Report: s.Report != nil,
		Wide: here == "rows" || title == pairTitle, Shown: x.shown, Rows: s.main(x),
		Text: format.Printable(x.query.Text),
	}
	v := r.URL.Query()
	if x.shown {
		v.Del(valuesKey)
	} else {
		v.Set(valuesKey, asShown)
	}
	page := "."
	if r.URL.Path != "/" {
		page = r.URL.Path[1:]
	}
	f.Home, f.Compare, f.Other = x.bare("."), x.bare("compare"), page
	if len(v) > 0 {
		f.Other += "?" + v.Encode()
	}
	return f
}

// themeOf returns the theme that was chosen on another page, "" for none.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie("sluice-theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// main returns the address of the search, or without one that of the rows which people look at first.
func (s *Server) main(x *state) string {
	if of := s.Subject.main(); of != "" && !x.searches() {
		return s.only(x, inKey+"outcome", of)
	}
	return x.with("rows")
}

func render(w http.ResponseWriter, name string, data any) error {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // whoever asked may have left
	return nil
}

// A wrongAddress is an address that asks for what cannot be.
type wrongAddress struct{ text string }

func (e *wrongAddress) Error() string { return e.text }

func wrong(format string, args ...any) error { return &wrongAddress{fmt.Sprintf(format, args...)} }

var errNoPage = errors.New("want the address of a page of sluice view")

// errFault says nothing of what went wrong, which may quote a row.
var errFault = errors.New("sluice view failed while it made this page")

// A page answers a request with the search in its address.
type page func(w http.ResponseWriter, r *http.Request, x *state) error

// caught serves a page. It turns a panic into an error, so that the browser gets a page.
func (s *Server) caught(serve page, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch recover() {
		case nil:
		case http.ErrAbortHandler:
			panic(http.ErrAbortHandler)
		default:
			err = errFault
		}
	}()
	x, err := s.read(r.URL.Query())
	if err != nil {
		return err
	}
	return serve(w, r, x)
}

type failurePage struct {
	pageFrame
	Status  int
	Message string
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil || r.Context().Err() != nil { // the request has ended
		return
	}
	x := &state{values: url.Values{}, shown: r.URL.Query().Get(valuesKey) == asShown}
	f := failurePage{Status: http.StatusInternalServerError, Message: err.Error()}
	title := "This page could not be made"
	var asked *wrongAddress
	switch {
	case errors.As(err, &asked):
		f.Status, title = http.StatusBadRequest, "This address has no page"
	case errors.Is(err, rows.ErrUnknown):
		f.Status, title, f.Message = http.StatusNotFound, "There is no such row", "None of the files that are shown here has this row."
	case errors.Is(err, errNoPage), errors.Is(err, fs.ErrNotExist):
		f.Status, title = http.StatusNotFound, "There is no such page"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.Status, f.Message = http.StatusServiceUnavailable, "The query of this page was stopped. Load it again."
	case errors.Is(err, rows.ErrNotYet):
		f.Status, title, f.Message = http.StatusServiceUnavailable, "Not yet", "This row is not indexed yet. Load the page again."
		w.Header().Set("Retry-After", "1")
	case errors.Is(err, rows.ErrChanged):
		f.Status, title, f.Message = http.StatusConflict, "This file has changed", "The file has changed since it was indexed. Start sluice view again to read it anew."
	}
	f.pageFrame = s.frame(r, x, "", title)
	f.Message = format.Printable(masked(f.Message, x.shown))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(f.Status)
	_ = pages().ExecuteTemplate(w, "failure.html", f)
}

// masked returns a text as it may be shown.
func masked(text string, shown bool) string {
	if !shown {
		text = mask.Text(text)
	}
	return format.Printable(text)
}
