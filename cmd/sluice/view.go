package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/heap"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/page"
	"github.com/sluicehq/sluice/cmd/sluice/internal/preview"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/trace"
)

type viewOptions struct {
	flags            cli.PipelineFlags
	against, address string
	templates        []string
	python           string
	open             bool
}

const tokenVariable = "SLUICE_VIEW_TOKEN"

func viewCommand(out *cli.Printer) *cobra.Command {
	var v viewOptions
	c := &cobra.Command{
		Use:   "view DIR|FILE...",
		Short: "Show the rows of a run, or of files, in a browser",
		Long: `view serves pages to browsers on this machine only: the files of a run with their rows, searched, filtered and sorted; each row as
a conversation, as JSON, and as a chat template renders it; what else became of its record, such as rejects and privacy findings;
its path through the steps; and with --against two runs side by side: what differs between them, what became of each record in both,
as a table of lists, and what differs in the rows. Arguments are the folder of a run or its receipt, or files of JSON Lines, compressed
or not, or of Parquet, and folders of them. Files are indexed while you look, and the index is kept in your cache folder. A run
opens with the rows that it kept; the filter outcome shows copies, rejects and inputs. What a search finds can be downloaded as
JSON Lines, masked as the pages are, and every turn and value of a row has an address.

Runs, files, folders and patterns for files may be those of a bucket, as s3://bucket/folder. They are copied to your cache folder first, and
only what has changed since the last time. Inputs of a run that lie in a bucket are copied too.

A run may be somebody else's. To show the way of a record through the steps, view needs the plugins of the run's pipeline: it starts those
of sluice, and others only if you trust them; in a terminal it asks. Otherwise the page says what is not trusted. See sluice trust.

The address on stderr holds a token, and requests without the token are refused. Set ` + tokenVariable + ` to keep the links the
same at the next start. Pages change no file. They mask personal values unless you ask a page to show them, and the page then says
so. Ctrl-C ends view.`,
		Example: `  sluice view out
  sluice view out --against before --template Qwen3/tokenizer_config.json
  sluice view corpus/*.jsonl --open=false --addr localhost:8080`,
		Args: cli.Some("the folder of a run, or files"),
		RunE: func(c *cobra.Command, args []string) error { return v.run(c, out, args) },
	}
	v.flags.AddLooking(c)
	c.Flags().StringVar(&v.against, "against", "", "compare with the run in `DIR`")
	c.Flags().StringVar(&v.address, "addr", "localhost:0", "listen at `HOST:PORT` of this machine; port 0 is a free one")
	c.Flags().StringArrayVar(&v.templates, "template", nil, "render rows with the chat template, or tokenizer_config.json, at `PATH`; may be repeated")
	c.Flags().StringVar(&v.python, "python", "", "run the Python at `PATH`; by default python3")
	c.Flags().BoolVar(&v.open, "open", true, "open a browser, when stderr is a terminal")
	return c
}

