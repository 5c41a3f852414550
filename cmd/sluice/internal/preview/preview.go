// Package preview renders rows through the chat template of a model and finds what it loses.
package preview

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowcheck"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/survey"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

// A Result is what a preview found.
type Result struct {
	Renderer   string             `json:"renderer"` // what renders, with its version
	Rows       int64              `json:"rows"`     // rendered
	Incomplete int64              `json:"incomplete"`
	Rejected   map[string]int64   `json:"rejected"` // by code, before they could be rendered
	Losses     map[string]int64   `json:"losses"`   // by code
	Characters int64              `json:"characters"`
	Trained    int64              `json:"trained"` // of the characters
	Inexact    int64              `json:"inexact"` // rows in which the trained text begins only about there
	Findings   []rowcheck.Finding `json:"findings"`
	Shown      []shown            `json:"shown"`
}

type shown struct {
	File     string    `json:"file"`
	Line     int64     `json:"line"`
	Segments []segment `json:"segments"`
}

type segment struct {
	Trained bool   `json:"trained"`
	Text    string `json:"text"`
}

var errEnough = errors.New("enough rows")

const mostFindings = 100 // that a preview keeps

// Options select the rows and the template.
type Options struct {
	Template string // path
	Target   string // of step chatml, or "auto"; "": chat rows as they are
	Python   string // "": python3
	Show     int    // the text of the first so many rows is kept
	Limit    int    // only the first so many rows are rendered; 0: all
}

// Rows renders the rows of files.
func Rows(ctx context.Context, paths []string, o Options, opts host.Options) (*Result, error) {
	file, err := template.Read(o.Template)
	if err != nil {
		return nil, host.AtPath(err)
	}
	p := previewing{Options: o}
	if p.renderer, err = template.Start(ctx, o.Python, file); err != nil {
		return nil, err
	}
	defer p.renderer.Close()
	p.result = Result{Renderer: p.renderer.Name, Rejected: map[string]int64{}, Losses: map[string]int64{}, Findings: []rowcheck.Finding{}, Shown: []shown{}}
	pass, err := p.pass(paths)
	if err != nil {
		return nil, err
	}
	opts.InProcess = o.Target == "auto"
	if _, err = pass.Run(ctx, opts); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return &p.result, nil
}

// Suggest says which attributes and targets of step chatml fit a template.
func Suggest(o Options) (string, error) {
	renderer, attributes, names, err := chatml.Suggest(o.Template, o.Python)
	if err != nil {
		return "", host.AtPath(err)
	}
	if len(names) == 0 {
		names = []string{"auto"}
	}
	return fmt.Sprintf("renderer: %s\nchatml: %s\ntarget: %s\n", renderer, attributes, strings.Join(names, ", ")), nil
}

type previewing struct {
	Options
	renderer *template.Renderer
	result   Result
}

// pass returns the steps that rows take to the template.
func (p *previewing) pass(paths []string) (*survey.Scan, error) {
	pass := &survey.Scan{Paths: paths, Out: p.render, Reject: func(r survey.Row) error {
		p.result.Rejected[gjson.GetBytes(r.JSON, "code").Str]++
		return nil
	}}
	for _, name := range plugins.Adapters {
		pass.First = append(pass.First, survey.Step{Plugin: name, Args: "{}"})
	}
	args := "{}"
	switch p.Target {
	case "":
		var err error
		if pass.Ready, err = isChat(); err != nil {
			return nil, err
		}
	case "auto":
		path, err := filepath.Abs(p.Template)
		if err != nil {
			return nil, err
		}
		text := jsontext.AppendMember([]byte(`{"target":"auto"`), "chat_template", path)
		if chatml.ShowsImages(path, p.Python) {
			text = jsontext.AppendMember(text, "media", "parts")
		}
		args = string(jsontext.AppendMember(text, "python", p.Python)) + "}"
	default:
		args = string(jsontext.AppendMember([]byte("{"), "target", p.Target)) + "}"
	}
	pass.Then = []survey.Step{{Plugin: chatml.Plugin.Name, Args: args}}
	return pass, nil
}

