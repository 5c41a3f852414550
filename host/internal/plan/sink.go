package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Sink is a sink of the file, or the dead letter that the file leaves out.
type Sink struct {
	flow.Sink
	After []string // steps that all its records went through
	Side  string   // names the rows that it takes, unless these are the stream's

	config    *config.Sink // nil when the file leaves it out
	of        []*Step      // of rows of a side output or of a shadow: what makes them
	bare      bool         // rows that no privacy step has seen are meant
	path      string
	rotates   output.Rotate
	table     output.Table
	sink      *output.Sink
	enveloped *output.EnvelopeSink // of a stream
}

// addSide adds a sink for rows that are not the stream's, and that some steps make.
func (p *Plan) addSide(c *config.Sink, side string, of ...*Step) config.Diagnostics {
	return p.newSink(c, &Sink{Side: side, of: of}, output.Claim{Fixed: true})
}

// addDeadLetter adds the sink of the rejects, named in the file or not. It comes last, so that the run's folder is known.
func (p *Plan) addDeadLetter() config.Diagnostics {
	if d := p.tree.DeadLetter; d != nil {
		p.limit = p.limited(d.Limit)
		if d.Sink != nil {
			diags := p.newSink(d.Sink, &Sink{Side: receipt.DeadLetter}, output.Claim{Fixed: true, KeepFailed: true})
			p.deadLetter = p.sinks[d.Sink]
			return diags
		}
	}
	sink := &Sink{Side: receipt.DeadLetter, path: p.named(places.Join(p.dir(), "rejects.jsonl"))}
	sink.Name = "rejects"
	p.deadLetter = sink
	p.Sinks = append(p.Sinks, sink)
	return p.claimSink(sink, "jsonl", output.Claim{KeepFailed: true, Tag: p.nowhere()})
}

// limited returns the limit that the run has for one of the file. A part does not know what a share of all records is.
func (p *Plan) limited(l limit.Limit) limit.Limit {
	if p.opts.Root != "" && !p.opts.Stream || p.opts.Part != nil && l.IsShare() {
		return limit.Limit{}
	}
	return l
}

// sinkArgs are the attributes of every sink.
type sinkArgs struct {
	Path   string `hcl:"path" doc:"a file or an object (s3://bucket/key), compressed when its name ends in .gz or .zst, or - for standard output; {label} splits it by a label" example:"\"out/{split}.jsonl\""`
	Rotate string `hcl:"rotate,optional" doc:"how much a file holds at most, in rows or in bytes before compression; the files of train.jsonl are called train-00001.jsonl, train-00002.jsonl and so on" example:"\"100000 rows\""`

	Unfiltered bool `hcl:"unfiltered,optional" doc:"rows that no step privacy has seen are meant here, which is otherwise a warning when the file makes text for training"`
}

// parquetSinkArgs are the attributes of a sink of Parquet.
type parquetSinkArgs struct {
	sinkArgs
	Columns  map[string]string `hcl:"columns,optional" doc:"types of columns that do not follow from the rows: string, int64, uint64, double, bool or json, by their path, with [] for elements; so files of several runs have one schema" example:"{\"messages[].content\" = \"json\"}"`
	RowGroup string            `hcl:"row_group,optional" doc:"how much a row group holds at most, in rows or in bytes before compression; empty: 100000 rows or 128 MiB" example:"\"10000 rows\""`
}

// table reads how a sink writes Parquet.
func (a *parquetSinkArgs) table() (t output.Table, wrong []source.Mistake) {
	for _, path := range slices.Sorted(maps.Keys(a.Columns)) {
		typ := parquet.Type(a.Columns[path])
		if !slices.Contains(parquet.Types, typ) {
			wrong = append(wrong, source.Mistake{Attr: "columns", Message: fmt.Sprintf("want string, int64, uint64, double, bool or json for %q, have %q", path, typ)})
			continue
		}
		if t.Columns == nil {
			t.Columns = map[string]parquet.Type{}
		}
		t.Columns[path] = typ
	}
	if err := parquet.CheckColumns(t.Columns); err != nil {
		wrong = append(wrong, source.Mistake{Attr: "columns", Message: err.Error()})
	}
	most, err := rotation(a.RowGroup)
	switch {
	case err != nil:
		wrong = append(wrong, source.Mistake{Attr: "row_group", Message: err.Error()})
	case most.Bytes > maxRowGroup:
		wrong = append(wrong, source.Mistake{Attr: "row_group", Message: fmt.Sprintf("want at most 1 GiB, have %q", a.RowGroup)})
	case a.RowGroup != "":
		t.Groups = parquet.Limits{Rows: cmp.Or(most.Rows, math.MaxInt64), Bytes: cmp.Or(most.Bytes, maxRowGroup)}
	}
	return t, wrong
}

// maxRowGroup bounds row groups, which are in memory compressed until they are written.
const maxRowGroup = 1 << 30

