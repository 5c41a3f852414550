package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host"
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
	Counts     *host.Counts
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
	laneMiddle  = 20.0 // of the first lane
	streamWide  = 28.0 // of the stop with the most records
	streamLeast = 1.5
	stationAt   = 21.0 // from the top of a row
	jointHigh   = 24.0

	mostLanes = 4
	mostRows  = 250
)

// DrawFlow draws a pipeline that has run.
func DrawFlow(g *host.Graph) Flow {
	p := &painter{most: 1}
	p.measure(g.Body)
	p.measure([]host.Stop{g.DeadLetter})
	p.sources(g.Body)
	p.stops(0, g.Body)
	p.row(0, FlowRow{Way: "rejected", Kind: "sink", Name: g.DeadLetter.Name, Note: g.DeadLetter.Note, Counts: g.DeadLetter.Counts},
		p.end(0, taken(g.DeadLetter).In, "rejected")...)
	p.flow.Lanes = min(p.flow.Lanes, mostLanes)
	return p.flow
}

// A painter draws a flow from its top.
type painter struct {
	flow Flow
	most int64    // records at one stop
	past []stream // what flows beside the rows that are drawn now, in the lanes left of theirs
}

// A stream flows down a lane.
type stream struct {
	lane  int
	n     int64
	class string
}

// measure looks for the most records.
func (p *painter) measure(stops []host.Stop) {
	for _, s := range stops {
		p.most = max(p.most, taken(s).In, taken(s).Out)
		for _, w := range s.Ways {
			p.most = max(p.most, w.Records)
			p.measure(w.Stops)
		}
	}
}

// taken are the counts of a stop, none when nobody knows them.
func taken(s host.Stop) host.Counts {
	if s.Counts == nil {
		return host.Counts{}
	}
	return *s.Counts
}

// sources draws where the records come from; each adds to the stream.
func (p *painter) sources(stops []host.Stop) {
	var sum int64
	for _, s := range stops {
		if s.Kind == "source" {
			before := sum
			sum += taken(s).Out
			p.row(0, rowOf(s, ""), append(p.head(0, before, ""), p.tail(0, sum, "")...)...)
		}
	}
}

// stops draws stops behind each other in a lane, but for sources.
func (p *painter) stops(lane int, stops []host.Stop) {
	for _, s := range stops {
		if s.Kind != "source" {
			p.stop(lane, s, "", p.head(lane, taken(s).In, ""))
		}
	}
}

// stop draws one stop that a stream comes to, and what begins there.
func (p *painter) stop(lane int, s host.Stop, way string, comes []Shape) {
	c := taken(s)
	row := rowOf(s, way)
	switch s.Kind {
	case "sink":
		p.row(lane, row, append(comes, p.station(lane, c.In))...)
	case "first":
		p.row(lane, row, append(comes, p.below(lane, c.In, "waiting")...)...)
		p.first(lane, s)
	case "route":
		p.row(lane, row, append(comes, p.below(lane, c.In, "")...)...)
		p.route(lane, s)
	case "tee":
		p.row(lane, row, append(comes, p.below(lane, c.In, "")...)...)
		p.branches(lane, c.In, "", s.Ways)
	case "shadow":
		p.shadow(lane, s, way, comes)
	default:
		p.row(lane, row, append(append(comes, p.lost(lane, c)...), p.tail(lane, c.Out, "")...)...)
		p.branches(lane, c.Out, "", s.Ways)
	}
}

// first draws how its members take from what waits, each from what those above it have left.
func (p *painter) first(lane int, s host.Stop) {
	waiting := taken(s).In
	var out int64
	for i := 0; i < len(s.Ways); i++ {
		idle := idleMembers(s.Ways[i:])
		p.past = append(p.past, stream{lane, waiting, "waiting"})
		if idle > 1 {
			p.row(lane+1, idleRow(s.Ways[i:i+idle]), p.below0(lane+1, out, "")...)
			i += idle - 1
		} else if len(s.Ways[i].Stops) > 0 {
			member := s.Ways[i].Stops[0]
			c := taken(member)
			took := c.In - c.Declined
			shapes := append(p.below0(lane+1, out, ""), p.branch(lane, took, "")...)
			out += c.Out
			shapes = append(shapes, p.lost(lane+1, c)...)
			p.row(lane+1, rowOf(member, ""), append(shapes, p.tail(lane+1, out, "")...)...)
			p.branches(lane+1, out, "", member.Ways)
			waiting -= took
		}
		p.past = p.past[:len(p.past)-1]
	}
	p.joint(lane, out, 0)
}

