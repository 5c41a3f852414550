package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// Masks mask names of files and other texts of a pipeline for those who see its graph.
type Masks struct {
	Name func(string) string // of files
	Text func(string) string // of anything else
}

// Draw returns the graph of a file, without counts.
func Draw(tree *config.Pipeline, as Masks) *receipt.Graph { return drawing{as, nil}.graph(tree) }

// Graph returns the graph of the file with the counts of the run, whose records have all arrived.
func (p *Plan) Graph(as Masks) *receipt.Graph { return drawing{as, p}.graph(p.tree) }

// A drawing makes the tree of a file into the nodes of a graph.
type drawing struct {
	Masks
	plan *Plan // nil: without counts
}

func (d drawing) graph(tree *config.Pipeline) *receipt.Graph {
	g := &receipt.Graph{}
	for i, s := range tree.Sources {
		stop := receipt.Node{Kind: "source", Name: s.Type + "." + s.Name, Note: d.paths(s.Args, "paths")}
		if d.plan != nil {
			read, unread := d.plan.Sources[i].feed.Read.Load(), d.plan.Sources[i].feed.Unread.Load()
			stop.Counts = &receipt.Counts{In: read, Out: read - unread, Rejected: unread}
		}
		g.Body = append(g.Body, stop)
	}
	g.Body = append(g.Body, d.nodes(tree.Body)...)
	if tree.DeadLetter != nil && tree.DeadLetter.Sink != nil {
		g.DeadLetter = d.sink(tree.DeadLetter.Sink)
		return g
	}
	g.DeadLetter = receipt.Node{Kind: "sink", Name: "rejects", Note: filepath.ToSlash(places.Join(dirOf(slices.Concat(sinkPaths(g.Body, true), sinkPaths(g.Body, false))), "rejects.jsonl"))}
	if d.plan != nil {
		g.DeadLetter.Note = d.Name(filepath.ToSlash(d.plan.deadLetter.path))
		g.DeadLetter.Counts = written(d.plan.deadLetter)
	}
	return g
}

// sinkPaths returns the paths of sinks, as they are shown, those within other nodes too if deep is set.
func sinkPaths(nodes []receipt.Node, deep bool) (paths []string) {
	for _, n := range nodes {
		if n.Kind == "sink" {
			paths = append(paths, n.Note)
		}
		for _, e := range n.Edges {
			if deep {
				paths = append(paths, sinkPaths(e.Nodes, deep)...)
			}
		}
	}
	return paths
}

func (d drawing) nodes(nodes []config.Node) []receipt.Node {
	stops := []receipt.Node{}
	for _, n := range nodes {
		stops = append(stops, d.node(n))
	}
	return stops
}

func (d drawing) node(n config.Node) receipt.Node {
	switch n := n.(type) {
	case *config.Step:
		return d.step(n)
	case *config.Sink:
		return d.sink(n)
	case *config.First:
		return d.first(n)
	case *config.Route:
		return d.route(n)
	case *config.Shadow:
		return d.shadow(n)
	case *config.Tee:
		branch := receipt.Edge{Kind: "tee", Nodes: d.nodes(n.Body)}
		s := receipt.Node{Kind: "tee", Name: n.Name}
		if d.plan != nil {
			branch.Records = d.plan.tees[n].Copied.Load()
			s.Counts = &receipt.Counts{In: branch.Records, Out: branch.Records}
		}
		s.Edges = []receipt.Edge{branch}
		return s
	}
	panic(fmt.Sprintf("plan: no drawing of a %T", n))
}

func only(kind, name string, stop receipt.Node) receipt.Edge {
	w := receipt.Edge{Kind: kind, Name: name, Nodes: []receipt.Node{stop}}
	if stop.Counts != nil {
		w.Records = stop.Counts.In
	}
	return w
}

