package graph

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emicklei/dot"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

// Mermaid draws a pipeline as a flow chart of Mermaid.
func Mermaid(g *receipt.Graph) string {
	shapes := map[string]any{"source": dot.MermaidShapeStadium, "sink": dot.MermaidShapeStadium, "route": dot.MermaidShapeRhombus}
	return dot.MermaidFlowchart(newPlot(g, ", ", shapes, nil), dot.MermaidTopDown)
}

// DOT draws a pipeline in the language of Graphviz.
func DOT(g *receipt.Graph) string {
	shapes := map[string]any{"source": "cylinder", "sink": "cylinder", "route": "diamond"}
	return newPlot(g, "\n", shapes, "box").String()
}

// A plot adds the nodes and edges of a pipeline to a graph.
type plot struct {
	graph   *dot.Graph
	shapes  map[string]any // of nodes, by kind
	other   any            // the shape of all other kinds; nil: that of the language
	between string         // the title of a node and its note
	rejects dot.Node
	n       int
}

// A loose end is an edge whose target is the next node.
type loose struct {
	from  dot.Node
	label string
	count int64 // -1 when unknown
}

func newPlot(g *receipt.Graph, between string, shapes map[string]any, other any) *dot.Graph {
	p := &plot{graph: dot.NewGraph(dot.Directed), shapes: shapes, other: other, between: between}
	var ends []loose
	sources := 0
	for ; sources < len(g.Body) && g.Body[sources].Kind == "source"; sources++ {
		s := g.Body[sources]
		ends = append(ends, loose{p.add(s), "", counts(s).Out})
	}
	p.rejects = p.add(withTitle(g.DeadLetter, "rejected ─▷ "+titleOf(g.DeadLetter)))
	for i, s := range g.Body[:sources] {
		p.rejected(s, ends[i].from)
	}
	p.all(g.Body[sources:], ends)
	return p.graph
}

func (p *plot) add(node receipt.Node) dot.Node {
	label := titleOf(node)
	if node.Note != "" {
		label += p.between + shorten(node.Note, 40)
	}
	p.n++
	n := p.graph.Node(fmt.Sprintf("%04d", p.n)).Label(label) // nodes are written in the order of these names
	if shape := cmp.Or(p.shapes[node.Kind], p.other); shape != nil {
		n.Attr("shape", shape)
	}
	return n
}

func (p *plot) tie(ends []loose, to dot.Node, in int64) {
	for _, e := range ends {
		n := e.count
		if len(ends) == 1 && in >= 0 {
			n = in
		}
		var words []string
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

// all draws nodes one after the other, and returns the loose ends of the last.
func (p *plot) all(nodes []receipt.Node, ends []loose) []loose {
	for _, s := range nodes {
		ends = p.one(s, ends)
	}
	return ends
}

func (p *plot) one(s receipt.Node, ends []loose) []loose {
	if s.Kind == "first" {
		return p.first(s, ends)
	}
	n := p.add(s)
	p.tie(ends, n, counts(s).In)
	var out []loose
	switch s.Kind {
	case "step":
		for _, e := range s.Edges { // side outputs
			p.tie([]loose{{n, e.Name, -1}}, p.add(e.Nodes[0]), counts(e.Nodes[0]).In)
		}
		p.rejected(s, n)
		return []loose{{n, "", counts(s).Out}}
	case "tee":
		p.all(s.Edges[0].Nodes, []loose{{n, "copy", counts(s).Out}})
		return []loose{{n, "", counts(s).Out}}
	case "route":
		for _, e := range s.Edges {
			label := e.Kind
			switch {
			case e.Kind == "case" && e.Name == "":
				label = "case of no value"
			case e.Kind == "case":
				label = "case " + shorten(e.Name, 40)
			}
			taken := int64(-1)
			if s.Counts != nil {
				taken = e.Records
			}
			out = append(out, p.all(e.Nodes, []loose{{n, label, taken}})...)
		}
		p.rejected(s, n)
	case "sink":
		p.rejected(s, n)
	case "shadow":
		for _, e := range s.Edges {
			behind := p.all(e.Nodes, []loose{{n, e.Kind, -1}})
			if e.Kind == "current" {
				out = behind
			}
		}
	}
	return out
}

// first ties each member to the one before it, which declines what it gets.
func (p *plot) first(s receipt.Node, ends []loose) (out []loose) {
	for _, e := range s.Edges {
		member := e.Nodes[0]
		taken := p.one(member, ends)
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

// rejected draws the rejects of a node when there were some.
func (p *plot) rejected(s receipt.Node, n dot.Node) {
	if lost := counts(s).Rejected; lost > 0 {
		p.tie([]loose{{n, "rejected", -1}}, p.rejects, lost)
	}
}