// FlagOf returns the flag that sets an attribute of step chatml.
func FlagOf(attr string) string {
	switch attr {
	case "chat_template":
		return "--template"
	case "python":
		return "--python"
	}
	return "--target"
}

// isChat returns a function that reports whether a row is {messages, tools}, which a template takes as it is.
func isChat() (func(row []byte) bool, error) {
	rows, err := schema.Get("chatml")
	if err != nil {
		return nil, err
	}
	return func(row []byte) bool { return rows.Check(jsontext.Of(row)) == nil }, nil
}

// render renders a row and finds what is missing in it.
func (p *previewing) render(r survey.Row) error {
	if p.Limit > 0 && p.result.Rows == int64(p.Limit) {
		return errEnough
	}
	row := jsontext.Of(r.JSON)
	made, err := p.renderer.Render(row)
	if err != nil {
		return err
	}
	x := &p.result
	x.Rows++
	for _, s := range made.Segments {
		n := int64(utf8.RuneCountInString(s.Text))
		if x.Characters += n; s.Trained {
			x.Trained += n
		}
	}
	losses := template.Losses(row, made)
	if made.Error == "" && !made.Exact {
		x.Inexact++
	}
	if template.Incomplete(losses) {
		x.Incomplete++
	}
	for _, l := range losses {
		x.Losses[l.Code]++
		if !template.Incomplete([]template.Loss{l}) || len(x.Findings) == mostFindings {
			continue
		}
		message := template.Codes[l.Code]
		if l.Code == template.Raised {
			message += ": " + made.Error
		}
		x.Findings = append(x.Findings, rowcheck.Finding{File: r.File, Line: r.Line, Level: "error", Code: l.Code, Path: l.Path, Message: message})
	}
	if len(x.Shown) < p.Show && made.Error == "" {
		s := shown{File: r.File, Line: r.Line, Segments: []segment{}}
		for _, part := range made.Segments {
			s.Segments = append(s.Segments, segment{part.Trained, part.Text})
		}
		x.Shown = append(x.Shown, s)
	}
	return nil
}

// Verdict returns an error when the template leaves something out, or there was nothing to render.
func (r *Result) Verdict() error {
	switch {
	case r.Rows == 0:
		return errors.New("want rows to render, have 0")
	case r.Incomplete > 0:
		return fmt.Errorf("%s of %s incomplete in this template", plural.Count(r.Incomplete), plural.Of(r.Rows, "row"))
	}
	return nil
}

// Text returns rows as a model reads them, and what the template left out.
func (r *Result) Text() string {
	var b strings.Builder
	for _, s := range r.Shown {
		fmt.Fprintf(&b, "--- %s:%d\n", format.Printable(s.File), s.Line)
		for _, part := range s.Segments {
			if part.Trained {
				part.Text = "{+" + part.Text + "+}"
			}
			b.WriteString(format.Printable(part.Text))
		}
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// Counts says how much the template left out.
func (r *Result) Counts() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "renderer\t%s\n", r.Renderer)
	fmt.Fprintf(w, "rows\t%s\n", plural.Count(r.Rows))
	fmt.Fprintf(w, "complete\t%s\n", plural.Count(r.Rows-r.Incomplete))
	if r.Characters > 0 {
		fmt.Fprintf(w, "trained\t%s of %s characters\n", percent.Of(r.Trained, r.Characters, 1), plural.Count(r.Characters))
	}
	if r.Inexact > 0 {
		fmt.Fprintf(w, "about\t%s: what is trained on begins where the prompt ends to be the same\n", plural.Of(r.Inexact, "row"))
	}
	if r.Losses[template.UntrainedEnd] > 0 {
		fmt.Fprintf(w, "mask\t%s\n", template.Codes[template.UntrainedEnd])
	}
	for _, by := range []struct {
		what  string
		codes map[string]int64
	}{{"lost", r.Losses}, {"rejected", r.Rejected}} {
		for _, line := range cli.Breakdown(by.codes) {
			fmt.Fprintf(w, "%s\t%s\n", by.what, line)
		}
	}
	w.Flush()
	return b.String()
}
