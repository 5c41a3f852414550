package viewer

import (
	"math"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
)

const mostRanges = 8

// numbers returns the facet of a column of numbers: how they are spread, and ranges that lead to their rows. It is nil where all rows have the
// same number, or there is none.
func numbers(x *state, c rows.Column, found *rows.Found) (*facet, error) {
	bins, err := found.Numbers(c.Name)
	if err != nil || len(bins) == 0 {
		return nil, err
	}
	least, largest := bins[0].From, bins[len(bins)-1].To
	if least == largest {
		return nil, nil
	}
	f := &facet{Name: c.Name, Doc: c.Doc, Open: c.Name == "turns" || c.Name == "score"}
	whole := c.Name != "score"
	if whole {
		f.Spread = &chart.Spread{Title: c.Name, Unit: "row", From: int64(least), To: int64(largest)}
		for _, b := range bins {
			f.Spread.Bins = append(f.Spread.Bins, chart.Bin{From: int64(b.From), To: int64(b.To), N: b.N})
		}
	}
	edges := edgesOf(least, largest, whole)
	ranges, err := found.Between(c.Name, edges)
	if err != nil {
		return nil, err
	}
	for i, r := range ranges {
		if r.N == 0 {
			continue
		}
		text, from, to := plainRange(r.From, r.To), plain(r.From), plain(r.To) // the very numbers, since the end of a range is not in the next
		if whole {
			text = plainRange(edges[i], edges[i+1]-1)
			if c.Name == "size" {
				text = sizeRange(edges[i], edges[i+1])
			}
			from, to = plain(edges[i]), plain(edges[i+1]-1)
		}
		w := facetWord{Text: text, Rows: r.N, Link: x.with("rows", minKey+c.Name, from, maxKey+c.Name, to)}
		f.Most = max(f.Most, r.N)
		f.Words = append(f.Words, w)
	}
	return f, nil
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func plainRange(from, to float64) string {
	text := func(n float64) string {
		if n == math.Trunc(n) {
			return plural.Count(int64(n))
		}
		return strconv.FormatFloat(n, 'g', 4, 64)
	}
	if from == to {
		return text(from)
	}
	return text(from) + " to " + text(to)
}

func sizeRange(from, to float64) string {
	text := func(n float64) string { return strings.Replace(format.Size(int64(n)), ".0 ", " ", 1) }
	if to-from == 1 {
		return text(from)
	}
	return text(from) + " to " + text(to)
}

// edgesOf returns where ranges begin that hold all numbers from one to another, and where the last ends. Whole numbers have ranges of their own
// where they are few, and logarithmic ones where the largest is many times the least.
func edgesOf(least, largest float64, whole bool) (edges []float64) {
	switch {
	case whole && largest-least < mostRanges:
		for n := least; n <= largest+1; n++ {
			edges = append(edges, n)
		}
		return edges
	case whole && largest >= 12*max(1, least):
		edges = tens(least, largest, 1, 2, 5)
		if len(edges)-1 > mostRanges {
			edges = tens(least, largest, 1)
		}
		return edges
	}
	step := math.Pow(10, math.Floor(math.Log10((largest-least)/mostRanges)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (largest-least)/(by*step) < mostRanges-1 {
			step *= by
			break
		}
	}
	if whole {
		step = max(1, step)
	}
	first := math.Floor(least / step)
	for n := first; ; n++ {
		edges = append(edges, n*step)
		if n*step > largest {
			return edges
		}
	}
}

// tens returns figures times powers of ten around what lies between two numbers.
func tens(least, largest float64, figures ...float64) (edges []float64) {
	if least < 1 {
		edges = []float64{0}
	}
	for ten := 1.0; ; ten *= 10 {
		for _, by := range figures {
			if len(edges) == 1 && by*ten <= least {
				edges[0] = by * ten
				continue
			}
			edges = append(edges, by*ten)
			if by*ten > largest {
				return edges
			}
		}
	}
}
