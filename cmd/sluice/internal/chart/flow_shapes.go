package chart

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host/receipt"
)

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
