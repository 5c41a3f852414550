package host

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/receipt"
)

// A Graph is a pipeline file as it can be drawn.
type Graph struct {
	Body       []Stop // the sources and what comes behind them, in the order of the file
	DeadLetter Stop   // a sink
	Counted    bool   // counts are those of a run
}

// A Stop is something on the way of the records: a source, step, first, route, tee, shadow or sink.
type Stop struct {
	Kind string
	Name string // TYPE.NAME, or the name of what has no type
	Note string // what is read or written, what a route is on, or why a step should go
	Ways []Way  // ways that begin there, in the order of the file
	Counts
}

// Counts are what a receipt tells of a stop: of a source what it read, of a step what became of its records, of a sink what was
// written. Known is false without a receipt, and for what a receipt does not tell.
type Counts struct {
	Known                                bool
	In, Out, Dropped, Rejected, Declined int64
}

// A Way begins at a stop.
type Way struct {
	Kind  string // member of a first, case, default, tee, output, current, candidate, or differs
	Name  string // of a case its value, of an output its name
	Stops []Stop
}

// LoadGraph reads a pipeline file to be drawn, and takes the counts of a run from its receipt unless that is nil. It starts nothing.
// Variables need no values; what needs them is left out then.
func LoadGraph(path string, counts *Receipt, opts Options) (*Graph, error) {
	opts = opts.withDefaults()
	tree, diags := config.Load(path, config.Given{Vars: opts.Vars, Env: opts.Env, Draft: true})
	if diags.HasErrors() {
		return nil, diags
	}
	if counts != nil && counts.Pipeline.SHA256 != tree.SHA256 {
		return nil, fmt.Errorf("want the receipt of a run of %s as it is now, have that of another file, or of this one before it was changed", path)
	}
	d := drawing{secrets: hiding(tree.Secrets()), mask: opts.MaskName, counts: counts}
	g := &Graph{Counted: counts != nil}
	for _, s := range tree.Sources {
		stop := Stop{Kind: "source", Name: s.Type + "." + s.Name, Note: d.paths(s.Args, "paths")}
		if counts != nil && len(tree.Sources) == 1 {
			stop.Counts = Counts{Known: true, In: counts.Totals.Read, Out: counts.Totals.Read}
		}
		g.Body = append(g.Body, stop)
	}
	g.Body = append(g.Body, d.stops(tree.Body)...)
	g.DeadLetter = d.deadLetter(tree)
	return g, nil
}

// A drawing makes the tree of a file into stops.
type drawing struct {
	secrets *strings.Replacer
	mask    func(string) string
	counts  *Receipt
}

func (d drawing) stops(nodes []config.Node) []Stop {
	stops := []Stop{}
	for _, n := range nodes {
		stops = append(stops, d.stop(n))
	}
	return stops
}

func (d drawing) stop(n config.Node) Stop {
	switch n := n.(type) {
	case *config.Step:
		return d.step(n)
	case *config.Sink:
		return d.sink(n)
	case *config.First:
		s := Stop{Kind: "first", Name: n.Name}
		for _, m := range n.Members {
			s.Ways = append(s.Ways, Way{Kind: "member", Stops: []Stop{d.stop(m)}})
		}
		return s
	case *config.Route:
		s := Stop{Kind: "route", Name: n.Name, Note: "on " + n.On}
		for _, c := range n.Cases {
			s.Ways = append(s.Ways, Way{Kind: "case", Name: c.Value, Stops: d.stops(c.Body)})
		}
		if n.HasDefault {
			s.Ways = append(s.Ways, Way{Kind: "default", Stops: d.stops(n.Default)})
		}
		return s
	case *config.Tee:
		return Stop{Kind: "tee", Name: n.Name, Ways: []Way{{Kind: "tee", Stops: d.stops(n.Body)}}}
	case *config.Shadow:
		s := Stop{Kind: "shadow", Name: n.Name, Ways: []Way{
			{Kind: "current", Stops: []Stop{d.step(n.Current)}}, {Kind: "candidate", Stops: []Stop{d.step(n.Candidate)}},
		}}
		if n.Sink != nil {
			s.Ways = append(s.Ways, Way{Kind: "differs", Stops: []Stop{d.sink(n.Sink)}})
		}
		return s
	}
	panic(fmt.Sprintf("host: no drawing of a %T", n))
}

func (d drawing) step(n *config.Step) Stop {
	s := Stop{Kind: "step", Name: n.Type + "." + n.Name}
	if n.Deprecated != "" {
		s.Note = d.secrets.Replace("deprecated: " + n.Deprecated)
	}
	for _, o := range n.Outputs {
		s.Ways = append(s.Ways, Way{Kind: "output", Name: o.Name, Stops: []Stop{d.sink(o.Sink)}})
	}
	if d.counts != nil {
		for _, a := range d.counts.Steps {
			if a.Name == s.Name {
				s.Counts = Counts{true, a.In, a.Out, a.Dropped.Total, a.Rejected.Total, a.Declined.Total}
			}
		}
	}
	return s
}

func (d drawing) sink(n *config.Sink) Stop {
	s := Stop{Kind: "sink", Name: n.Type + "." + n.Name, Note: d.paths(n.Args, "path")}
	s.Counts = d.written(s.Name)
	return s
}

// written counts what a sink wrote.
func (d drawing) written(sink string) Counts {
	if d.counts == nil {
		return Counts{}
	}
	c := Counts{Known: true}
	for _, o := range d.counts.Outputs {
		if o.Sink == sink {
			c.In += o.Records
		}
	}
	return c
}

// deadLetter is the sink of the rejects, named in the file or not.
func (d drawing) deadLetter(tree *config.Pipeline) Stop {
	if tree.DeadLetter != nil && tree.DeadLetter.Sink != nil {
		return d.sink(tree.DeadLetter.Sink)
	}
	s := Stop{Kind: "sink", Name: "rejects", Note: "rejects.jsonl"}
	if d.counts == nil {
		return s
	}
	s.Counts = d.written(s.Name)
	for _, o := range d.counts.Outputs {
		if o.Beside == receipt.DeadLetter {
			s.Note = filepath.ToSlash(o.Path)
		}
	}
	return s
}

// paths are what an attribute names, as they may be shown.
func (d drawing) paths(args config.Args, attr string) string {
	var paths []string
	for _, p := range gjson.GetBytes(args.JSON, attr).Array() {
		if p.Type == gjson.String {
			paths = append(paths, d.mask(d.secrets.Replace(plan.FromHere(p.Str))))
		}
	}
	return strings.Join(paths, ", ")
}
