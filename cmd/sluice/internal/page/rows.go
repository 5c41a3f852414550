package page

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/stats"
)

// How many bytes of an output are read for turns and calls: all of a small one, else a share. Either costs up to a hundredth of the run
// which wrote it, or more when a single row is longer, and no more than a page takes without a wait.
const (
	leastRead = 512 << 10
	mostRead  = 16 << 20
	readShare = 32
)

func readOf(size int64) int64 { return min(max(leastRead, size/readShare), mostRead) }

const mostMultiples = 8 // charts side by side

// A measure says how long or how many something is, for several outputs or splits side by side on one axis.
type measure struct {
	Title, Note string
	Of          []lengths
	More        int64 // that are left out
}

// lengths are the lengths or counts of one output or split.
type lengths struct {
	Name    string
	Rows    int64
	Basis   string // which rows the figures are of, "" for all
	Sampled bool   // they are not of all rows that could be counted
	Chart   chart.Spread
	Figures []pair
	Over    string // how many rows are over the limit, "" for none or no limit
	bins    []chart.Bin
}

func (m *maker) rows() (all []measure) {
	counted := false // characters, by a step
	for _, o := range m.run.Outputs {
		for _, s := range m.run.Steps {
			if s.Plugin == stats.Plugin.Name && o.Side == s.Name+"/"+stats.Output && o.Records > 0 {
				summed := m.summed(o, s.Name)
				all, counted = append(all, summed...), counted || len(summed) > 0
			}
		}
	}
	return append(all, m.measured(!counted)...)
}

// summed returns what a step of stats has counted: tokens where they are known, and else characters.
func (m *maker) summed(o receipt.Output, step string) (all []measure) {
	var r *stats.Report
	m.read(o, mostRead, func(row []byte) { r, _ = stats.ReadReport(row) })
	if r == nil { // of another version
		return nil
	}
	add := func(title, note string, limit int, of func(*stats.Group) *stats.Lengths) {
		x := measure{Title: title, Note: note}
		groups := []*stats.Group{&r.All}
		names := []string{"all rows"}
		splits := r.By["split"]
		maps.DeleteFunc(splits, func(_ string, g *stats.Group) bool { return g == nil }) // of somebody else's stats
		for _, name := range slices.SortedFunc(maps.Keys(splits), func(a, b string) int {
			return cmp.Or(cmp.Compare(splits[b].Rows, splits[a].Rows), cmp.Compare(a, b))
		}) {
			if len(splits) > 1 {
				groups, names = append(groups, splits[name]), append(names, mask.Word(name))
			}
		}
		for i, g := range groups {
			if l := of(g); l != nil {
				x.Of = append(x.Of, summedLengths(names[i], g.Rows, l, limit))
			}
		}
		if len(x.Of) > 0 {
			all = append(all, x.finished(title, limit))
		}
	}
	if r.All.Tokens != nil {
		by := map[string]string{"usage": "as the rows report their usage"}[r.TokensFrom]
		add("Tokens", "by "+step+", "+cmp.Or(by, "counted by "+mask.Word(r.TokensFrom)), r.Limits.Tokens, func(g *stats.Group) *stats.Lengths { return g.Tokens })
	}
	if r.All.Characters != nil && (r.All.Tokens == nil || r.Limits.Characters > 0) {
		add("Characters", "of texts, calls and tools, by "+step, r.Limits.Characters, func(g *stats.Group) *stats.Lengths { return g.Characters })
	}
	return all
}

func summedLengths(name string, rows int64, l *stats.Lengths, limit int) lengths {
	x := lengths{Name: name, Rows: rows, bins: binsOf(l.Bins)}
	if l.Rows < rows {
		x.Basis = "known of " + plural.Count(l.Rows)
	}
	x.Figures = figures(l.Min, l.P50, l.P95, l.P99, l.Max, plural.Count)
	if limit > 0 {
		x.Over = fmt.Sprintf("%s (%s) over %s", plural.Of(l.Over, "row"), format.Share(l.Over, l.Rows), plural.Count(int64(limit)))
	}
	return x
}

func figures(least, median, p95, p99, most int64, write func(int64) string) []pair {
	return []pair{{"min", write(least)}, {"median", write(median)}, {"p95", write(p95)}, {"p99", write(p99)}, {"max", write(most)}}
}

