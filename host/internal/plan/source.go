package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Source is a source of the file. It is closed until Open.
type Source struct {
	config config.Source
	kind   string // how it is read
	opts   source.Options
	source *source.Source
	arena  *wire.Arena
	mask   func(string) string
	place  func(attr string) string // in the pipeline file, for errors; nil: its paths are not from there
	feed   *flow.Source             // of a plan that runs
	batch  flow.BatchSize           // as the file says it, if it does
	silent bool                     // it reads nothing

	files       *byFile  // nil: all are read one behind the other
	claimed     []string // files that were there when the plan was made
	last, shown string   // name of the last record's file
}

// Label names the source as TYPE.NAME.
func (src *Source) Label() string { return src.config.Type + "." + src.config.Name }

// Waited returns for how long the run has waited for the source's next records.
func (src *Source) Waited() time.Duration {
	if src.feed == nil {
		return 0
	}
	return src.feed.Waited.Sum()
}

func (p *Plan) addSource(c config.Source) config.Diagnostics {
	src := &Source{config: c, kind: c.Type, opts: source.Defaults(), mask: p.opts.Mask}
	p.Sources = append(p.Sources, src)
	if p.opts.Inputs == nil {
		src.place = func(attr string) string {
			d := p.tree.At(c.Args, attr, "", "")
			return fmt.Sprintf("%s:%d:%d: ", p.opts.Mask(d.Path), d.Line, d.Column)
		}
	}
	if known := source.Kinds(); !slices.Contains(known, c.Type) {
		return config.Diagnostics{p.unknownType(c.Range, "source", c.Type, known)}
	}
	own, args := source.NewArgs(c.Type)
	diags := p.decode(c.Args, own, "source", src.Label())
	if args.Limit != "" {
		n, err := config.ParseSize(args.Limit)
		if err != nil || n < 1 {
			diags = append(diags, p.tree.At(c.Args, "limit", "bad size", fmt.Sprintf("want a size such as \"64MiB\", have %q", args.Limit)))
		} else {
			src.opts.Limit = int(n)
		}
	}
	if args.Batch != "" {
		size, err := config.ParseBatch(args.Batch)
		switch {
		case err != nil:
			diags = append(diags, p.tree.At(c.Args, "batch", "bad size", err.Error()))
		case size.Records > 0:
			src.batch.Records = size.Records
		default:
			if src.opts.Batch = size.Bytes; gjson.GetBytes(c.Args.JSON, "batch").Exists() {
				src.batch.Bytes = size.Bytes
			}
		}
	}
	if p.opts.Inputs != nil {
		args.Paths = p.opts.Inputs[c.Name]
		src.silent = len(args.Paths) == 0
	}
	src.opts.Paths, src.opts.Optional, src.opts.Depth, src.opts.Stdin, src.opts.Hash, src.opts.Own = nil, args.Optional, args.Depth, p.opts.Stdin, p.tree.Hash, own
	if p.opts.Stream && c.Type != streamed {
		src.kind, src.opts.Own = streamed, nil
	}
	for _, path := range args.Paths {
		src.opts.Paths = append(src.opts.Paths, RelativePath(path))
	}
	for i, path := range args.Paths {
		if err := source.CheckPath(path); err != nil && p.opts.Inputs == nil {
			diags = append(diags, p.tree.At(c.Args, fmt.Sprintf("paths.%d", i), "source "+src.Label()+": bad path", err.Error()))
		}
	}
	decoded := len(diags) == 0
	for _, w := range src.opts.Check() { // of what is wrong already it has the defaults, but for the paths
		if w.Attr == "paths" && (src.silent || !decoded) {
			continue
		}
		diags = append(diags, p.tree.At(c.Args, w.Attr, "source "+src.Label()+": bad attribute "+w.Attr, w.Message))
	}
	p.RecordLimit, p.Depth = max(p.RecordLimit, src.opts.Limit), max(p.Depth, src.opts.Depth)
	return diags
}

