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
func (i *Source) Label() string { return i.config.Type + "." + i.config.Name }

// Waited returns for how long the run has waited for the source's next records.
func (i *Source) Waited() time.Duration {
	if i.feed == nil {
		return 0
	}
	return i.feed.Waited.Sum()
}

func (p *Plan) addSource(c config.Source) config.Diagnostics {
	i := &Source{config: c, kind: c.Type, opts: source.Defaults(), mask: p.opts.Mask}
	p.Sources = append(p.Sources, i)
	if p.opts.Inputs == nil {
		i.place = func(attr string) string {
			d := p.tree.At(c.Args, attr, "", "")
			return fmt.Sprintf("%s:%d:%d: ", p.opts.Mask(d.Path), d.Line, d.Column)
		}
	}
	if known := source.Kinds(); !slices.Contains(known, c.Type) {
		return config.Diagnostics{p.unknownType(c.Range, "source", c.Type, known)}
	}
	own, args := source.NewArgs(c.Type)
	diags := p.decode(c.Args, own, "source", i.Label())
	if args.Limit != "" {
		n, err := config.ParseSize(args.Limit)
		if err != nil || n < 1 {
			diags = append(diags, p.tree.At(c.Args, "limit", "bad size", fmt.Sprintf("want a size such as \"64MiB\", have %q", args.Limit)))
		} else {
			i.opts.Limit = int(n)
		}
	}
	if args.Batch != "" {
		size, err := config.ParseBatch(args.Batch)
		switch {
		case err != nil:
			diags = append(diags, p.tree.At(c.Args, "batch", "bad size", err.Error()))
		case size.Records > 0:
			i.batch.Records = size.Records
		default:
			if i.opts.Batch = size.Bytes; gjson.GetBytes(c.Args.JSON, "batch").Exists() {
				i.batch.Bytes = size.Bytes
			}
		}
	}
	if p.opts.Inputs != nil {
		args.Paths = p.opts.Inputs[c.Name]
		i.silent = len(args.Paths) == 0
	}
	i.opts.Paths, i.opts.Optional, i.opts.Depth, i.opts.Stdin, i.opts.Hash, i.opts.Own = nil, args.Optional, args.Depth, p.opts.Stdin, p.tree.Hash, own
	if p.opts.Stream && c.Type != streamed {
		i.kind, i.opts.Own = streamed, nil
	}
	for _, path := range args.Paths {
		i.opts.Paths = append(i.opts.Paths, RelativePath(path))
	}
	for n, path := range args.Paths {
		if err := source.CheckPath(path); err != nil && p.opts.Inputs == nil {
			diags = append(diags, p.tree.At(c.Args, fmt.Sprintf("paths.%d", n), "source "+i.Label()+": bad path", err.Error()))
		}
	}
	decoded := len(diags) == 0
	for _, w := range i.opts.Check() { // of what is wrong already it has the defaults, but for the paths
		if w.Attr == "paths" && (i.silent || !decoded) {
			continue
		}
		diags = append(diags, p.tree.At(c.Args, w.Attr, "source "+i.Label()+": bad attribute "+w.Attr, w.Message))
	}
	p.RecordLimit, p.Depth = max(p.RecordLimit, i.opts.Limit), max(p.Depth, i.opts.Depth)
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
func (i *Source) SetArena(arena *wire.Arena) { i.arena = arena }

// Next implements flow.Reader. It shows files by what mask makes of their names: they leave the host in that form only.
func (i *Source) Next(ctx context.Context, most int) (wire.Chunk, error) {
	if i.silent {
		return wire.Chunk{}, io.EOF
	}
	from := i.source
	if i.files != nil {
		from = i.files.now
	}
	chunk, err := from.Next(ctx, i.arena, most)
	if i.files != nil {
		i.files.note()
	}
	for k := range chunk.Records {
		rec := &chunk.Records[k]
		if rec.File != i.last {
			i.last, i.shown = rec.File, i.mask(rec.File)
		}
		rec.File = i.shown
	}
	if err != nil && err != io.EOF && ctx.Err() == nil && i.config.Name != "" {
		err = i.failure(err)
	}
	return chunk, err
}

// Inputs returns the account of the files that were read, under the names that are shown.
func (i *Source) Inputs() []receipt.Input {
	if i.source == nil {
		return nil
	}
	inputs := []receipt.Input{}
	read := i.source.Inputs()
	if i.files != nil {
		read = i.files.done
	}
	for _, in := range read {
		in.Name, in.Source = i.mask(in.Name), i.name()
		inputs = append(inputs, in)
	}
	return inputs
}

// name names the source in the account of its files, "" when the file does not name it.
func (i *Source) name() string {
	if i.config.Name == "" {
		return ""
	}
	return i.Label()
}

// Progress returns the bytes of the files read so far and in all; total is 0 when it is unknown.
func (i *Source) Progress() (read, total int64) {
	if i.silent {
		return 0, 0
	}
	read, total = i.source.Progress()
	if b := i.files; b != nil {
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
	for _, i := range p.Sources {
		if i.silent {
			continue
		}
		s, err := source.Open(i.kind, i.opts)
		if err != nil {
			all = errors.Join(all, i.failure(err))
			continue
		}
		i.source = s
		if p.opts.Stored {
			i.files = &byFile{names: i.source.Files()}
		}
		claimed := map[string]bool{} // there may be many
		for _, name := range i.claimed {
			claimed[name] = true
		}
		for _, name := range s.Files() {
			if !claimed[name] { // it was not there when the plan was made
				all = errors.Join(all, p.reads(i, name))
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
	for _, i := range p.Sources {
		for n, path := range i.opts.Paths {
			if places.Remote(path) { // a check asks nobody
				continue
			}
			if _, err := source.Find([]string{path}, i.opts.Optional); err != nil {
				d := p.tree.At(i.config.Args, fmt.Sprintf("paths.%d", n), "source "+i.Label()+" cannot be read now", err.Error())
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
		i := &Source{config: config.Source{Type: "auto"}, kind: "auto", opts: source.Defaults(), mask: opts.Mask}
		i.opts.Paths, i.opts.Stdin = []string{path}, opts.Stdin
		s, err := source.Open(i.kind, i.opts)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		i.source = s
		all = append(all, i)
	}
	return all, wrong
}

// Unresumable returns why a run of this plan cannot go on where it was interrupted, nil when it can. The sources are open.
func (p *Plan) Unresumable() error {
	for _, i := range p.Sources {
		if name := i.irregular(); name != "" {
			return fmt.Errorf("source %s reads %s, which is not a file that stays", i.Label(), i.mask(name))
		}
	}
	return p.Set.Unresumable()
}

// Positions returns how far the sources have come, under the names that are shown. Nothing reads them meanwhile.
func (p *Plan) Positions() []source.Position {
	all := make([]source.Position, len(p.Sources))
	for n, i := range p.Sources {
		if i.silent {
			continue
		}
		all[n] = i.source.Position()
		for k := range all[n].Files {
			all[n].Files[k].Name = i.mask(all[n].Files[k].Name)
		}
		for k := range all[n].Done {
			all[n].Done[k].Name = "" // that of its file
		}
	}
	return all
}

// GoOn has the open sources go on from the positions of an interrupted run, or returns what has changed since then.
func (p *Plan) GoOn(from []source.Position) (changes []string) {
	for n, i := range p.Sources {
		if !i.silent && n < len(from) {
			changes = append(changes, i.source.GoOn(from[n], i.mask)...)
		}
	}
	return changes
}

// irregular returns the name of the first input that is a pipe, a device or standard input, "" when there is none.
func (i *Source) irregular() string {
	if i.silent {
		return ""
	}
	null, _ := os.Stat(os.DevNull)
	for _, name := range i.source.Files() {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.Mode().IsRegular() && !os.SameFile(info, null) {
			return name
		}
	}
	return ""
}

// Rereadable returns why the source cannot be read twice, nil when it can.
func (i *Source) Rereadable() error {
	if name := i.irregular(); name != "" {
		return i.failure(fmt.Errorf("want files, since a sample reads them twice, have %s", i.mask(name)))
	}
	return nil
}

// Rewind begins anew with the first file.
func (i *Source) Rewind() error {
	if i.silent {
		return nil
	}
	if err := i.source.Close(); err != nil {
		return err
	}
	s, err := source.Open(i.kind, i.opts)
	if err != nil {
		return i.failure(err)
	}
	i.source = s
	return nil
}

// Close closes the file that is open.
func (i *Source) Close() error {
	if i.source == nil {
		return nil
	}
	return errors.Join(i.leaveFile(), i.source.Close())
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