// idleMembers counts the members at the front that took nothing.
func idleMembers(ways []host.Way) int {
	n := slices.IndexFunc(ways, func(w host.Way) bool {
		return len(w.Stops) != 1 || len(w.Stops[0].Ways) > 0 || taken(w.Stops[0]).In > taken(w.Stops[0]).Declined
	})
	if n < 0 {
		return len(ways)
	}
	return n
}

// idleRow is one row of members that took nothing.
func idleRow(ways []host.Way) FlowRow {
	var names []string
	for _, w := range ways {
		names = append(names, w.Stops[0].Name)
	}
	return FlowRow{Kind: "steps", Name: "took nothing", Note: strings.Join(names, ", ")}
}

// route draws how its ways part from the stream, and join it again where they do not end.
func (p *painter) route(lane int, s host.Stop) {
	left := taken(s).In
	for _, w := range s.Ways {
		if len(w.Stops) == 0 {
			p.row(lane, FlowRow{Way: wayName(w), Name: "goes on", Counts: &host.Counts{In: w.Records, Out: w.Records}}, p.below0(lane, left, "")...)
			continue
		}
		left -= w.Records
		joins := p.way(lane, left, "", w)
		if joins > 0 {
			p.joint(lane, joins, left)
			left += joins
		}
	}
}

// branches draws ways that begin at a stop without taking from the stream.
func (p *painter) branches(lane int, n int64, class string, ways []host.Way) {
	for _, w := range ways {
		p.way(lane, n, class, w)
	}
}

// way draws a way beside a stream of n records, and gives how many come out at its end.
func (p *painter) way(lane int, n int64, class string, w host.Way) int64 {
	if len(w.Stops) == 0 {
		return 0
	}
	of := ""
	if w.Kind == "output" || w.Kind == "candidate" || w.Kind == "differs" {
		of = "aside"
	}
	p.past = append(p.past, stream{lane, n, class})
	p.stop(lane+1, w.Stops[0], wayName(w), p.branch(lane, w.Records, of))
	p.stops(lane+1, w.Stops[1:])
	p.past = p.past[:len(p.past)-1]
	last := w.Stops[len(w.Stops)-1]
	if last.Kind == "sink" || last.Kind == "route" && !goesOn(last) {
		return 0
	}
	return taken(last).Out
}

// goesOn tells whether records come out of a route.
func goesOn(route host.Stop) bool {
	return slices.ContainsFunc(route.Ways, func(w host.Way) bool {
		return len(w.Stops) == 0 || w.Stops[len(w.Stops)-1].Kind != "sink"
	})
}

// shadow draws the step whose records go on as a step, and the other beside it.
func (p *painter) shadow(lane int, s host.Stop, way string, comes []Shape) {
	c := taken(s)
	row := rowOf(s, way)
	if len(s.Ways) > 0 && len(s.Ways[0].Stops) > 0 {
		row.Note = "current " + s.Ways[0].Stops[0].Name
	}
	p.row(lane, row, append(append(comes, p.lost(lane, c)...), p.tail(lane, c.Out, "")...)...)
	for _, w := range s.Ways[min(1, len(s.Ways)):] {
		p.way(lane, c.Out, "", w)
	}
}

// wayName says what leads to a stop.
func wayName(w host.Way) string {
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

func rowOf(s host.Stop, way string) FlowRow {
	return FlowRow{Way: way, Kind: s.Kind, Name: s.Name, Note: s.Note, Counts: s.Counts}
}

// row adds a row whose own shapes are in a lane, beside what flows past it.
func (p *painter) row(lane int, r FlowRow, shapes ...Shape) {
	if len(p.flow.Rows) >= mostRows {
		p.flow.More++
		return
	}
	p.flow.Lanes = max(p.flow.Lanes, lane+1)
	for _, s := range p.past {
		r.Shapes = append(r.Shapes, p.below0(s.lane, s.n, s.class)...)
	}
	r.Shapes = append(r.Shapes, shapes...)
	r.Shapes = slices.DeleteFunc(r.Shapes, func(s Shape) bool { return s == Shape{} })
	p.flow.Rows = append(p.flow.Rows, r)
}

// joint leads what has come out of ways back into the lane of the stream, in which n flow already.
func (p *painter) joint(lane int, out, n int64) {
	shapes := p.below0(lane, n, "")
	shapes = append(shapes, ribbon("stream", middle(lane+1), 0, middle(lane), jointHigh, p.wide(out)))
	p.row(lane, FlowRow{}, shapes...)
}