// rotation reads how much each file of a sink holds; an empty text sets no bound.
func rotation(text string) (r output.Rotate, err error) {
	number, unit, _ := strings.Cut(text, " ")
	switch {
	case text == "":
		return r, nil
	case unit == "rows":
		r.Rows, err = strconv.ParseInt(number, 10, 64)
	default:
		r.Bytes, err = config.ParseSize(text)
	}
	if err != nil || r.Rows+r.Bytes < 1 || strings.Trim(text, "0123456789.") == "" {
		return output.Rotate{}, fmt.Errorf("want a number of rows or a size such as \"100000 rows\" or \"500 MB\", have %q", text)
	}
	return r, nil
}

func (p *Plan) newSink(c *config.Sink, sink *Sink, claim output.Claim) config.Diagnostics {
	sink.config, sink.Name = c, c.Type+"."+c.Name
	p.Sinks = append(p.Sinks, sink)
	p.sinks[c] = sink
	if known := output.Kinds(); !slices.Contains(known, c.Type) {
		return config.Diagnostics{p.unknownType(c.Range, "sink", c.Type, known)}
	}
	var args parquetSinkArgs
	into := any(&args.sinkArgs)
	if c.Type == "parquet" {
		into = &args
	}
	diags := p.decode(c.Args, into, "sink", sink.Name)
	decoded := len(diags) == 0
	bad := func(attr, why string) {
		diags = append(diags, p.tree.At(c.Args, attr, "sink "+sink.Name+": bad attribute "+attr, why))
	}
	var err error
	if claim.Rotate, err = rotation(args.Rotate); err != nil {
		bad("rotate", err.Error())
	}
	var wrong []source.Mistake
	claim.Table, wrong = args.table()
	for _, w := range wrong {
		bad(w.Attr, w.Message)
	}
	if !decoded { // the path may be missing
		return diags
	}
	if output.IsStdout(args.Path) {
		args.Path = "-"
	}
	sink.path, sink.bare = p.named(args.Path), args.Unfiltered
	sink.rotates, sink.table = claim.Rotate, claim.Table
	claim.Tag = reporter(func(summary, detail string) config.Diagnostic { return p.tree.At(c.Args, "path", summary, detail) })
	return append(diags, p.claimSink(sink, c.Type, claim)...)
}

// A reporter makes a diagnostic at one place of the file.
type reporter func(summary, detail string) config.Diagnostic

// nowhere returns the reporter of a claim that the file does not name.
func (p *Plan) nowhere() reporter { return p.atRange(config.Range{}) }

func (p *Plan) atRange(at config.Range) reporter {
	return func(summary, detail string) config.Diagnostic { return p.tree.AtRange(at, summary, detail) }
}

func (p *Plan) claimSink(sink *Sink, kind string, claim output.Claim) config.Diagnostics {
	claim.What, claim.Path = "sink "+sink.Name, sink.path
	file, err := p.Set.Sink(kind, claim)
	if err != nil {
		return config.Diagnostics{claim.Tag.(reporter)("bad path of "+claim.What, err.Error())}
	}
	sink.sink, sink.Writer = file, file
	return nil
}

// claim claims the paths that the run writes besides its sinks, and those that it reads.
func (p *Plan) claim() (diags config.Diagnostics) {
	claimed := func(claim func(output.Claim) (*output.Report, error), c output.Claim) *output.Report {
		r, err := claim(c)
		if err != nil {
			summary := "bad path of the " + strings.TrimPrefix(c.What, "the ")
			diags = append(diags, c.Tag.(reporter)(summary, err.Error()))
		}
		return r
	}
	for _, f := range p.Firsts {
		if f.Report != "" {
			p.firstReports[f] = claimed(p.Set.Report, output.Claim{What: "report of first " + f.Name, Path: p.named(f.Report), Tag: p.atRange(f.Range)})
		}
	}
	for _, c := range p.Shadows {
		c.Path = p.named(cmp.Or(c.Report, places.Join(p.dir(), "shadow-"+c.Name+".json")))
		c.report = claimed(p.Set.Report, output.Claim{What: "report of shadow " + c.Name, Path: c.Path, KeepFailed: true, Tag: p.atRange(c.Range)})
	}
	if m := p.tree.Manifest; m != nil && m.Path != "" { // one without a path is reported already
		p.manifest = claimed(p.Set.Report, output.Claim{What: "the manifest", Path: p.named(m.Path), AfterFinish: true, Tag: p.atRange(m.Range)})
	}
	if !p.opts.NoReceipt {
		p.receipt = claimed(p.Set.Receipt, output.Claim{What: "the receipt", Path: p.receiptPath(), Failed: true, Tag: p.nowhere()})
	}
	for _, src := range p.Sources {
		src.claimed, _ = source.Named(src.opts.Paths, src.opts.Optional) // mistakes are reported when they are opened
		for _, name := range src.claimed {
			if err := p.reads(src, name); err != nil {
				diags = append(diags, p.tree.At(src.config.Args, "paths", "cannot read "+name, err.Error()))
			}
		}
	}
	diags = append(diags, p.claimRead()...)
	if len(diags) == 0 && !p.tree.Mistaken { // else the folder of the run is not known
		diags = p.conflicts(0)
	}
	if len(diags) == 0 {
		if p.receipt != nil {
			p.timeline = p.Set.Timeline(output.Claim{What: "the timeline", Path: p.receiptPath(), Tag: p.nowhere()})
		}
		diags = p.claimPage()
	}
	return diags
}

