package chart

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Each figure is in a column, whatever the axis is; columns follow each other without a gap, and labels stay inside of the chart.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		reason string
		bins   []Bin
		from   int64
		to     int64
		labels string
	}{
		{"one figure", []Bin{{7, 7, 3}}, 7, 7, "7"},
		{"few", []Bin{{2, 2, 37}, {4, 4, 1}}, 2, 4, "2 3 4"},
		{"none and many", []Bin{{0, 0, 30}, {40, 40, 1}}, 0, 40, "0 1 2 5 10 20"},
		{"wide", []Bin{{7, 7, 1}, {96, 103, 12}, {1000, 1023, 5}, {900_000, 1_000_000, 1}}, 7, 1_000_000, "10 100 1 k 10 k 100 k 1 M"},
		{"narrow", []Bin{{5000, 5119, 12}, {5120, 5631, 900}, {5632, 6143, 30}}, 5000, 6143, "5 k 5.5 k 6 k"},
		{"the longest there can be", []Bin{{1, 1, 1}, {1 << 61, 1<<62 - 1, 1}}, 1, 1<<62 - 1, "1"},
	} {
		s := Spread{Title: "x", Unit: "row", Bins: c.bins, From: c.from, To: c.to}
		var want, have, next int64
		for _, b := range c.bins {
			want += b.N
		}
		next = c.from
		for _, x := range s.columns() {
			if have += x.N; x.From != next || x.To < x.From || x.N < 0 {
				t.Errorf("%s: want columns behind each other, have %+v", c.reason, s.columns())
			}
			next = x.To + 1
		}
		if have != want || next != c.to+1 {
			t.Errorf("%s: want %d rows up to %d, have %d up to %d", c.reason, want, c.to, have, next-1)
		}
		var labels []string
		for _, m := range s.Labels() {
			labels = append(labels, m.Text)
			if x, _ := strconv.ParseFloat(m.X, 64); x < 0 || x > spreadWide {
				t.Errorf("%s: want labels on the axis, have %+v", c.reason, m)
			}
		}
		if have := strings.Join(labels, " "); !strings.HasPrefix(have, c.labels) {
			t.Errorf("%s: want %s, have %s", c.reason, c.labels, have)
		}
	}
}

// A quantile of bins is at most a bin away from that of the figures.
func TestQuantile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var bins []Bin
	var all []int64
	for from := int64(10); from < 1000; from += 10 {
		n := random.Int64N(20)
		if n > 0 {
			bins = append(bins, Bin{from, from + 9, n})
		}
		for range n {
			all = append(all, from) // a figure of the bin
		}
	}
	for _, share := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1} {
		at := int(share * float64(len(all)))
		want := all[min(len(all)-1, max(0, at-1))]
		if have := Quantile(bins, share); have < want-10 || have > want+20 {
			t.Errorf("%v: want about %d, have %d", share, want, have)
		}
	}
	if have := Quantile(nil, 0.5); have != 0 {
		t.Errorf("want 0 of nothing, have %d", have)
	}
}
