package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
)

// A Spread is drawn by the template "spread": how many there are of each figure, as columns side by side, small enough for several
// in a row. The axis has logarithms when the figures differ much.
type Spread struct {
	Title    string
	Unit     string // what is counted, in the singular
	Bins     []Bin  // in order, none above another
	From, To int64  // the ends of the axis
	Limit    int64  // a figure that is marked, 0 for none
}

// A Bin counts figures from one to another, both included.
type Bin struct{ From, To, N int64 }

// Measures of a spread in its own units.
const (
	spreadWide  = 200.0
	spreadHigh  = 64.0
	spreadTop   = 4.0
	mostColumns = 40
	widest      = 24.0 // of a column
	leastLog    = 12   // how many times the first figure the last one is from which on the axis has logarithms
)

// log tells whether the axis has logarithms.
func (s Spread) log() bool { return s.To-s.From >= mostColumns && s.To/max(1, s.From) >= leastLog }

// at returns the place of a figure on the axis, 0 to 1.
func (s Spread) at(x float64) float64 {
	from, to := float64(s.From)-0.5, float64(s.To)+0.5
	if s.log() {
		from, to, x = math.Log1p(from), math.Log1p(to), math.Log1p(max(x, -0.5))
	}
	return min(1, max(0, (x-from)/(to-from)))
}

// edge returns the figure at a place of the axis.
func (s Spread) edge(place float64) float64 {
	from, to := float64(s.From)-0.5, float64(s.To)+0.5
	if s.log() {
		from, to = math.Log1p(from), math.Log1p(to)
		return math.Expm1(from + (to-from)*place)
	}
	return from + (to-from)*place
}

// below returns how many figures lie below another, of the bin that it is in as a part.
func (s Spread) below(x float64) (n float64) {
	for _, b := range s.Bins {
		from, to := float64(b.From)-0.5, float64(b.To)+0.5
		n += float64(b.N) * min(1, max(0, (x-from)/(to-from)))
	}
	return n
}

// columns returns a bin for each column that has a figure at all. What lies in a bin is divided over the columns that it reaches into.
func (s Spread) columns() (all []Bin) {
	n := int(min(mostColumns, s.To-s.From+1))
	lower, before := s.From, 0.0
	for i := range n {
		upper := int64(math.Round(s.edge(float64(i+1)/float64(n)) - 0.5))
		if i == n-1 {
			upper = s.To
		}
		if upper < lower { // narrower than a figure
			continue
		}
		behind := math.Round(s.below(float64(upper) + 0.5))
		all = append(all, Bin{lower, upper, int64(behind - before)})
		lower, before = upper+1, behind
	}
	return all
}

// Path returns the columns as they are drawn.
func (s Spread) Path() string {
	columns, most := s.columns(), int64(1)
	for _, c := range columns {
		most = max(most, c.N)
	}
	var b strings.Builder
	for _, c := range columns {
		if c.N == 0 {
			continue
		}
		left, right := spreadWide*s.at(float64(c.From)-0.5), spreadWide*s.at(float64(c.To)+0.5)
		wide := min(max(right-left-min(1, (right-left)/5), 1), widest)
		high := max(1.5, spreadHigh*float64(c.N)/float64(most))
		fmt.Fprintf(&b, "M%s %sh%sv%sh-%sz", px((left+right-wide)/2), px(spreadTop+spreadHigh-high), px(wide), px(high), px(wide))
	}
	return b.String()
}

func between(from, to int64) string {
	if to <= from {
		return plural.Count(from)
	}
	return plural.Count(from) + " to " + plural.Count(to)
}

// Labels returns plain figures below the axis, as many as fit.
func (s Spread) Labels() (all []Mark) {
	end := -4.0 // of the last label
	for _, x := range s.ticks() {
		text := format.Short(float64(x))
		half := 3.1 * float64(len([]rune(text)))
		at := min(max(spreadWide*s.at(float64(x)), half), spreadWide-half)
		if at-half < end+4 {
			continue
		}
		end = at + half
		all = append(all, Mark{X: px(at), Y: px(spreadTop + spreadHigh + 14), Text: text, Class: "mid"})
	}
	return all
}

// ticks returns figures between the ends of the axis that are easy to read.
func (s Spread) ticks() (all []int64) {
	if !s.log() {
		for _, x := range ticks(float64(s.From), float64(s.To), 5) {
			if x == math.Trunc(x) {
				all = append(all, int64(x))
			}
		}
		return all
	}
	if s.From == 0 {
		all = append(all, 0)
	}
	for ten := int64(1); ten <= s.To && ten > 0; ten *= 10 {
		for _, by := range []int64{1, 2, 5} {
			if x := by * ten; x >= s.From && x <= s.To {
				all = append(all, x)
			}
		}
	}
	if len(all) > 6 { // with several tens, their beginnings say enough
		all = slices.DeleteFunc(all, func(x int64) bool {
			for ; x > 0 && x%10 == 0; x /= 10 {
			}
			return x > 1
		})
	}
	return all
}

// LimitAt returns where the limit is marked, "" when it is not on the axis.
func (s Spread) LimitAt() string {
	if s.Limit <= 0 || s.Limit < s.From || s.Limit > s.To {
		return ""
	}
	return px(spreadWide * s.at(float64(s.Limit)))
}

// Alt describes the spread in words.
func (s Spread) Alt() string {
	var parts []string
	for _, c := range s.columns() {
		if c.N > 0 {
			parts = append(parts, between(c.From, c.To)+": "+plural.Of(c.N, s.Unit))
		}
	}
	if len(parts) > 12 { // the figures below it say more
		return fmt.Sprintf("%s, from %s to %s", s.Title, plural.Count(s.From), plural.Count(s.To))
	}
	return s.Title + ": " + strings.Join(parts, "; ")
}

// Quantile returns the figure that a share of the figures of bins does not pass, within its bin by its place among the others there.
func Quantile(bins []Bin, share float64) int64 {
	total := int64(0)
	for _, b := range bins {
		total += b.N
	}
	rank := max(1, int64(math.Ceil(share*float64(total))))
	for _, b := range bins {
		if rank <= b.N {
			return b.From + (b.To-b.From)*rank/b.N
		}
		rank -= b.N
	}
	return 0
}