// measured returns what the receipt says of the outputs, and what can be counted in their files.
func (m *maker) measured(characters bool) (all []measure) {
	var outputs []receipt.Output
	for _, o := range m.run.Outputs {
		if o.Side == "" && o.Records > 0 {
			outputs = append(outputs, o)
		}
	}
	slices.SortStableFunc(outputs, func(a, b receipt.Output) int { return cmp.Compare(b.Records, a.Records) })
	bytes := measure{Title: "Bytes", Note: "of all outputs, before compression, to within an eighth", More: int64(max(0, len(outputs)-mostMultiples))}
	chars := measure{Title: "Characters", Note: "of texts, calls and tools, in rows that were kept"}
	turns, calls := measure{Title: "Turns", Note: "with the answer, in rows that were kept"}, measure{Title: "Calls", Note: "of tools, in all turns of rows that were kept"}
	for _, o := range outputs[:min(mostMultiples, len(outputs))] {
		if bins := binsOf(o.Lengths); len(bins) > 0 {
			bytes.Of = append(bytes.Of, counted(o, "", bins, format.Size))
		}
		if !m.run.Keeps(o) { // a copy has the turns and calls of the rows that it is of
			continue
		}
		by := [3]map[int64]int64{{}, {}, {}}
		var counter stats.Counter
		read, rows := m.read(o, readOf(o.Bytes), func(row []byte) {
			if n, ok := counter.Count(row); ok {
				by[0][n.Turns]++
				by[1][n.Calls]++
				by[2][n.Characters]++
			}
		}), int64(0)
		for _, n := range by[0] {
			rows += n
		}
		if rows == 0 {
			continue
		}
		for i, x := range []*measure{&turns, &calls, &chars} {
			l := counted(o, read.basis(rows, o.Records), exactly(by[i]), plural.Count)
			l.Sampled = !read.All
			x.Of = append(x.Of, l)
		}
	}
	for _, x := range []*measure{&chars, &bytes, &turns, &calls} {
		if len(x.Of) > 0 && (x != &chars || characters) {
			all = append(all, x.finished(x.Title, 0))
		}
	}
	return all
}

func counted(o receipt.Output, basis string, bins []chart.Bin, write func(int64) string) lengths {
	quantile := func(share float64) int64 { return chart.Quantile(bins, share) }
	return lengths{
		Name: o.Path, Rows: o.Records, Basis: basis, bins: bins,
		Figures: figures(bins[0].From, quantile(0.5), quantile(0.95), quantile(0.99), bins[len(bins)-1].To, write),
	}
}

// finished gives all charts of a measure one axis.
func (x measure) finished(title string, limit int) measure {
	if len(x.Of) > mostMultiples {
		x.More += int64(len(x.Of) - mostMultiples)
		x.Of = x.Of[:mostMultiples]
	}
	from, to := int64(-1), int64(0)
	for _, l := range x.Of {
		if len(l.bins) > 0 {
			if first := l.bins[0].From; from < 0 || first < from {
				from = first
			}
			to = max(to, l.bins[len(l.bins)-1].To)
		}
	}
	for i := range x.Of {
		l := &x.Of[i]
		l.Chart = chart.Spread{Title: title + " in a row of " + l.Name, Unit: "row", Bins: l.bins, From: max(0, from), To: to, Limit: int64(limit)}
	}
	return x
}

// binsOf reads a histogram, such as receipt.Output.Lengths, by the last figures of its buckets.
func binsOf(by map[string]int64) (all []chart.Bin) {
	for key, n := range by {
		if bound, err := strconv.ParseInt(key, 10, 64); err == nil && bound >= 0 && n > 0 {
			all = append(all, chart.Bin{From: bucketFrom(bound), To: bound, N: n})
		}
	}
	slices.SortFunc(all, func(a, b chart.Bin) int { return cmp.Compare(a.To, b.To) })
	return all
}

// bucketFrom returns the first figure of the bucket whose last one is given.
func bucketFrom(bound int64) int64 {
	switch {
	case bound < 16:
		return bound
	case bound&(bound-1) == 0: // of an older version
		return bound/2 + 1
	}
	e := bits.Len64(uint64(bound)) - 4
	return bound >> e << e
}

// exactly returns a bin for each figure.
func exactly(by map[int64]int64) (all []chart.Bin) {
	for _, n := range slices.Sorted(maps.Keys(by)) {
		all = append(all, chart.Bin{From: n, To: n, N: by[n]})
	}
	return all
}