func (p *Plan) reads(src *Source, name string) error {
	return p.Set.Reads(output.Claim{
		What: "source " + src.Label(), Path: name,
		Tag: reporter(func(summary, detail string) config.Diagnostic {
			return p.tree.At(src.config.Args, "paths", summary, detail)
		}),
	})
}

// conflicts returns the claims on one file, at both their places, but for the first ones, which are told already.
func (p *Plan) conflicts(told int) (diags config.Diagnostics) {
	for _, c := range p.Set.Conflicts()[told:] {
		summary := fmt.Sprintf("%s and %s have one file", c.With.What, c.Claim.What)
		first := c.Claim.Tag.(reporter)(summary, c.Message)
		second := c.With.Tag.(reporter)(summary, fmt.Sprintf("want a file of its own, have %q, which %s writes", c.With.Path, c.Claim.What))
		diags = append(diags, first)
		if second.Line > 0 && (second.Line != first.Line || second.Column != first.Column) {
			diags = append(diags, second)
		}
	}
	return diags
}

// ReceiptPath returns where the receipt goes, "" when there is none.
func (p *Plan) ReceiptPath() string {
	if p.opts.NoReceipt {
		return ""
	}
	if p.receipt != nil {
		return p.receipt.Path()
	}
	return p.receiptPath()
}

// receiptPath returns where the receipt goes, but for the root of the run.
func (p *Plan) receiptPath() string {
	return p.named(cmp.Or(p.opts.Receipt, places.Join(p.dir(), receipt.Name)))
}

// DeadLetter returns the path of the dead letter, as the file names it.
func (p *Plan) DeadLetter() string { return p.deadLetter.path }

// WriteManifest writes the manifest, if the file asks for one, made for the folder that it lies in.
func (p *Plan) WriteManifest(made func(folder string) receipt.Manifest) error {
	if p.manifest == nil {
		return nil
	}
	return p.write(receipt.ManifestReport, p.manifest, made(places.Dir(p.manifest.Path())))
}

// WriteTimeline writes the timeline of the run and returns its path. It returns nil when there is no place for it, or it cannot
// be written: no run fails for it.
func (p *Plan) WriteTimeline(t *receipt.Timeline) (*receipt.Sidecar, error) {
	if p.timeline == nil {
		return nil, nil
	}
	data, err := t.Encode()
	if err != nil {
		return nil, err
	}
	if p.timeline.Write(data) != nil {
		return nil, nil
	}
	return new(p.sidecar(p.timeline, data)), nil
}

func (p *Plan) sidecar(r *output.Report, data []byte) receipt.Sidecar {
	hash := filehash.New(p.tree.Hash)
	hash.Write(data)
	return receipt.Sidecar{Path: r.Path(), Sum: hash.Result()}
}

// Commit renames all outputs to their names, the receipt last.
func (p *Plan) Commit(receipt []byte) error {
	if p.receipt != nil {
		if err := p.receipt.Write(receipt); err != nil {
			return err
		}
	}
	return p.Set.Commit()
}

// WriteFailed writes the receipt of a run that has failed, under another name than that of one that has finished, and returns its path.
func (p *Plan) WriteFailed(ctx context.Context, receipt []byte) (string, error) {
	return p.receipt.WriteFailed(ctx, receipt)
}

// Abort closes all that is open, and removes what has not been committed.
func (p *Plan) Abort() error { return errors.Join(p.closeSources(), p.Set.Abort()) }

// Suspend does what Abort does, but keeps what another run can go on with, and reports whether there is something.
func (p *Plan) Suspend() (bool, error) {
	err := p.closeSources()
	kept, more := p.Set.Suspend()
	return kept, errors.Join(err, more)
}

func (p *Plan) closeSources() (err error) {
	for _, src := range p.Sources {
		err = errors.Join(err, src.Close())
	}
	return err
}

// write writes a report and adds it to Reports.
func (p *Plan) write(what string, r *output.Report, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	p.Reports = append(p.Reports, receipt.Report{What: what, Sidecar: p.sidecar(r, data)})
	return r.Write(data)
}

// SinkKinds describes each kind of sink with its attributes, sorted by name.
func SinkKinds() []wire.Info {
	var all []sdk.Plugin
	for _, kind := range output.Kinds() {
		plugin := sdk.Plugin{Name: kind, Doc: output.Doc(kind), Args: sinkArgs{}}
		if kind == "parquet" {
			plugin.Args = parquetSinkArgs{}
		}
		all = append(all, plugin)
	}
	return sdk.Host(all...).Plugins
}