func (d drawing) step(n *config.Step) receipt.Node {
	s := receipt.Node{Kind: "step", Name: n.Type + "." + n.Name}
	if n.Deprecated != "" {
		s.Note = d.Text("deprecated: " + n.Deprecated)
	}
	for _, o := range n.Outputs {
		s.Edges = append(s.Edges, only("output", o.Name, d.sink(o.Sink)))
	}
	if d.plan != nil {
		f := d.plan.steps[n].Account.Snapshot()
		s.Counts = &receipt.Counts{
			In: f.In, Out: f.Out, Dropped: receipt.Sum(f.Dropped).Total, Rejected: receipt.Sum(f.Rejected).Total,
			Declined: receipt.Sum(f.Declined).Total,
		}
	}
	return s
}

func (d drawing) first(n *config.First) receipt.Node {
	s := receipt.Node{Kind: "first", Name: n.Name}
	for _, m := range n.Members {
		s.Edges = append(s.Edges, only("member", "", d.node(m)))
	}
	if d.plan == nil {
		return s
	}
	s.Counts = &receipt.Counts{In: s.Edges[0].Records}
	for _, w := range s.Edges {
		c := w.Nodes[0].Counts
		s.Counts.Out += c.Out
		s.Counts.Dropped += c.Dropped
		s.Counts.Rejected += c.Rejected
		s.Counts.Declined = c.Declined
	}
	return s
}

func (d drawing) route(n *config.Route) receipt.Node {
	s := receipt.Node{Kind: "route", Name: n.Name, Note: d.Text("on " + n.On)}
	for _, c := range n.Cases {
		s.Edges = append(s.Edges, receipt.Edge{Kind: "case", Name: d.Text(c.Value), Nodes: d.nodes(c.Body)})
	}
	if n.HasDefault {
		s.Edges = append(s.Edges, receipt.Edge{Kind: "default", Nodes: d.nodes(n.Default)})
	}
	if d.plan == nil {
		return s
	}
	node := d.plan.routes[n]
	s.Counts = &receipt.Counts{In: node.Unrouted.Load(), Rejected: node.Unrouted.Load()}
	for i := range s.Edges {
		w := &s.Edges[i]
		w.Records = node.Taken[i].Load()
		s.Counts.In += w.Records
		s.Counts.Out += leaving(w)
	}
	return s
}

// leaving returns how many records of a branch go on behind its route.
func leaving(w *receipt.Edge) int64 {
	if len(w.Nodes) == 0 {
		return w.Records
	}
	if last := &w.Nodes[len(w.Nodes)-1]; last.Kind != "sink" {
		return last.Counts.Out
	}
	return 0
}

func (d drawing) shadow(n *config.Shadow) receipt.Node {
	current := d.step(n.Current)
	s := receipt.Node{Kind: "shadow", Name: n.Name, Counts: current.Counts, Edges: []receipt.Edge{
		only("current", "", current), only("candidate", "", d.step(n.Candidate)),
	}}
	if n.Sink != nil {
		s.Edges = append(s.Edges, only("differs", "", d.sink(n.Sink)))
	}
	return s
}

func (d drawing) sink(n *config.Sink) receipt.Node {
	s := receipt.Node{Kind: "sink", Name: n.Type + "." + n.Name, Note: d.paths(n.Args, "path")}
	if d.plan != nil {
		s.Counts = written(d.plan.sinks[n])
	}
	return s
}

func written(sink *Sink) *receipt.Counts {
	out, refused := sink.Written.Load(), sink.Refused.Load()
	return &receipt.Counts{In: out + refused, Out: out, Rejected: refused}
}

// paths returns the paths in an attribute, as they are shown.
func (d drawing) paths(args config.Args, attr string) string {
	var paths []string
	for _, p := range gjson.GetBytes(args.JSON, attr).Array() {
		if p.Type == gjson.String {
			paths = append(paths, d.Name(RelativePath(p.Str)))
		}
	}
	return strings.Join(paths, ", ")
}
