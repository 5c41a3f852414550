// Package graph draws pipelines as text, as Mermaid and in the language of Graphviz.
package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

// Width is how many columns a drawing as text has at most.
const Width = 80

// A sketch is a drawing as text.
type sketch struct {
	strings.Builder
}

// Text draws a pipeline for a terminal, top to bottom.
func Text(g *receipt.Graph) string {
	s := &sketch{}
	sources := 0
	for sources < len(g.Body) && g.Body[sources].Kind == "source" {
		sources++
	}
	for _, source := range g.Body[:sources] {
		s.title("", source)
		if n := counts(source).Rejected; n > 0 {
			s.line("├─ unreadable " + format.Count(n))
		}
	}
	s.stops("", g.Body[sources:])
	s.WriteByte('\n')
	head := "rejected"
	if n := flowIn(g.DeadLetter); n >= 0 {
		head += " " + format.Count(n)
	}
	s.title("", withTitle(g.DeadLetter, head+" ─▷ "+stopTitle(g.DeadLetter)))
	return s.String()
}

// stops draws what comes behind each other.
func (s *sketch) stops(margin string, stops []receipt.Node) {
	for i, stop := range stops {
		if i > 0 || margin == "" {
			s.line(margin + "│" + count(flowIn(stop)))
		}
		s.title(margin, stop)
		s.ways(margin, stop, i+1 < len(stops))
	}
}

// title is a line of what a stop is, with its note at the right if it fits.
func (s *sketch) title(margin string, stop receipt.Node) {
	head := margin + stopTitle(stop)
	if stop.Note == "" {
		s.line(head)
		return
	}
	const column = 42
	head += strings.Repeat(" ", max(2, column-utf8.RuneCountInString(head)))
	s.line(head + shorten(stop.Note, Width-utf8.RuneCountInString(head)))
}

// withTitle gives a stop another title.
func withTitle(stop receipt.Node, title string) receipt.Node {
	stop.Kind, stop.Name = "", title
	return stop
}

func stopTitle(stop receipt.Node) string {
	if stop.Kind == "" || stop.Kind == "step" {
		return stop.Name
	}
	return stop.Kind + " " + stop.Name
}

// ways draws what leaves a stop beside the stream, or parts it. more says that the stream goes on below.
func (s *sketch) ways(margin string, stop receipt.Node, more bool) {
	var leaves []string
	leave := func(what string, n int64) {
		if n > 0 {
			leaves = append(leaves, what+" "+format.Count(n))
		}
	}
	switch c := counts(stop); stop.Kind {
	case "first":
		leave("declined by all", c.Declined)
	case "shadow": // its current step tells
	default:
		leave("rejected", c.Rejected)
		leave("dropped", c.Dropped)
	}
	left := len(stop.Edges) + len(leaves)
	fork := func() (head, below string) {
		if left--; left == 0 && !more {
			return margin + "└─ ", margin + "   "
		}
		return margin + "├─ ", margin + "│  "
	}
	for _, w := range stop.Edges {
		head, below := fork()
		s.way(head, below, w, stop.Counts != nil)
	}
	for _, text := range leaves {
		head, _ := fork()
		s.line(head + text)
	}
}

// way draws a way that begins behind head, with its count if that is known. A single stop stands on its line.
func (s *sketch) way(head, below string, w receipt.Edge, known bool) {
	switch w.Kind {
	case "case":
		head += fmt.Sprintf("case %q ", w.Name)
	case "output":
		head += w.Name + " "
	case "tee":
		head += "copy "
	case "member":
	default:
		head += w.Kind + " "
	}
	if len(w.Nodes) == 1 {
		stop := w.Nodes[0]
		if c := stop.Counts; c != nil {
			if stop.Kind != "sink" {
				head += format.Count(c.Out) + " of "
			}
			head += format.Count(c.In) + " "
		}
		if w.Kind != "member" {
			head += "─▷ "
		}
		s.title(head, stop)
		s.ways(below, stop, false)
	} else {
		if known {
			head += format.Count(w.Records)
		}
		s.line(head)
		s.stops(below, w.Nodes)
	}
	if rejoins(w) {
		s.line(below + "goes on")
	}
}

// rejoins tells whether records go on behind the route that the way begins at.
func rejoins(w receipt.Edge) bool {
	if w.Kind != "case" && w.Kind != "default" {
		return false
	}
	if len(w.Nodes) == 0 {
		return true
	}
	switch last := w.Nodes[len(w.Nodes)-1]; last.Kind {
	case "sink":
		return false
	case "route":
		return slices.ContainsFunc(last.Edges, rejoins)
	}
	return true
}

func (s *sketch) line(text string) {
	fmt.Fprintln(s, strings.TrimRight(shorten(text, Width), " "))
}

// count is a number behind a line downwards.
func count(n int64) string {
	if n < 0 {
		return ""
	}
	return " " + format.Count(n)
}

// shorten takes out the middle of a text that is too wide.
func shorten(text string, width int) string {
	runes := []rune(format.Printable(cli.OneLine(text)))
	if len(runes) <= width {
		return string(runes)
	}
	if width < 2 {
		return ""
	}
	front := (width - 1) / 2
	return string(runes[:front]) + "…" + string(runes[len(runes)-(width-1-front):])
}

// flowIn is how many records came to a stop, -1 when nobody knows.
func flowIn(stop receipt.Node) int64 {
	if stop.Counts == nil {
		return -1
	}
	return stop.Counts.In
}

// flowOut is how many records went on behind a stop, -1 when nobody knows.
func flowOut(stop receipt.Node) int64 {
	if stop.Counts == nil {
		return -1
	}
	return stop.Counts.Out
}

// counts are those of a stop, 0 when nobody knows them.
func counts(stop receipt.Node) receipt.Counts {
	if stop.Counts == nil {
		return receipt.Counts{}
	}
	return *stop.Counts
}
