package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Flow is a pipeline to be drawn by the template "flow": a row for each stop in the order of the file, with what flows past it
// at its left. A row is as high as its text needs, so shapes know no bottom: they are cut off there.
type Flow struct {
	Lanes int // that lie beside each other, 1 to 4
	Rows  []FlowRow
	More  int64 // stops that are left out
}

// A FlowRow is one stop, or a joint without a name.
type FlowRow struct {
	Way        string // what leads to the stop, as in: case "train"
	Kind, Name string
	Note       string
	Counts     *receipt.Counts
	Ends       bool // nothing goes on behind it
	Shapes     []Shape
}

// A Shape is part of a drawing: a path, or a rectangle down to the bottom of its row.
type Shape struct {
	Class      string
	Path       string
	X, Y, W, H string // of a rectangle; H may be a share of the row
}

// Measures of a drawing in pixels.
const (
	laneWide    = 36.0
	laneLeft    = 6.0
	streamWide  = 26.0 // of the stop with the most records
	streamLeast = 1.5
	stationAt   = 21.0 // from the top of a row
	jointHigh   = 24.0

	mostLanes = 4
	mostRows  = 150
)

// DrawFlow draws a pipeline that has run.
func DrawFlow(g *receipt.Graph) Flow {
	p := &painter{most: 1}
	p.measure(g.Body)
	p.measure([]receipt.Node{g.DeadLetter})
	p.sources(g.Body)
	p.stops(0, g.Body)
	end := rowOf(g.DeadLetter, "rejected")
	n := taken(g.DeadLetter).In
	p.row(0, end, p.above(0, n, "rejected"), p.station(0, n))
	p.flow.Lanes = min(p.flow.Lanes, mostLanes)
	return p.flow
}

type painter struct {
	flow   Flow
	most   int64    // records at one stop
	beside []stream // what flows beside the rows that are drawn now, in the lanes left of theirs
}

// A stream flows down a lane.
type stream struct {
	lane  int
	n     int64
	class string
}

func (p *painter) measure(stops []receipt.Node) {
	for _, s := range stops {
		p.most = max(p.most, taken(s).In, taken(s).Out)
		for _, w := range s.Edges {
			p.most = max(p.most, w.Records)
			p.measure(w.Nodes)
		}
	}
}

func taken(s receipt.Node) receipt.Counts {
	if s.Counts == nil {
		return receipt.Counts{}
	}
	return *s.Counts
}

func (p *painter) sources(stops []receipt.Node) {
	var sum int64
	for _, s := range stops {
		if s.Kind != "source" {
			continue
		}
		c := taken(s)
		shapes := append(p.lost(0, sum+c.Out, c), p.past(0, sum, ""))
		sum += c.Out
		p.row(0, rowOf(s, ""), append(shapes, p.below(0, sum, ""), p.station(0, sum+c.Rejected+c.Dropped))...)
	}
}

func (p *painter) stops(lane int, stops []receipt.Node) {
	for _, s := range stops {
		if s.Kind != "source" {
			p.stop(lane, s, "", p.above(lane, taken(s).In, ""))
		}
	}
}

// stop draws one stop that a stream comes to, and what begins there.
func (p *painter) stop(lane int, s receipt.Node, way string, comes Shape) {
	c := taken(s)
	row, shapes := rowOf(s, way), []Shape{comes}
	switch s.Kind {
	case "sink":
		p.row(lane, row, comes, p.station(lane, c.In))
	case "first":
		p.row(lane, row, comes, p.below(lane, c.In, "waiting"), p.station(lane, c.In))
		p.first(lane, s)
	case "route":
		p.row(lane, row, comes, p.below(lane, c.In, ""), p.station(lane, c.In))
		p.route(lane, s)
	case "tee":
		p.row(lane, row, comes, p.below(lane, c.In, ""), p.station(lane, c.In))
		p.copies(lane, c.In, s.Edges, "copy")
	case "shadow":
		if len(s.Edges) > 0 && len(s.Edges[0].Nodes) > 0 {
			row.Note = "current " + s.Edges[0].Nodes[0].Name
			s.Edges = s.Edges[1:]
		}
		fallthrough
	default:
		shapes = append(append(shapes, p.lost(lane, c.Out, c)...), p.below(lane, c.Out, ""), p.station(lane, max(c.In, c.Out)))
		p.row(lane, row, shapes...)
		p.copies(lane, c.Out, s.Edges, "aside")
	}
}

