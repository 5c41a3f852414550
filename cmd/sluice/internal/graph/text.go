// Package graph draws pipelines as text, as Mermaid and in the language of Graphviz.
package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// width is how many columns a drawing as text has at most.
const width = 80

// A sketch is a drawing as text.
type sketch struct{ strings.Builder }

// Text draws a pipeline for a terminal, top to bottom.
func Text(g *receipt.Graph) string {
	s := &sketch{}
	sources := countSources(g)
	for _, source := range g.Body[:sources] {
		s.title("", source)
		if n := counts(source).Rejected; n > 0 {
			s.line("├─ unreadable " + plural.Count(n))
		}
	}
	s.nodes("", g.Body[sources:])
	s.WriteByte('\n')
	head := "rejected"
	if n := counts(g.DeadLetter).In; n >= 0 {
		head += " " + plural.Count(n)
	}
	s.title("", withTitle(g.DeadLetter, head+" ─▷ "+titleOf(g.DeadLetter)))
	return s.String()
}

func (s *sketch) nodes(margin string, nodes []receipt.Node) {
	for i, node := range nodes {
		if i > 0 || margin == "" {
			line := margin + "│"
			if n := counts(node).In; n >= 0 {
				line += " " + plural.Count(n)
			}
			s.line(line)
		}
		s.title(margin, node)
		s.edges(margin, node, i+1 < len(nodes))
	}
}

// title writes the title of a node, with its note at the right if it fits.
func (s *sketch) title(margin string, node receipt.Node) {
	head := margin + titleOf(node)
	if node.Note == "" {
		s.line(head)
		return
	}
	const column = 42
	head += strings.Repeat(" ", max(2, column-utf8.RuneCountInString(head)))
	s.line(head + shorten(node.Note, width-utf8.RuneCountInString(head)))
}

func withTitle(node receipt.Node, title string) receipt.Node {
	node.Kind, node.Name = "", title
	return node
}

func titleOf(node receipt.Node) string {
	if node.Kind == "" || node.Kind == "step" {
		return node.Name
	}
	return node.Kind + " " + node.Name
}

// edges draws what leaves a node besides the stream, or splits it. more says that the stream goes on below.
func (s *sketch) edges(margin string, node receipt.Node, more bool) {
	var leaves []string
	leave := func(what string, n int64) {
		if n > 0 {
			leaves = append(leaves, what+" "+plural.Count(n))
		}
	}
	switch c := counts(node); node.Kind {
	case "first":
		leave("declined by all", c.Declined)
	case "shadow": // its current step has them
	default:
		leave("rejected", c.Rejected)
		leave("dropped", c.Dropped)
	}
	left := len(node.Edges) + len(leaves)
	fork := func() (head, below string) {
		if left--; left == 0 && !more {
			return margin + "└─ ", margin + "   "
		}
		return margin + "├─ ", margin + "│  "
	}
	for _, e := range node.Edges {
		head, below := fork()
		s.edge(head, below, e, node.Counts != nil)
	}
	for _, text := range leaves {
		head, _ := fork()
		s.line(head + text)
	}
}

// edge draws an edge after head, with its count if that is known. A single node is on the same line.
func (s *sketch) edge(head, below string, e receipt.Edge, known bool) {
	if name := EdgeName(e); name != "" {
		head += name + " "
	}
	if len(e.Nodes) == 1 {
		node := e.Nodes[0]
		if c := node.Counts; c != nil {
			switch e.Kind {
			case "member", "current", "candidate": // how many it took of those that came
				head += plural.Count(c.Out) + " of "
			}
			head += plural.Count(c.In) + " "
		}
		if e.Kind != "member" {
			head += "─▷ "
		}
		s.title(head, node)
		s.edges(below, node, false)
	} else {
		if known {
			head += plural.Count(e.Records)
		}
		s.line(head)
		s.nodes(below, e.Nodes)
	}
	if rejoins(e) {
		s.line(below + "goes on")
	}
}

// rejoins reports whether records go on after the route that the edge leaves.
func rejoins(e receipt.Edge) bool {
	if e.Kind != "case" && e.Kind != "default" {
		return false
	}
	if len(e.Nodes) == 0 {
		return true
	}
	switch last := e.Nodes[len(e.Nodes)-1]; last.Kind {
	case "sink":
		return false
	case "route":
		return slices.ContainsFunc(last.Edges, rejoins)
	}
	return true
}

func (s *sketch) line(text string) {
	fmt.Fprintln(s, strings.TrimRight(shorten(text, width), " "))
}

func shorten(text string, width int) string {
	return format.Cut(format.Printable(cli.OneLine(text)), width)
}

// counts returns the counts of a node, each -1 when they are not known.
func counts(node receipt.Node) receipt.Counts {
	if node.Counts == nil {
		return receipt.Counts{In: -1, Out: -1, Dropped: -1, Rejected: -1, Declined: -1}
	}
	return *node.Counts
}
