package graph

import (
	"fmt"
	"strings"

	"github.com/emicklei/dot"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

// Mermaid draws a pipeline as a flow chart of Mermaid.
func Mermaid(g *receipt.Graph) string {
	p := newPlot(g, ", ", func(n dot.Node, kind string) {
		switch kind {
		case "source", "sink":
			n.Attr("shape", dot.MermaidShapeStadium)
		case "route":
			n.Attr("shape", dot.MermaidShapeRhombus)
		}
	})
	return dot.MermaidFlowchart(p, dot.MermaidTopDown)
}

// DOT draws a pipeline in the language of Graphviz.
func DOT(g *receipt.Graph) string {
	p := newPlot(g, "\n", func(n dot.Node, kind string) {
		shape := map[string]string{"source": "cylinder", "sink": "cylinder", "route": "diamond"}[kind]
		if shape == "" {
			shape = "box"
		}
		n.Attr("shape", shape)
	})
	return p.String()
}

// A plot makes stops into the nodes and edges of a graph.
type plot struct {
	graph   *dot.Graph
	shape   func(dot.Node, string)
	between string // what a stop is and its note
	rejects dot.Node
	n       int
}

// A loose end is where the next stop is tied to.
type loose struct {
	from  dot.Node
	label string
	count int64 // -1 when nobody knows
}

func newPlot(g *receipt.Graph, between string, shape func(dot.Node, string)) *dot.Graph {
	p := &plot{graph: dot.NewGraph(dot.Directed), shape: shape, between: between}
	var ends []loose
	sources := 0
	for ; sources < len(g.Body) && g.Body[sources].Kind == "source"; sources++ {
		s := g.Body[sources]
		ends = append(ends, loose{p.node(s), "", flowOut(s)})
	}
	p.rejects = p.node(withTitle(g.DeadLetter, "rejected ─▷ "+stopTitle(g.DeadLetter)))
	for i, s := range g.Body[:sources] {
		p.rejected(s, ends[i].from)
	}
	p.stops(g.Body[sources:], ends)
	return p.graph
}

func (p *plot) node(stop receipt.Node) dot.Node {
	label := stopTitle(stop)
	if stop.Note != "" {
		label += p.between + shorten(stop.Note, 40)
	}
	p.n++
	n := p.graph.Node(fmt.Sprintf("%04d", p.n)).Label(label) // nodes are written in the order of these names
	p.shape(n, stop.Kind)
	return n
}

// tie draws an edge from each loose end.
func (p *plot) tie(ends []loose, to dot.Node, in int64) {
	for _, e := range ends {
		n := e.count
		if len(ends) == 1 && in >= 0 {
			n = in
		}
		words := []string{}
		if e.label != "" {
			words = append(words, e.label)
		}
		if n >= 0 {
			words = append(words, format.Count(n))
		}
		if edge := p.graph.Edge(e.from, to); len(words) > 0 {
			edge.Label(strings.Join(words, " "))
		}
	}
}

// stops draws what comes behind each other, and gives what the next is tied to.
func (p *plot) stops(stops []receipt.Node, ends []loose) []loose {
	for _, s := range stops {
		ends = p.stop(s, ends)
	}
	return ends
}

func (p *plot) stop(s receipt.Node, ends []loose) []loose {
	if s.Kind == "first" {
		return p.first(s, ends)
	}
	n := p.node(s)
	p.tie(ends, n, flowIn(s))
	var out []loose
	switch s.Kind {
	case "step":
		p.beside(s, n)
		return []loose{{n, "", flowOut(s)}}
	case "tee":
		p.stops(s.Edges[0].Nodes, []loose{{n, "copy", flowOut(s)}})
		return []loose{{n, "", flowOut(s)}}
	case "route":
		for _, w := range s.Edges {
			label := w.Kind
			switch {
			case w.Kind == "case" && w.Name == "":
				label = "case of no value"
			case w.Kind == "case":
				label = "case " + shorten(w.Name, 40)
			}
			taken := int64(-1)
			if s.Counts != nil {
				taken = w.Records
			}
			out = append(out, p.stops(w.Nodes, []loose{{n, label, taken}})...)
		}
		p.rejected(s, n)
	case "sink":
		p.rejected(s, n)
	case "shadow":
		for _, w := range s.Edges {
			behind := p.stops(w.Nodes, []loose{{n, w.Kind, -1}})
			if w.Kind == "current" {
				out = behind
			}
		}
	}
	return out
}

// first ties each member to the one before it, which declines what it gets.
func (p *plot) first(s receipt.Node, ends []loose) (out []loose) {
	for _, w := range s.Edges {
		member := w.Nodes[0]
		taken := p.stop(member, ends)
		out = append(out, taken...)
		ends = []loose{{taken[0].from, "declined", -1}}
	}
	last := int64(-1)
	if s.Counts != nil {
		last = s.Counts.Declined
	}
	p.tie(ends, p.rejects, last)
	return out
}

// beside draws the outputs of a step, and its rejects when there were some.
func (p *plot) beside(s receipt.Node, n dot.Node) {
	for _, w := range s.Edges {
		to := p.node(w.Nodes[0])
		p.tie([]loose{{n, w.Name, -1}}, to, flowIn(w.Nodes[0]))
	}
	p.rejected(s, n)
}

// rejected draws the rejects of a stop when there were some.
func (p *plot) rejected(s receipt.Node, n dot.Node) {
	if lost := counts(s).Rejected; lost > 0 {
		p.tie([]loose{{n, "rejected", -1}}, p.rejects, lost)
	}
}
