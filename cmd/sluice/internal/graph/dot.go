package graph

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emicklei/dot"

	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// Mermaid draws a pipeline as a flow chart of Mermaid.
func Mermaid(g *receipt.Graph) string {
	shapes := map[string]any{"source": dot.MermaidShapeStadium, "sink": dot.MermaidShapeStadium, "route": dot.MermaidShapeRhombus}
	return dot.MermaidFlowchart(plot(g, ", ", shapes, nil), dot.MermaidTopDown)
}

// DOT draws a pipeline in the language of Graphviz.
func DOT(g *receipt.Graph) string {
	shapes := map[string]any{"source": "cylinder", "sink": "cylinder", "route": "diamond"}
	return plot(g, "\n", shapes, "box").String()
}

// plot makes a graph of the stops and flows of a pipeline. Nodes have shapes by their kind, or else the other shape; between
// separates the title of a node from its note. A first is no node: each member passes on to the next what it declines.
func plot(g *receipt.Graph, between string, shapes map[string]any, other any) *dot.Graph {
	l, to := LayoutOf(g), dot.NewGraph(dot.Directed)
	last, sources := len(l.Stops)-1, countSources(g)
	l.Stops[last].Node = withTitle(g.DeadLetter, "rejected ─▷ "+titleOf(g.DeadLetter))
	nodes := map[int]dot.Node{}
	for i := range l.Stops {
		switch { // the dead letter comes behind the sources
		case i == sources:
			i = last
		case i > sources:
			i--
		}
		node := l.Stops[i].Node
		if node.Kind == "first" || node.Kind == Onward {
			continue
		}
		label := titleOf(node)
		if node.Note != "" {
			label += between + shorten(node.Note, 40)
		}
		nodes[i] = to.Node(fmt.Sprintf("%04d", len(nodes)+1)).Label(label) // nodes are written in the order of these names
		if shape := cmp.Or(shapes[node.Kind], other); shape != nil {
			nodes[i].Attr("shape", shape)
		}
	}
	flows := nodeFlows(l)
	into := make([]int, len(l.Stops)) // how many flows lead to a stop
	for _, f := range flows {
		into[f.To]++
	}
	for _, f := range flows {
		if in := counts(l.Stops[f.To].Node).In; f.To != last && into[f.To] == 1 && in >= 0 {
			f.Count = in
		}
		var words []string
		if label := plotLabel(f.Edge); label != "" {
			words = append(words, label)
		}
		if f.Count >= 0 {
			words = append(words, plural.Count(f.Count))
		}
		if edge := to.Edge(nodes[f.From], nodes[f.To]); len(words) > 0 {
			edge.Label(strings.Join(words, " "))
		}
	}
	return to
}

// nodeFlows returns the flows between stops that are nodes. Flows into a first lead to its first member, flows out of it come from its last,
// and flows through a stop that only sends on come from the stop before it.
func nodeFlows(l *Layout) (flows []Flow) {
	member, onward := map[int]int{}, map[int]Flow{}
	for _, f := range l.Flows {
		before, known := member[f.From]
		switch {
		case f.Edge.Kind == "member":
			if member[f.From] = f.To; !known {
				continue // what leads to the first leads to this one
			}
			f.From = before
		case known: // what all members declined
			f.From = before
		case l.Stops[f.From].Kind == Onward:
			through := onward[f.From]
			f.From, f.Edge = through.From, through.Edge
		}
		switch l.Stops[f.To].Kind {
		case Onward:
			onward[f.To] = f
			continue
		case "first":
			f.To++
		}
		flows = append(flows, f)
	}
	return flows
}

func plotLabel(e receipt.Edge) string {
	switch {
	case e.Kind == "member":
		return Declined
	case e.Kind == "case" && e.Name == "":
		return "case of no value"
	case e.Kind == "case":
		return "case " + shorten(e.Name, 40)
	}
	return EdgeName(e)
}
