package host

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/jsonl"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/batch"
)

// sourceTypes are the sources, by type name.
var sourceTypes = map[string]func(jsonl.Options) (input, error){
	"jsonl": func(o jsonl.Options) (input, error) { return jsonl.Open(o) },
	"json":  func(o jsonl.Options) (input, error) { return jsonl.OpenJSON(o) },
	"text":  func(o jsonl.Options) (input, error) { return jsonl.OpenText(o) },
}

// sinkTypes are the names of the sinks.
var sinkTypes = []string{"jsonl"}

// SourceFaults are the codes of what a source rejects because it is no record.
var SourceFaults = []string{jsonl.InvalidJSON, jsonl.InvalidUTF8, jsonl.TooDeep, jsonl.TooLarge}

// An input is an open source.
type input interface {
	Next(context.Context, *batch.Arena) (batch.Chunk, error)
	Files() []string
	Inputs() []jsonl.Input
	Progress() (read, total int64)
	Close() error
}

// A source of the file. reader is nil until it is open.
type source struct {
	config config.Source
	opts   jsonl.Options
	reader input
}

func (s *source) name() string { return s.config.Type + "." + s.config.Name }

// sourceArgs are the attributes of every source.
type sourceArgs struct {
	Paths []string `hcl:"paths"`
	Limit string   `hcl:"limit,optional"` // of one record, as in "64MiB"
	Depth int      `hcl:"depth,optional"` // of nesting
	Batch string   `hcl:"batch,optional"` // about how many bytes move together
}

func newSource(p *Pipeline, c config.Source) (*source, Diagnostics) {
	s := &source{config: c, opts: jsonl.Options{Limit: defaultRecordLimit}}
	if sourceTypes[c.Type] == nil {
		return s, Diagnostics{p.unknownType(c.Range, "source", c.Type, slices.Sorted(maps.Keys(sourceTypes)))}
	}
	var args sourceArgs
	diags := p.decode(c.Args, &args, s.name())
	for _, size := range []struct {
		attr, text string
		into       *int
	}{{"limit", args.Limit, &s.opts.Limit}, {"batch", args.Batch, &s.opts.Chunk}} {
		if size.text == "" {
			continue
		}
		n, err := config.ParseSize(size.text)
		if err != nil || n < 1 {
			diags = append(diags, p.tree.At(c.Args, size.attr, "bad size", fmt.Sprintf("want a size such as \"64MiB\", have %q", size.text)))
			continue
		}
		*size.into = int(n)
	}
	for i, path := range args.Paths {
		args.Paths[i] = fromHere(path)
	}
	s.opts.Paths, s.opts.Depth, s.opts.Stdin = args.Paths, args.Depth, p.opts.Stdin
	return s, diags
}

// fromHere is a path as seen from the folder where the command runs, if it leads down from there: what names a file
// should not depend on where a checkout lies.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	near, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(near) {
		return path
	}
	return near
}

// defaultRecordLimit is the largest record in bytes, unless a source says otherwise.
const defaultRecordLimit = 64 << 20

func (s *source) open(*Pipeline) (err error) {
	if s.reader, err = sourceTypes[s.config.Type](s.opts); err != nil {
		s.reader = nil
		return fmt.Errorf("source %s: %w", s.name(), err)
	}
	return nil
}

// A reader is a source with the arena that its records lie in. It shows files by what mask makes of their names: they
// leave the host in that form only.
type reader struct {
	input
	arena *batch.Arena
	mask  func(string) string

	name, shown string // of the last record's file
}

// Next implements flow.Source.
func (r *reader) Next(ctx context.Context) (batch.Chunk, error) {
	chunk, err := r.input.Next(ctx, r.arena)
	for i := range chunk.Records {
		rec := &chunk.Records[i]
		if rec.File != r.name {
			r.name, r.shown = rec.File, r.mask(rec.File)
		}
		rec.File = r.shown
	}
	return chunk, err
}

// maskInputs gives the account of a source's files under the names that are shown.
func maskInputs(s input, mask func(string) string) []jsonl.Input {
	inputs := slices.Clone(s.Inputs())
	for i := range inputs {
		inputs[i].Name = mask(inputs[i].Name)
	}
	return inputs
}

// A sink of the file, or one that the file leaves out. It implements flow.Sink once it is prepared.
type sink struct {
	config *config.Sink // nil when the file leaves it out
	name   string
	path   string
	writer *jsonl.Sink
	after  []string // steps that all its records went through
	beside string   // what it takes when that is not the stream
}

// Accepts implements flow.Sink.
func (s *sink) Accepts(r *batch.Record) *batch.Fault { return s.writer.Accepts(r) }

// Write implements flow.Sink.
func (s *sink) Write(records []batch.Record) error { return s.writer.Write(records) }

