package look

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host"
)

// middle is where a stream runs in its lane. Lanes beyond the last share it.
func middle(lane int) float64 { return laneMiddle + laneWide*float64(min(lane, mostLanes-1)) }

// wide is how wide a stream is drawn.
func (p *painter) wide(n int64) float64 {
	if n <= 0 {
		return 0
	}
	return max(streamLeast, streamWide*float64(n)/float64(p.most))
}

// px writes a length with at most a decimal, as pages are short.
func px(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// classes of a stream.
func streamClass(class string) string { return strings.TrimSpace("stream " + class) }

// down is a stream from y on. Height is that of the shape, or "100%" for the rest of the row.
func (p *painter) down(lane int, n int64, class string, y float64, height string) Shape {
	wide := p.wide(n)
	if wide == 0 {
		return Shape{Class: "stream none", X: px(middle(lane) - 0.5), Y: px(y), W: "1", H: height}
	}
	return Shape{Class: streamClass(class), X: px(middle(lane) - wide/2), Y: px(y), W: px(wide), H: height}
}

// head is a stream that comes to a stop.
func (p *painter) head(lane int, n int64, class string) []Shape {
	if len(p.flow.Rows) == 0 {
		return nil // nothing is above
	}
	return []Shape{p.down(lane, n, class, 0, px(stationAt))}
}

// below is a stop with a stream below it, and below0 a stream that only passes.
func (p *painter) below(lane int, n int64, class string) []Shape {
	return []Shape{p.down(lane, n, class, stationAt, "100%"), p.station(lane, n)}
}

func (p *painter) below0(lane int, n int64, class string) []Shape {
	if n <= 0 {
		return nil
	}
	return []Shape{p.down(lane, n, class, 0, "100%")}
}

// tail is what goes on behind a stop.
func (p *painter) tail(lane int, n int64, class string) []Shape {
	return []Shape{p.down(lane, n, class, stationAt, "100%"), p.station(lane, n)}
}

// end is a stream that begins above a stop and ends there.
func (p *painter) end(lane int, n int64, class string) []Shape {
	return []Shape{p.down(lane, n, class, 0, px(stationAt)), p.station(lane, n)}
}

// station marks a stop.
func (p *painter) station(lane int, n int64) Shape {
	wide := max(8, p.wide(n)+6)
	return Shape{Class: "station", X: px(middle(lane) - wide/2), Y: px(stationAt - 3), W: px(wide), H: "6"}
}

// branch is a stream that leaves for the next lane.
func (p *painter) branch(lane int, n int64, class string) []Shape {
	if lane+1 >= mostLanes {
		return p.end(lane, n, class)
	}
	if n <= 0 {
		return []Shape{ribbon("stream none", middle(lane), 0, middle(lane+1), stationAt, 1)}
	}
	return []Shape{ribbon(streamClass(class), middle(lane), 0, middle(lane+1), stationAt, p.wide(n))}
}

// lost is what ends at a stop: rejected records leave to the right, dropped ones to the left.
func (p *painter) lost(lane int, c host.Counts) []Shape {
	const reach, fall = 17.0, 15.0
	var all []Shape
	x := middle(lane)
	if c.Rejected > 0 {
		all = append(all, ribbon("stream rejected", x, stationAt, x+reach, stationAt+fall, min(p.wide(c.Rejected), 12)))
	}
	if c.Dropped > 0 {
		all = append(all, ribbon("stream dropped", x, stationAt, x-reach, stationAt+fall, min(p.wide(c.Dropped), 12)))
	}
	return all
}

// ribbon is a curve of one width from above to below.
func ribbon(class string, x0, y0, x1, y1, wide float64) Shape {
	h, m := wide/2, (y0+y1)/2
	return Shape{Class: class, Path: fmt.Sprintf("M%s %sC%s %s %s %s %s %sH%sC%s %s %s %s %s %sZ",
		px(x0-h), px(y0), px(x0-h), px(m), px(x1-h), px(m), px(x1-h), px(y1),
		px(x1+h), px(x1+h), px(m), px(x0+h), px(m), px(x0+h), px(y0))}
}