// RelativePath returns a path relative to the working directory if it lies below that, so that the names of files do not depend on
// where a checkout lies.
func RelativePath(path string) string {
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

// SetArena sets the arena that records are read into.
func (src *Source) SetArena(arena *wire.Arena) { src.arena = arena }

// Next implements flow.Reader. It shows files by what mask makes of their names: they leave the host in that form only.
func (src *Source) Next(ctx context.Context, most int) (wire.Chunk, error) {
	if src.silent {
		return wire.Chunk{}, io.EOF
	}
	from := src.source
	if src.files != nil {
		from = src.files.now
	}
	chunk, err := from.Next(ctx, src.arena, most)
	if src.files != nil {
		src.files.note()
	}
	for i := range chunk.Records {
		rec := &chunk.Records[i]
		if rec.File != src.last {
			src.last, src.shown = rec.File, src.mask(rec.File)
		}
		rec.File = src.shown
	}
	if err != nil && err != io.EOF && ctx.Err() == nil && src.config.Name != "" {
		err = src.failure(err)
	}
	return chunk, err
}

// Inputs returns the account of the files that were read, under the names that are shown.
func (src *Source) Inputs() []receipt.Input {
	if src.source == nil {
		return nil
	}
	inputs := []receipt.Input{}
	read := src.source.Inputs()
	if src.files != nil {
		read = src.files.done
	}
	for _, in := range read {
		in.Name, in.Source = src.mask(in.Name), src.name()
		inputs = append(inputs, in)
	}
	return inputs
}

// name names the source in the account of its files, "" when the file does not name it.
func (src *Source) name() string {
	if src.config.Name == "" {
		return ""
	}
	return src.Label()
}

// Progress returns the bytes of the files read so far and in all; total is 0 when it is unknown.
func (src *Source) Progress() (read, total int64) {
	if src.silent {
		return 0, 0
	}
	read, total = src.source.Progress()
	if b := src.files; b != nil {
		read = b.progress.Load()
	}
	return read, total
}

// Open opens the sources and prepares the outputs, so that mistakes in them are found before anything runs.
func (p *Plan) Open(ctx context.Context) error {
	if err := p.OpenSources(); err != nil {
		return err
	}
	return p.Set.Prepare(ctx)
}

// OpenSources opens the sources, whose files may not be written.
func (p *Plan) OpenSources() error {
	if err := p.cut(); err != nil {
		return err
	}
	var all error
	for _, src := range p.Sources {
		if src.silent {
			continue
		}
		s, err := source.Open(src.kind, src.opts)
		if err != nil {
			all = errors.Join(all, src.failure(err))
			continue
		}
		src.source = s
		if p.opts.Stored {
			src.files = &byFile{names: src.source.Files()}
		}
		claimed := map[string]bool{} // there may be many
		for _, name := range src.claimed {
			claimed[name] = true
		}
		for _, name := range s.Files() {
			if !claimed[name] { // it was not there when the plan was made
				all = errors.Join(all, p.reads(src, name))
			}
		}
	}
	if all != nil {
		return all
	}
	if diags := p.checkFiles(); len(diags) > 0 {
		return diags
	}
	if diags := p.conflicts(0); len(diags) > 0 {
		return diags
	}
	return nil
}

// CorpusLimit is the largest record of a corpus in bytes.
var CorpusLimit = source.Defaults().Limit

// CheckInputs warns of each path that a run would fail at now. Files may still come.
func (p *Plan) CheckInputs() (diags config.Diagnostics) {
	for _, src := range p.Sources {
		for i, path := range src.opts.Paths {
			if places.Remote(path) { // a check asks nobody
				continue
			}
			if _, err := source.Find([]string{path}, src.opts.Optional); err != nil {
				d := p.tree.At(src.config.Args, fmt.Sprintf("paths.%d", i), "source "+src.Label()+" cannot be read now", err.Error())
				diags = append(diags, d.AsWarning())
			}
		}
	}
	return diags
}

// Corpus opens files, or patterns for them, outside of a pipeline, as a source of type auto. The caller closes what it gets.
func Corpus(paths []string, opts Options) ([]*Source, error) {
	var all []*Source
	var wrong error
	for _, path := range paths {
		src := &Source{config: config.Source{Type: "auto"}, kind: "auto", opts: source.Defaults(), mask: opts.Mask}
		src.opts.Paths, src.opts.Stdin = []string{path}, opts.Stdin
		s, err := source.Open(src.kind, src.opts)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		src.source = s
		all = append(all, src)
	}
	return all, wrong
}

// Unresumable returns why a run of this plan cannot go on where it was interrupted, nil when it can. The sources are open.
func (p *Plan) Unresumable() error {
	for _, src := range p.Sources {
		if name := src.irregular(); name != "" {
			return fmt.Errorf("source %s reads %s, which is not a file that stays", src.Label(), src.mask(name))
		}
	}
	return p.Set.Unresumable()
}

// Positions returns how far the sources have come, under the names that are shown. Nothing reads them meanwhile.
func (p *Plan) Positions() []source.Position {
	all := make([]source.Position, len(p.Sources))
	for i, src := range p.Sources {
		if src.silent {
			continue
		}
		at := src.source.Position()
		for j := range at.Files {
			at.Files[j].Name = src.mask(at.Files[j].Name)
		}
		for j := range at.Done {
			at.Done[j].Name = "" // that of its file
		}
		all[i] = at
	}
	return all
}

// GoOn has the open sources go on from the positions of an interrupted run, or returns what has changed since then.
func (p *Plan) GoOn(from []source.Position) (changes []string) {
	for i, src := range p.Sources {
		if !src.silent && i < len(from) {
			changes = append(changes, src.source.GoOn(from[i], src.mask)...)
		}
	}
	return changes
}

// irregular returns the name of the first input that is a pipe, a device or standard input, "" when there is none.
func (src *Source) irregular() string {
	if src.silent {
		return ""
	}
	null, _ := os.Stat(os.DevNull)
	for _, name := range src.source.Files() {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.Mode().IsRegular() && !os.SameFile(info, null) {
			return name
		}
	}
	return ""
}

// Rereadable returns why the source cannot be read twice, nil when it can.
func (src *Source) Rereadable() error {
	if name := src.irregular(); name != "" {
		return src.failure(fmt.Errorf("want files, since a sample reads them twice, have %s", src.mask(name)))
	}
	return nil
}

// Rewind begins anew with the first file.
func (src *Source) Rewind() error {
	if src.silent {
		return nil
	}
	if err := src.source.Close(); err != nil {
		return err
	}
	s, err := source.Open(src.kind, src.opts)
	if err != nil {
		return src.failure(err)
	}
	src.source = s
	return nil
}

// Close closes the file that is open.
func (src *Source) Close() error {
	if src.source == nil {
		return nil
	}
	return errors.Join(src.leaveFile(), src.source.Close())
}

// decode reads the attributes of a source or sink, and reports each mistake at its place.
func (p *Plan) decode(args config.Args, into any, what, label string) (diags config.Diagnostics) {
	err := sdk.ParseArgs(args.JSON).Decode(into)
	if err == nil {
		return nil
	}
	for _, e := range sdk.ArgErrors(err) {
		kind, _, _ := strings.Cut(label, ".")
		diags = append(diags, p.tree.At(args, e.Name, "", e.Message).OfAttribute(what+" "+label, e.Name).SeeDocs(kind))
	}
	return diags
}

func (p *Plan) unknownType(at config.Range, kind, have string, known []string) config.Diagnostic {
	d := p.tree.AtRange(at, fmt.Sprintf("unknown %s type %q", kind, have), "want "+config.OneOf(known))
	d.Suggestion = nearest.Word(have, known)
	return d
}

// SourceKinds describes each kind of source with its attributes, sorted by name.
func SourceKinds() []wire.Info {
	var all []sdk.Plugin
	for _, kind := range source.Kinds() {
		args, _ := source.NewArgs(kind)
		all = append(all, sdk.Plugin{Name: kind, Doc: source.Doc(kind), Args: reflect.ValueOf(args).Elem().Interface()})
	}
	return sdk.Host(all...).Plugins
}
