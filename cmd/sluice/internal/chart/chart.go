package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

// Measures of a chart in its own units; a page shows one at about a pixel.
const (
	chartWide = 360.0
	chartHigh = 150.0
	plotLeft  = 44.0
	plotTop   = 8.0
	plotHigh  = 112.0
	plotWide  = chartWide - plotLeft - 4
)

// A Mark is something drawn in a chart, with what it says.
type Mark struct {
	X, Y, W, H string
	Text       string
	Class      string
}

// A Curve is drawn by the template "curve": one figure over the seconds of a run.
type Curve struct {
	Title string
	Note  string
	X, Y  []float64 // X rises
	Text  func(y float64) string
}

// Line returns the path of the curve.
func (c Curve) Line() string {
	return c.path(plotLeft, plotTop, plotWide, plotHigh, niceTop(most(c.Y)))
}

// Area returns the path around what lies below the curve.
func (c Curve) Area() string {
	if len(c.X) == 0 {
		return ""
	}
	return fmt.Sprintf("%sV%sH%sZ", c.Line(), px(plotTop+plotHigh), px(plotLeft))
}

// Spark returns the path that the template "spark" draws in a box of 100 by 20 units, whose top is a share of 1.
func (c Curve) Spark() string { return c.path(0, 1, 100, 18, 1) }

func (c Curve) path(left, top, wide, high, scale float64) string {
	if len(c.X) == 0 {
		return ""
	}
	from, to := c.X[0], c.X[len(c.X)-1]
	var b strings.Builder
	for i, x := range c.X {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		at := left
		if to > from {
			at += wide * (x - from) / (to - from)
		}
		fmt.Fprintf(&b, "%s%s %s", letter, px(at), px(top+high*(1-min(1, c.Y[i]/scale))))
	}
	return b.String()
}

// Lines returns the lines of the scale.
func (c Curve) Lines() []Mark { return scaleLines(niceTop(most(c.Y)), c.Text) }

// Labels returns the seconds below the curve, at plain figures.
func (c Curve) Labels() []Mark {
	if len(c.X) == 0 {
		return nil
	}
	from, to := c.X[0], c.X[len(c.X)-1]
	var all []Mark
	unit := 1.0
	if to >= leastMinutes {
		unit = 60
	}
	for _, x := range ticks(from/unit, to/unit, 6) {
		x *= unit
		at := plotLeft
		if to > from {
			at += plotWide * (x - from) / (to - from)
		}
		all = append(all, labelAt(at, plainSeconds(x, to)))
	}
	return all
}

// leastMinutes is how many seconds an axis has whose labels are minutes.
const leastMinutes = 600

// plainSeconds writes a place on an axis of seconds.
func plainSeconds(x, end float64) string {
	switch {
	case end >= leastMinutes:
		return strconv.FormatFloat(x/60, 'g', 4, 64) + " min"
	case end < 1:
		return strconv.FormatFloat(math.Round(x*1e6)/1e3, 'g', 4, 64) + " ms"
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + " s"
}

// ticks returns plain figures between two, at most so many: with steps of 1, 2 or 5 and zeros.
func ticks(from, to float64, most int) (all []float64) {
	if to <= from {
		return []float64{from}
	}
	step := math.Pow(10, math.Floor(math.Log10((to-from)/float64(most))))
	for _, by := range []float64{1, 2, 5, 10} {
		if (to-from)/(by*step) < float64(most) {
			step *= by
			break
		}
	}
	for x := math.Ceil(from/step) * step; x <= to*(1+1e-9); x += step {
		all = append(all, x)
	}
	return all
}

// labelAt returns a label below the plot, which stays inside of the chart.
func labelAt(x float64, text string) Mark {
	m := Mark{X: px(x), Y: px(plotTop + plotHigh + 16), Text: text, Class: "mid"}
	half := 3.2 * float64(len([]rune(text)))
	switch {
	case x+half > chartWide:
		m.X, m.Class = px(chartWide), "end"
	case x-half < 0:
		m.X, m.Class = "0", ""
	}
	return m
}

// Alt describes the curve in words.
func (c Curve) Alt() string {
	if len(c.X) == 0 {
		return c.Title
	}
	return fmt.Sprintf("%s: at most %s, at the end %s, in %s", c.Title, c.Text(most(c.Y)), c.Text(c.Y[len(c.Y)-1]), format.Seconds(c.X[len(c.X)-1]))
}

func most(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

// niceTop returns the end of a scale that holds a figure, and whose half is as plain: 1, 2, 4, 6 or 8 with zeros.
func niceTop(figure float64) float64 {
	if figure <= 0 {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(figure)))
	for _, step := range []float64{1, 2, 4, 6, 8} {
		if figure <= step*ten {
			return step * ten
		}
	}
	return 10 * ten
}

func scaleLines(top float64, text func(float64) string) []Mark {
	all := []Mark{{Y: px(plotTop + plotHigh), Text: "0", Class: "axis"}}
	if top >= 2 || top != math.Trunc(top) {
		all = append(all, Mark{Y: px(plotTop + plotHigh/2), Text: text(top / 2), Class: "grid"})
	}
	return append(all, Mark{Y: px(plotTop), Text: text(top), Class: "grid"})
}

// A Bar is drawn by the template "bar": parts of a whole behind each other, in a box as wide as its place.
type Bar []Part

// A Part of a bar is so much of 100.
type Part struct {
	Class string // main, quiet, warn or bad
	X, W  string
}

// BarOf returns the bar of a whole. Its parts are pairs of a class and an int64: BarOf(10, "main", int64(3), "bad", int64(1)).
func BarOf(whole int64, parts ...any) Bar {
	var bar Bar
	at := 0.0
	for i := 0; i+1 < len(parts); i += 2 {
		n, _ := parts[i+1].(int64)
		if n <= 0 || whole <= 0 {
			continue
		}
		wide := max(100*float64(n)/float64(whole), 0.6)
		bar = append(bar, Part{"fill-" + parts[i].(string), px(min(at, 99.4)), px(wide)})
		at += wide
	}
	return bar
}
