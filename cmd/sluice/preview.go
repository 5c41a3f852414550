package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/chatml/template"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

// A previewing is what preview is asked to do.
type previewing struct {
	template, target, python string
	show, limit              int
	suggest, asJSON          bool

	renderer *template.Renderer
	result   previewed
}

// What a machine reads of a preview.
type previewed struct {
	Rows       int64            `json:"rows"` // rendered
	Incomplete int64            `json:"incomplete"`
	Rejected   map[string]int64 `json:"rejected"` // by code, before they could be rendered
	Losses     map[string]int64 `json:"losses"`   // by code
	Characters int64            `json:"characters"`
	Trained    int64            `json:"trained"` // of the characters
	Inexact    int64            `json:"inexact"` // rows in which the trained text begins only about there
	Findings   []finding        `json:"findings"`
	Shown      []shown          `json:"shown"`
}

// A shown row is one that preview shows as the model reads it.
type shown struct {
	File     string    `json:"file"`
	Line     int64     `json:"line"`
	Segments []segment `json:"segments"`
}

type segment struct {
	Trained bool   `json:"trained"`
	Text    string `json:"text"`
}

// errEnough ends a preview that has seen all that it was asked to.
var errEnough = errors.New("enough rows")

// mostFindings is how many findings a preview tells.
const mostFindings = 100

func previewCommand(out *report) *cobra.Command {
	var p previewing
	c := &cobra.Command{
		Use:   "preview FILE... --template PATH",
		Short: "render rows through a model's chat template and find what it loses",
		Long: `preview renders rows through a chat template, a file of Jinja or a tokenizer_config.json, shows the first as the model
reads them, with what is trained on between {+ and +}, and looks in each for all that the row says. What is trained on is
what the template marks with {% generation %}, or else what the last message adds to its prompt.

Rows {messages, tools} are rendered as they stand; others become such rows first, as steps of a pipeline make them. With
--target all rows do, for that target, or for the template itself with "auto". --suggest tells which target fits.

Templates are written for Python's Jinja2, so preview needs python3 with jinja2.

The exit code is 1 when the template refuses a row or leaves out a text, a call, a result or a tool, when it encodes
arguments twice, and when there is no row.`,
		Example: `  sluice preview out/train.jsonl --template Qwen3/tokenizer_config.json
  sluice preview corpus.jsonl --template chat_template.jinja --target auto --rows 1000
  sluice preview --template chat_template.jinja --suggest`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case p.template == "":
				return &usageError{command: c, err: errors.New("want --template PATH, have none")}
			case len(args) == 0 && !p.suggest:
				return &usageError{command: c, err: errors.New("want at least one file, have none")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			err := p.run(c, out, args)
			if err != nil && !out.printed {
				return out.json(p.asJSON, err)
			}
			return err
		},
	}
	c.Flags().StringVar(&p.template, "template", "", "the chat template, or a tokenizer_config.json, at `PATH`")
	c.Flags().StringVar(&p.target, "target", "", "render all rows for this target of step chatml, or auto")
	c.Flags().StringVar(&p.python, "python", "", "the Python to use, python3 by default")
	c.Flags().IntVar(&p.show, "show", 1, "show the text of the first `N` rows")
	c.Flags().IntVar(&p.limit, "rows", 0, "look at the first `N` rows only")
	c.Flags().BoolVar(&p.suggest, "suggest", false, "tell which target fits the template")
	c.Flags().BoolVar(&p.asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

func (p *previewing) run(c *cobra.Command, out *report, paths []string) error {
	if p.suggest {
		attributes, names, err := chatml.Suggest(p.template, p.python)
		if err != nil {
			return err
		}
		out.suggested(attributes, names)
		if len(paths) == 0 {
			return nil
		}
	}
	file, err := template.Read(p.template)
	if err != nil {
		return err
	}
	if p.renderer, err = template.Start(c.Context(), p.python, file); err != nil {
		return err
	}
	defer p.renderer.Close()
	p.result = previewed{Rejected: map[string]int64{}, Losses: map[string]int64{}, Findings: []finding{}, Shown: []shown{}}
	pass, err := p.pass(paths)
	if err != nil {
		return err
	}
	_, err = pass.Run(c.Context(), host.Options{
		BuiltIns: plugins.All, Version: version(), InProcess: p.target == "auto", Stdin: c.InOrStdin(), Log: out.plugin, MaskName: mask.Name,
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if p.asJSON {
		out.printed = true
		return errors.Join(out.writeJSON(p.result), p.verdict())
	}
	out.previewed(&p.result)
	return p.verdict()
}

// pass is the way of the rows to the template.
func (p *previewing) pass(paths []string) (*host.Pass, error) {
	pass := &host.Pass{Paths: paths, Out: p.look, Reject: p.rejected}
	for _, name := range plugins.Adapters {
		pass.First = append(pass.First, host.Ask{Plugin: name, Args: "{}"})
	}
	args := "{}"
	switch p.target {
	case "":
		var err error
		if pass.Ready, err = isChat(); err != nil {
			return nil, err
		}
	case "auto":
		path, err := filepath.Abs(p.template)
		if err != nil {
			return nil, err
		}
		text := jsontext.AppendMember([]byte(`{"target":"auto",`), "chat_template", path)
		args = string(jsontext.AppendMember(append(text, ','), "python", p.python)) + "}"
	default:
		args = string(jsontext.AppendMember([]byte("{"), "target", p.target)) + "}"
	}
	pass.Then = []host.Ask{{Plugin: chatml.Plugin.Name, Args: args}}
	return pass, nil
}

// isChat gives what tells whether a row is {messages, tools}, which a template takes as it stands.
func isChat() (func(row []byte) bool, error) {
	rows, err := schema.Get("chatml")
	if err != nil {
		return nil, err
	}
	return func(row []byte) bool { return rows.Check(jsontext.Of(row)) == nil }, nil
}

// look renders a row and looks for what it says.
func (p *previewing) look(r host.Row) error {
	if p.limit > 0 && p.result.Rows == int64(p.limit) {
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
		if l.Code == template.LostReasoning || len(x.Findings) == mostFindings {
			continue
		}
		message := template.Codes[l.Code]
		if l.Code == template.Raised {
			message += ": " + made.Error
		}
		x.Findings = append(x.Findings, finding{File: r.File, Line: r.Line, Level: "error", Code: l.Code, Path: l.Path, Message: message})
	}
	if len(x.Shown) < p.show && made.Error == "" {
		s := shown{File: r.File, Line: r.Line, Segments: []segment{}}
		for _, part := range made.Segments {
			s.Segments = append(s.Segments, segment{part.Trained, part.Text})
		}
		x.Shown = append(x.Shown, s)
	}
	return nil
}

func (p *previewing) rejected(r host.Row) error {
	p.result.Rejected[gjson.GetBytes(r.JSON, "code").Str]++
	return nil
}

// verdict is the error of a preview that has found something, or had nothing to render.
func (p *previewing) verdict() error {
	switch x := &p.result; {
	case x.Rows == 0:
		return errors.New("want rows to render, have none")
	case x.Incomplete > 0:
		return fmt.Errorf("%s of %s incomplete in this template", format.Count(x.Incomplete), format.Plural(x.Rows, "row"))
	}
	return nil
}

// suggested tells which attributes and targets fit a template.
func (r *report) suggested(attributes string, names []string) {
	fmt.Fprintf(r.out, "chatml: %s\n", attributes)
	if len(names) > 0 {
		fmt.Fprintf(r.out, "target: %s\n", strings.Join(names, ", "))
		return
	}
	fmt.Fprintf(r.out, "target: auto\n")
}
