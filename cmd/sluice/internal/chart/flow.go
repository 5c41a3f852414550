package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/graph"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Flow is a pipeline to be drawn by the template "flow": a row for each stop of its layout, with the streams between stops at
// the left. A row is as high as its text needs, so shapes know no bottom: they are cut off there.
type Flow struct {
	Lanes int // side by side, 1 to 4
	Rows  []FlowRow
	More  int64 // stops that are left out
}

// A FlowRow is one stop.
type FlowRow struct {
	receipt.Node
	Edge   string // what leads to the stop, as in: case "train"
	Ends   bool   // no record leaves it
	Shapes []Shape
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

	leastPassing = 4 // steps that let all through from which on they share a row

	mostLanes = 4
	mostRows  = 130
)

// DrawFlow draws a pipeline that has run.
func DrawFlow(g *receipt.Graph) Flow {
	p := &painter{layout: graph.LayoutOf(g), most: 1}
	for i, s := range p.layout.Stops { // rows beside the stream may be more than its records, and are as wide as all of them then
		if i < len(p.layout.Stops)-1 && !slices.ContainsFunc(p.layout.Flows, func(f graph.Flow) bool { return f.To == i && copyClass(f) == "aside" }) {
			p.most = max(p.most, taken(s).In, taken(s).Out)
		}
	}
	last := len(p.layout.Stops) - 1
	for i := 0; i <= last; i++ {
		if len(p.flow.Rows) == mostRows {
			p.flow.More = int64(last + 1 - i)
			break
		}
		s, idle, passing := p.layout.Stops[i], p.idleMembers(i), p.passingSteps(i)
		r := FlowRow{Node: s.Node, Edge: graph.EdgeName(s.Edge)}
		switch {
		case i == last:
			in := taken(s).In
			r.Edge, r.Shapes = "rejected", []Shape{p.down("rejected", left(0), in, 0, px(stationAt)), p.station(left(0), in)}
		case len(passing) >= leastPassing:
			r = FlowRow{Node: receipt.Node{Kind: "step", Name: fmt.Sprintf("%d steps", len(passing)), Note: "passed all on: " + listed(passing), Counts: s.Counts}}
			r.Shapes = p.stop(i)
			i += len(passing) - 1
		case len(idle) > 1:
			r = FlowRow{Node: receipt.Node{Kind: "steps", Name: "took nothing", Note: listed(idle)}}
			r.Shapes = p.passing(p.streams(i), p.streams(i+len(idle)))
			i += len(idle) - 1
		default:
			r.Ends, r.Shapes = s.Kind == "route" && taken(s).Out == 0, p.stop(i)
		}
		r.Shapes = slices.DeleteFunc(r.Shapes, func(s Shape) bool { return s == Shape{} })
		p.flow.Lanes = min(max(p.flow.Lanes, s.Lane+1), mostLanes)
		p.flow.Rows = append(p.flow.Rows, r)
	}
	return p.flow
}

type painter struct {
	flow   Flow
	layout *graph.Layout
	most   int64 // records at one stop
}

func taken(s graph.Stop) receipt.Counts {
	if s.Counts == nil {
		return receipt.Counts{}
	}
	return *s.Counts
}

// idleMembers returns the names of the members of a first, from a stop on, that took nothing.
func (p *painter) idleMembers(from int) (names []string) {
	for _, s := range p.layout.Stops[from:] {
		if s.Edge.Kind != "member" || len(s.Edges) > 0 || taken(s).In > taken(s).Declined {
			break
		}
		names = append(names, s.Name)
	}
	return names
}

// passingSteps returns the names of the steps behind each other, from a stop on, that let every record through.
func (p *painter) passingSteps(from int) (names []string) {
	for _, s := range p.layout.Stops[from:] {
		c := taken(s)
		if s.Kind != "step" || s.Edge.Kind != "" || s.Note != "" || len(s.Edges) > 0 || c.In == 0 || c != (receipt.Counts{In: c.In, Out: c.In}) {
			break
		}
		names = append(names, s.Name)
	}
	return names
}

// listed writes names behind each other, as many as fit.
func listed(names []string) string {
	const most = 160 // characters
	text := names[0]
	for i, name := range names[1:] {
		if len([]rune(text))+len([]rune(name)) > most {
			return fmt.Sprintf("%s and %d more", text, len(names)-1-i)
		}
		text += ", " + name
	}
	return text
}

// streams are the flows between two rows, each in the lane that it comes from.
type streams struct {
	order []int           // their numbers in the layout; those that leave the lane first are at the right
	x     map[int]float64 // where each begins at the left
	n     map[int]int64   // how many records are in a lane
}

// streams lays out the flows between the row of a stop and that before it. A copy is part of the stream that it is made of
// until it leaves it.
func (p *painter) streams(at int) streams {
	s := streams{x: map[int]float64{}, n: map[int]int64{}}
	for i, f := range p.layout.Flows {
		if f.From < at && at <= f.To && copyClass(f) == "" && f.Edge.Kind != graph.Rejected && f.Edge.Kind != graph.Declined {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(p.layout.Flows[b].To, p.layout.Flows[a].To) })
	for _, i := range s.order {
		f := p.layout.Flows[i]
		lane := p.layout.Stops[f.From].Lane
		s.x[i] = left(lane) + p.wide(s.n[lane])
		s.n[lane] += max(0, f.Count)
	}
	return s
}

// copyClass returns the class of a copy, "" for records that go on here alone.
func copyClass(f graph.Flow) string {
	switch f.Edge.Kind {
	case "tee":
		return "copy"
	case "output", "candidate", "differs":
		return "aside"
	}
	return ""
}