func (v *viewOptions) run(c *cobra.Command, out *cli.Printer, args []string) (err error) {
	o := viewer.Options{Token: os.Getenv(tokenVariable)}
	switch {
	case o.Token == "":
		o.Token = rand.Text()
	case !goodToken.MatchString(o.Token):
		return fmt.Errorf("%s: want 16 or more letters, digits, - and _, and nothing else", tokenVariable)
	}
	if o.Subject, err = lookAt(c.Context(), out, args...); err != nil {
		return err
	}
	if o.Subject.Unfinished {
		warnOfUnfinished(out, args)
	} else if o.Subject.Receipt != nil {
		warnOfLater(out, args[0])
	}
	if v.against != "" {
		if o.Against, err = lookAt(c.Context(), out, v.against); err != nil {
			return err
		}
		if o.Subject.Receipt == nil || o.Against.Receipt == nil {
			return cli.Usage(c, errors.New("--against: want two runs, have files"))
		}
	}
	if o.Subject.Receipt != nil {
		opts, err := v.flags.Options(c, out)
		if err != nil {
			return err
		}
		opts.Stdin = bytes.NewReader(nil)
		if err := v.ask(c, out, o.Subject.Receipt, opts); err != nil {
			return err
		}
		o.Explain = explainer(o.Subject.Receipt, opts)
		o.Report = func(theme, script string) ([]byte, error) {
			x := o.Subject
			return page.Make(x.Receipt, page.FilesIn(x.Receipt, filepath.Dir(x.Path)), page.Links{Output: x.Rows, Record: x.Row, Code: x.Coded, Theme: theme, Script: script})
		}
	}
	ctx, cancel := context.WithCancel(c.Context())
	var renderers []*preview.Renderer
	defer func() {
		cancel()
		for _, r := range renderers {
			r.Close()
		}
	}()
	for _, path := range v.templates {
		r := preview.NewRenderer(ctx, path, v.python, out.Options(c))
		renderers = append(renderers, r)
		o.Templates = append(o.Templates, viewer.Template{Name: templateName(path, o.Templates), Render: r.Render})
	}
	return v.serve(c.Context(), out, o)
}

// templateName returns the name of a template: its file and the folder around it, which mostly has the name of the model.
func templateName(path string, others []viewer.Template) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	name := mask.Name(filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))))
	if slices.ContainsFunc(others, func(o viewer.Template) bool { return o.Name == name }) {
		return mask.Name(path)
	}
	return name
}

// goodToken matches a token that is too long to guess and needs no escapes in an address.
var goodToken = regexp.MustCompile(`^[A-Za-z0-9_-]{16,}$`)

// serve answers until the context ends, which is no error.
func (v *viewOptions) serve(ctx context.Context, out *cli.Printer, o viewer.Options) (err error) {
	heap.Grow(100) // the index lives as long as the program, and few requests come at a time
	l, err := viewer.Listen(v.address)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	s, err := viewer.New(ctx, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	address := "http://" + l.Addr().String() + "/" + o.Token + "/"
	out.Say("%s", address)
	if v.open && out.ErrIsTerminal() {
		browse(ctx, address)
	}
	return s.Serve(ctx, l)
}

func browse(ctx context.Context, address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if c := exec.CommandContext(ctx, name, args...); c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}

// ask asks whether to trust the pipeline of a run, if it is there as it was.
func (v *viewOptions) ask(c *cobra.Command, out *cli.Printer, r *receipt.Receipt, opts host.Options) error {
	p, err := pipelineOf(r, opts)
	if err != nil { // which the page says where it needs the pipeline
		return nil
	}
	_, err = askTrust(c, out, p, opts)
	return err
}

// explainer returns what sends records through the pipeline of a run.
func explainer(r *receipt.Receipt, opts host.Options) func(context.Context, trace.Selection) (*trace.Trace, error) {
	return func(ctx context.Context, pick trace.Selection) (*trace.Trace, error) {
		p, err := pipelineOf(r, opts)
		if err != nil {
			return nil, err
		}
		return p.Explain(ctx, pick)
	}
}

// pipelineOf returns the pipeline of a run with its variables, as long as the file has not changed.
func pipelineOf(r *receipt.Receipt, opts host.Options) (*host.Pipeline, error) {
	have, err := host.PipelineSHA256(r.Pipeline.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("want the pipeline of the run at its path, from the folder where the run was started: %w", err)
	}
	if err != nil || have != r.Pipeline.SHA256 {
		return nil, fmt.Errorf("%s: want the pipeline as it was when the run began, have a file that changed since", r.Pipeline.Path)
	}
	given := opts.Vars
	opts.Vars = map[string]string{}
	for name, value := range r.Variables {
		if value != host.Sensitive {
			opts.Vars[name] = value
		}
	}
	maps.Copy(opts.Vars, given)
	return host.Load(r.Pipeline.Path, opts)
}