// first draws how its members take from what waits, each from what those above it have left.
func (p *painter) first(lane int, s receipt.Node) {
	waiting := taken(s).In
	var out int64 // of the members so far
	for i := 0; i < len(s.Edges); i++ {
		if idle := idleMembers(s.Edges[i:]); idle > 1 {
			p.row(lane+1, idleRow(s.Edges[i:i+idle]), p.past(lane, waiting, "waiting"), p.past(lane+1, out, ""))
			i += idle - 1
			continue
		}
		if len(s.Edges[i].Nodes) == 0 {
			continue
		}
		member := s.Edges[i].Nodes[0]
		c := taken(member)
		took := c.In - c.Declined
		waiting -= took
		shapes := []Shape{p.past(lane, waiting, "waiting"), p.branch(lane, waiting, took, out, "")}
		if out > 0 {
			shapes = append(shapes, p.above(lane+1, out, ""))
		}
		shapes = append(shapes, p.lost(lane+1, out+c.Out, c)...)
		shapes = append(shapes, p.below(lane+1, out+c.Out, ""), p.station(lane+1, out+max(took, c.Out)))
		out += c.Out
		p.row(lane+1, rowOf(member, ""), shapes...)
		p.beside = append(p.beside, stream{lane, waiting, "waiting"})
		p.copies(lane+1, out, member.Edges, "aside")
		p.beside = p.beside[:len(p.beside)-1]
	}
	p.joint(lane, out, 0)
}

func idleMembers(ways []receipt.Edge) int {
	n := slices.IndexFunc(ways, func(w receipt.Edge) bool {
		return len(w.Nodes) != 1 || len(w.Nodes[0].Edges) > 0 || taken(w.Nodes[0]).In > taken(w.Nodes[0]).Declined
	})
	if n < 0 {
		return len(ways)
	}
	return n
}

func idleRow(ways []receipt.Edge) FlowRow {
	var names []string
	for _, w := range ways {
		names = append(names, w.Nodes[0].Name)
	}
	return FlowRow{Kind: "steps", Name: "took nothing", Note: strings.Join(names, ", ")}
}

// route draws how branches leave the stream, and join it again where they do not end.
func (p *painter) route(lane int, s receipt.Node) {
	flows := taken(s).In
	for _, w := range s.Edges {
		if len(w.Nodes) == 0 {
			p.row(lane, FlowRow{Way: edgeName(w), Name: "goes on", Counts: &receipt.Counts{In: w.Records, Out: w.Records}}, p.past(lane, flows, ""))
			continue
		}
		flows -= w.Records
		if out := p.edge(lane, flows, w, ""); out > 0 {
			p.joint(lane, out, flows)
			flows += out
		}
	}
}

func (p *painter) copies(lane int, n int64, ways []receipt.Edge, class string) {
	for _, w := range ways {
		p.edge(lane, n, w, class)
	}
}

// edge draws an edge that leaves a stream of which n records go on, and returns how many come out at its end.
func (p *painter) edge(lane int, n int64, w receipt.Edge, class string) int64 {
	if len(w.Nodes) == 0 {
		return 0
	}
	p.beside = append(p.beside, stream{lane, n, ""})
	p.stop(lane+1, w.Nodes[0], edgeName(w), p.branch(lane, n, w.Records, 0, class))
	p.stops(lane+1, w.Nodes[1:])
	p.beside = p.beside[:len(p.beside)-1]
	last := w.Nodes[len(w.Nodes)-1]
	if last.Kind == "sink" || class != "" {
		return 0
	}
	return taken(last).Out
}

func edgeName(w receipt.Edge) string {
	switch w.Kind {
	case "case":
		return fmt.Sprintf("case %q", w.Name)
	case "output":
		return w.Name
	case "tee":
		return "copy"
	case "member":
		return ""
	}
	return w.Kind
}

func rowOf(s receipt.Node, way string) FlowRow {
	return FlowRow{Way: way, Kind: s.Kind, Name: s.Name, Note: s.Note, Counts: s.Counts, Ends: s.Kind == "route" && taken(s).Out == 0}
}

