package plan

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Trace follows records through the pipeline. Several goroutines call its functions, and what these get is valid until they
// return.
type Trace struct {
	Step    func(of *Step, in []wire.Record, a *wire.Answer)    // every answer of a step; that of its Finish has no records
	Route   func(of *config.Route, in *wire.Record, key string) // what a route looks at
	Written func(to *Sink, rows []wire.Record)                  // what a sink, a side output or the dead letter has taken
}

// Traced reports whether the plan has a trace.
func (p *Plan) Traced() bool { return p.opts.Trace != nil }

// A tracedWriter passes what a sink takes to the trace.
type tracedWriter struct {
	flow.Writer
	of   *Sink
	pass func(*Sink, []wire.Record)
}

// Write implements flow.Writer.
func (d *tracedWriter) Write(rows []wire.Record) error {
	d.pass(d.of, rows)
	return d.Writer.Write(rows)
}

// key returns the function that reads what a route is on, and passes it to the trace.
func (p *Plan) key(n *config.Route) func(*wire.Record) string {
	key := routeKey(n.On)
	if p.opts.Trace == nil {
		return key
	}
	return func(r *wire.Record) string {
		value := key(r)
		p.opts.Trace.Route(n, r, value)
		return value
	}
}

// PathOf returns where a record of a sink lies, in the file's own terms: the path with the labels filled in.
func (sink *Sink) PathOf(r *wire.Record) string {
	path := output.Fill(sink.path, r)
	if sink.rotates != (output.Rotate{}) {
		return output.Numbered(path, 0) // the number depends on all records before it
	}
	return path
}

// SourceOf returns the name of the source that reads a file: the one whose paths match it, or else the first whose type or one
// of whose paths has the ending of the file, or else the first.
func SourceOf(tree *config.Pipeline, file string) string {
	info, err := os.Stat(file)
	alike := ""
	for _, s := range tree.Sources {
		own, args := source.NewArgs(s.Type)
		if err != nil || sdk.ParseArgs(s.Args.JSON).Decode(own) != nil {
			continue
		}
		for _, path := range append(args.Paths, "."+s.Type) {
			if filepath.Ext(path) == filepath.Ext(file) {
				alike = cmp.Or(alike, s.Name)
			}
		}
		names, _ := source.Find(args.Paths, true) // mistakes in the other paths do not matter here
		for _, name := range names {
			if other, err := os.Stat(name); err == nil && os.SameFile(info, other) {
				return s.Name
			}
		}
	}
	return cmp.Or(alike, tree.Sources[0].Name)
}