// A band is several flows of a lane that are drawn as one.
type band struct {
	flow, lane int // flow is the first of them
	class      string
	n          int64
}

func (p *painter) bands(from streams, has func(i int, f graph.Flow) bool) (all []band) {
	for _, i := range from.order {
		f := p.layout.Flows[i]
		if !has(i, f) {
			continue
		}
		b := band{flow: i, lane: p.layout.Stops[f.From].Lane, n: max(0, f.Count)}
		if f.Edge.Kind == "member" {
			b.class = "waiting"
		}
		if last := len(all) - 1; last >= 0 && all[last].lane == b.lane && all[last].class == b.class {
			all[last].n += b.n
		} else {
			all = append(all, b)
		}
	}
	return all
}

// passing draws the streams that pass a row.
func (p *painter) passing(above, below streams) (shapes []Shape) {
	for _, b := range p.bands(below, func(i int, _ graph.Flow) bool { _, ok := above.x[i]; return ok }) {
		switch from, to := above.x[b.flow], below.x[b.flow]; {
		case from == to:
			shapes = append(shapes, p.down(b.class, to, b.n, 0, ""))
		default:
			shapes = append(shapes, p.ribbon(b.class, from, to, b.n), p.down(b.class, to, b.n, stationAt, ""))
		}
	}
	return shapes
}

// stop draws the row of a stop: what passes, what comes and goes, and what is lost.
func (p *painter) stop(at int) []Shape {
	s, above, below := p.layout.Stops[at], p.streams(at), p.streams(at+1)
	right := left(s.Lane) + p.wide(below.n[s.Lane])
	station := right
	leaving := p.bands(below, func(_ int, f graph.Flow) bool { return f.From == at })
	for _, b := range leaving {
		station = min(station, below.x[b.flow])
	}
	var shapes []Shape
	for _, f := range p.layout.Flows {
		if class := copyClass(f); class != "" && f.To == at { // it comes from behind the stream
			lane := p.layout.Stops[f.From].Lane
			shapes = append(shapes, p.ribbon(class, max(left(lane), left(lane)+p.wide(above.n[lane])-p.wide(f.Count)), station, f.Count))
		}
	}
	shapes = append(shapes, p.passing(above, below)...)
	to := station
	for _, b := range p.bands(above, func(_ int, f graph.Flow) bool { return f.To == at }) {
		switch from := above.x[b.flow]; {
		case b.lane == s.Lane && from == to:
			shapes = append(shapes, p.down("", to, b.n, 0, px(stationAt)))
		case b.lane <= s.Lane || b.n > 0:
			shapes = append(shapes, p.ribbon("", from, to, b.n))
		}
		to += p.wide(b.n)
	}
	for _, b := range leaving {
		shapes = append(shapes, p.down(b.class, below.x[b.flow], b.n, stationAt, ""))
	}
	if s.Kind == graph.Onward {
		return shapes
	}
	c := taken(s)
	n, dropped, rejected := max(c.In-c.Declined, c.Out), c.Dropped, c.Rejected
	switch s.Kind {
	case "source":
		n = c.Out + c.Rejected + c.Dropped
	case "first": // its members show what they lose
		n, dropped, rejected = c.In, 0, c.Declined
	}
	const reach, fall = 13.0, 17.0
	lost := right + p.wide(dropped)
	return append(shapes,
		curve("stream dropped", right, stationAt, right+reach, stationAt+fall, p.wide(dropped)),
		curve("stream rejected", lost, stationAt, lost+reach, stationAt+fall, p.wide(rejected)),
		p.station(station, n))
}

// left returns where streams begin at the left of a lane. Lanes beyond the last share it.
func left(lane int) float64 { return laneLeft + laneWide*float64(min(lane, mostLanes-1)) }

func (p *painter) wide(n int64) float64 {
	if n <= 0 {
		return 0
	}
	return max(streamLeast, streamWide*min(1, float64(n)/float64(p.most)))
}

// px writes a length with at most a decimal, as pages are short.
func px(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// down draws a stream from y on; an empty height is the rest of the row. A stream without records is a thin line.
func (p *painter) down(class string, x float64, n int64, y float64, height string) Shape {
	height = cmp.Or(height, "100%")
	if n <= 0 {
		return Shape{Class: "stream none", X: px(x), Y: px(y), W: "1", H: height}
	}
	return Shape{Class: strings.TrimSpace("stream " + class), X: px(x), Y: px(y), W: px(p.wide(n)), H: height}
}

func (p *painter) station(x float64, n int64) Shape {
	return Shape{Class: "station", X: px(x - 3), Y: px(stationAt - 3), W: px(max(1, p.wide(n)) + 6), H: "6"}
}

// ribbon draws a stream that changes its place between the top of a row and its station.
func (p *painter) ribbon(class string, from, to float64, n int64) Shape {
	if n <= 0 {
		return curve("stream none", from, 0, to, stationAt, 1)
	}
	return curve(strings.TrimSpace("stream "+class), from, 0, to, stationAt, p.wide(n))
}

// curve draws a curve of one width from above to below, by its left side.
func curve(class string, x0, y0, x1, y1, wide float64) Shape {
	if wide <= 0 {
		return Shape{}
	}
	m := (y0 + y1) / 2
	return Shape{Class: class, Path: fmt.Sprintf("M%s %sC%s %s %s %s %s %sh%sC%s %s %s %s %s %sZ",
		px(x0), px(y0), px(x0), px(m), px(x1), px(m), px(x1), px(y1),
		px(wide), px(x1+wide), px(m), px(x0+wide), px(m), px(x0+wide), px(y0))}
}