func (pl *plan) addSink(p *Pipeline, c *config.Sink) (*sink, Diagnostics) {
	s := &sink{config: c, name: c.Type + "." + c.Name}
	pl.sinks = append(pl.sinks, s)
	pl.sinkOf[c] = s
	if !slices.Contains(sinkTypes, c.Type) {
		return s, Diagnostics{p.unknownType(c.Range, "sink", c.Type, sinkTypes)}
	}
	var args struct {
		Path string `hcl:"path"`
	}
	diags := p.decode(c.Args, &args, s.name)
	if s.path = args.Path; s.path == "" && len(diags) == 0 {
		diags = append(diags, p.tree.At(c.Args, "path", "empty path", `want a path, or "-" for standard output`))
	}
	return s, diags
}

// implicitSink is the dead letter of a file that has none.
func (pl *plan) implicitSink(name, path string) *sink {
	s := &sink{name: name, path: path, beside: deadLetter}
	pl.sinks = append(pl.sinks, s)
	return s
}

// clashes are sinks and reports that would write the same file.
func (pl *plan) clashes() (diags Diagnostics) {
	seen := map[string]string{}
	taken := func(path, by string) (detail string, ok bool) {
		key := filepath.Clean(path)
		if first := seen[key]; first != "" {
			return fmt.Sprintf("want a path of its own, have %q, which %s writes", path, first), true
		}
		seen[key] = by
		return "", false
	}
	for _, s := range pl.sinks {
		if detail, ok := taken(s.path, "sink "+s.name); ok {
			diags = append(diags, pl.tree.At(s.config.Args, "path", "two sinks write to one path", detail))
		}
	}
	for _, r := range pl.reports() {
		if detail, ok := taken(r.path, r.of); ok {
			diags = append(diags, pl.tree.AtRange(r.at, r.of+" writes its report where something else is written", detail))
		}
	}
	return diags
}

// A reportFile is where a block writes its report.
type reportFile struct {
	of, path string
	at       config.Range
}

func (pl *plan) reports() []reportFile {
	var all []reportFile
	for _, f := range pl.firsts {
		if f.Report != "" {
			all = append(all, reportFile{"first " + f.Name, f.Report, f.Range})
		}
	}
	for _, s := range pl.shadows {
		all = append(all, reportFile{"shadow " + s.config.Name, pl.reportOf(s.config), s.config.Range})
	}
	return all
}

// dir is the run's folder: that of the last file sink at the top of the file, or of the last file sink.
func (pl *plan) dir() string {
	dir := "."
	pick := func(s *sink) bool {
		if s == nil || s.path == "" || s.path == "-" {
			return false
		}
		dir = filepath.Dir(s.path)
		for strings.Contains(dir, "{") {
			dir = filepath.Dir(dir)
		}
		return true
	}
	for _, s := range slices.Backward(pl.sinks) {
		if pick(s) {
			break
		}
	}
	for _, n := range slices.Backward(pl.tree.Body) {
		if c, ok := n.(*config.Sink); ok && pick(pl.sinkOf[c]) {
			break
		}
	}
	return dir
}

// prepare makes the sinks ready to write. None may overwrite what the run reads.
func (pl *plan) prepare(p *Pipeline) error {
	var inputs []string
	for _, s := range pl.sources {
		inputs = append(inputs, s.reader.Files()...)
	}
	for _, r := range pl.reports() {
		if err := jsonl.Overlaps(inputs, r.path); err != nil {
			return fmt.Errorf("report of %s: %w", r.of, err)
		}
	}
	for _, s := range pl.sinks {
		if err := jsonl.Overlaps(inputs, s.path); err != nil {
			return fmt.Errorf("sink %s: %w", s.name, err)
		}
		s.writer = jsonl.Create(s.path, jsonl.SinkOptions{Stdout: p.opts.Stdout})
		if err := s.writer.Prepare(); err != nil {
			return fmt.Errorf("sink %s: %w", s.name, err)
		}
	}
	return nil
}

// commit gives all outputs their names, once all of them are whole on disk.
func (pl *plan) commit() ([]jsonl.Output, error) {
	var outputs []jsonl.Output
	for _, s := range pl.sinks {
		if err := s.writer.Finish(); err != nil {
			return nil, fmt.Errorf("sink %s: %w", s.name, err)
		}
	}
	for _, s := range pl.sinks {
		out, err := s.writer.Commit()
		if err != nil {
			return nil, fmt.Errorf("sink %s: %w", s.name, err)
		}
		for i := range out {
			out[i].After, out[i].Beside = s.after, s.beside
		}
		outputs = append(outputs, out...)
	}
	return outputs, nil
}

// decode reads the attributes of a source or sink, and gives each mistake its place.
func (p *Pipeline) decode(args config.Args, into any, what string) (diags Diagnostics) {
	err := sdk.ParseArgs(args.JSON).Decode(into)
	if err == nil {
		return nil
	}
	for _, e := range (sdk.Plugin{}).ArgErrors(err) {
		diags = append(diags, p.tree.At(args, e[0], what+": bad argument "+e[0], e[1]))
	}
	return diags
}

func (p *Pipeline) unknownType(at config.Range, kind, have string, known []string) Diagnostic {
	d := p.tree.AtRange(at, fmt.Sprintf("unknown %s type %q", kind, have), "want one of "+list(known))
	d.Suggestion = config.Nearest(have, known)
	return d
}
