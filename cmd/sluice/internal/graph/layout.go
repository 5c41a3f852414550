package graph

import (
	"fmt"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Layout is a pipeline as it is drawn, from top to bottom.
type Layout struct {
	Stops []Stop // the sources first, the dead letter last
	Flows []Flow
}

// A Stop is a node in its lane, which is 0 in the stream and one more inside each block.
type Stop struct {
	receipt.Node
	Edge receipt.Edge // that leads to it out of a block
	Lane int
}

// A Flow holds the records that leave a stop for a later one.
type Flow struct {
	From, To int          // stops
	Edge     receipt.Edge // that they take; its Kind may also be Rejected or Declined
	Count    int64        // -1 when it is not known
}

// Kinds of a layout that a pipeline does not have.
const (
	Onward   = "onward" // of a stop for an edge without nodes, whose records go on behind the route
	Rejected = "rejected"
	Declined = "declined" // by all members of a first
)

const deadLetter = -1 // the stop, until it has its number

// LayoutOf lays out a pipeline.
func LayoutOf(g *receipt.Graph) *Layout {
	l := &Layout{}
	sources := countSources(g)
	var ends []Flow
	for _, s := range g.Body[:sources] {
		ends = append(ends, l.node(0, s, receipt.Edge{}, nil)...)
	}
	l.nodes(0, g.Body[sources:], receipt.Edge{}, ends)
	for i := range l.Flows {
		if l.Flows[i].To == deadLetter {
			l.Flows[i].To = len(l.Stops)
		}
	}
	l.Stops = append(l.Stops, Stop{Node: g.DeadLetter})
	return l
}

func countSources(g *receipt.Graph) (n int) {
	for n < len(g.Body) && g.Body[n].Kind == "source" {
		n++
	}
	return n
}

// nodes lays out nodes one below the other. The ends lead to the first of them; what leaves the last is returned.
func (l *Layout) nodes(lane int, nodes []receipt.Node, by receipt.Edge, ends []Flow) []Flow {
	for _, n := range nodes {
		ends, by = l.node(lane, n, by, ends), receipt.Edge{}
	}
	return ends
}

func (l *Layout) node(lane int, n receipt.Node, by receipt.Edge, ends []Flow) (out []Flow) {
	at, c := len(l.Stops), counts(n)
	l.Stops = append(l.Stops, Stop{n, by, lane})
	for _, end := range ends {
		end.To = at
		l.Flows = append(l.Flows, end)
	}
	for _, e := range n.Edges {
		records := int64(-1)
		if n.Counts != nil {
			records = e.Records
		}
		if e.Kind == "member" && len(e.Nodes) > 0 && e.Nodes[0].Counts != nil {
			records = e.Nodes[0].Counts.In - e.Nodes[0].Counts.Declined // which the next member has
		}
		begin := []Flow{{From: at, Edge: e, Count: records}}
		switch e.Kind {
		case "case", "default":
			if len(e.Nodes) == 0 {
				onward := receipt.Node{Kind: Onward, Name: "goes on"}
				if n.Counts != nil {
					onward.Counts = &receipt.Counts{In: records, Out: records}
				}
				out = append(out, l.node(lane, onward, e, begin)...)
				continue
			}
			fallthrough
		case "member", "current":
			out = append(out, l.nodes(lane+1, e.Nodes, e, begin)...)
		default: // a copy of what goes on
			l.nodes(lane+1, e.Nodes, e, begin)
		}
	}
	switch n.Kind {
	case "first":
		l.Flows = append(l.Flows, Flow{at, deadLetter, receipt.Edge{Kind: Declined}, c.Declined})
	case "shadow": // its current step has the counts
	default:
		if c.Rejected > 0 {
			l.Flows = append(l.Flows, Flow{at, deadLetter, receipt.Edge{Kind: Rejected}, c.Rejected})
		}
		if n.Kind != "route" && n.Kind != "sink" {
			out = []Flow{{From: at, Count: c.Out}}
		}
	}
	return out
}

// EdgeName returns what is written at an edge, "" at one to a member of a first.
func EdgeName(e receipt.Edge) string {
	switch e.Kind {
	case "case":
		return fmt.Sprintf("case %q", e.Name)
	case "output":
		return e.Name
	case "tee":
		return "copy"
	case "member":
		return ""
	}
	return e.Kind
}