// row adds a row whose own shapes are in a lane, beside what flows past it. What comes from the left is drawn first, behind.
func (p *painter) row(lane int, r FlowRow, shapes ...Shape) {
	if len(p.flow.Rows) >= mostRows {
		p.flow.More++
		return
	}
	p.flow.Lanes = max(p.flow.Lanes, lane+1)
	r.Shapes = shapes
	for _, s := range p.beside {
		r.Shapes = append(r.Shapes, p.past(s.lane, s.n, s.class))
	}
	r.Shapes = slices.DeleteFunc(r.Shapes, func(s Shape) bool { return s == Shape{} })
	p.flow.Rows = append(p.flow.Rows, r)
}

// joint leads what has come out of branches back into the lane of the stream, in which n flow already.
func (p *painter) joint(lane int, out, n int64) {
	p.row(lane, FlowRow{}, p.past(lane, n, ""), ribbon("stream", left(lane+1), 0, left(lane)+p.wide(n), jointHigh, p.wide(out)))
}

// left returns where streams begin at the left of a lane. Lanes beyond the last share it.
func left(lane int) float64 { return laneLeft + laneWide*float64(min(lane, mostLanes-1)) }

func (p *painter) wide(n int64) float64 {
	if n <= 0 {
		return 0
	}
	return max(streamLeast, streamWide*float64(n)/float64(p.most))
}

// px writes a length with at most a decimal, as pages are short.
func px(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// down draws a stream from y on; an empty height is the rest of the row. A stream without records is a thin line.
func (p *painter) down(lane int, n int64, class string, y float64, height string) Shape {
	if height == "" {
		height = "100%"
	}
	if n <= 0 {
		return Shape{Class: "stream none", X: px(left(lane)), Y: px(y), W: "1", H: height}
	}
	return Shape{Class: classes("stream", class), X: px(left(lane)), Y: px(y), W: px(p.wide(n)), H: height}
}

// above, below and past draw a stream that comes to a stop, leaves it, or only passes.
func (p *painter) above(lane int, n int64, class string) Shape {
	return p.down(lane, n, class, 0, px(stationAt))
}

func (p *painter) below(lane int, n int64, class string) Shape {
	return p.down(lane, n, class, stationAt, "")
}

func (p *painter) past(lane int, n int64, class string) Shape {
	if n <= 0 {
		return Shape{}
	}
	return p.down(lane, n, class, 0, "")
}

func (p *painter) station(lane int, n int64) Shape {
	return Shape{Class: "station", X: px(left(lane) - 3), Y: px(stationAt - 3), W: px(max(1, p.wide(n)) + 6), H: "6"}
}

// branch draws a stream that leaves for the next lane, where some already flow: right of what stays, or behind it as a copy.
func (p *painter) branch(lane int, stays, n, flows int64, class string) Shape {
	from := left(lane) + p.wide(stays)
	if class != "" {
		from -= p.wide(n)
	}
	to := left(lane+1) + p.wide(flows)
	if n <= 0 {
		return ribbon("stream none", left(lane), 0, to, stationAt, 1)
	}
	return ribbon(classes("stream", class), from, 0, to, stationAt, p.wide(n))
}

// lost draws what ends at a stop: it leaves to the right of what goes on.
func (p *painter) lost(lane int, goesOn int64, c receipt.Counts) []Shape {
	const reach, fall = 13.0, 17.0
	x := left(lane) + p.wide(goesOn)
	dropped := ribbon("stream dropped", x, stationAt, x+reach, stationAt+fall, p.wide(c.Dropped))
	x += p.wide(c.Dropped)
	rejected := ribbon("stream rejected", x, stationAt, x+reach, stationAt+fall, p.wide(c.Rejected))
	return []Shape{dropped, rejected}
}

// ribbon draws a curve of one width from above to below, by its left side.
func ribbon(class string, x0, y0, x1, y1, wide float64) Shape {
	if wide <= 0 {
		return Shape{}
	}
	m := (y0 + y1) / 2
	return Shape{Class: class, Path: fmt.Sprintf("M%s %sC%s %s %s %s %s %sh%sC%s %s %s %s %s %sZ",
		px(x0), px(y0), px(x0), px(m), px(x1), px(m), px(x1), px(y1),
		px(wide), px(x1+wide), px(m), px(x0+wide), px(m), px(x0+wide), px(y0))}
}

func classes(names ...string) string { return strings.TrimSpace(strings.Join(names, " ")) }
