package page

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/stats"
)

// How many bytes of an output are read for turns and calls: a share that costs less than a hundredth of the run which wrote it, but
// so many that small files are read whole, and no more than a page takes without a wait.
const (
	leastRead = 256 << 10
	mostRead  = 4 << 20
	readShare = 32
)

type rowsView struct {
	Outputs []outputRows
	More    int64 // outputs that are left out
}

type outputRows struct {
	Path   string
	Rows   int64
	Charts []chart.Histogram
	Read   sample
	Note   string
}

func (m *maker) rows() *rowsView {
	var outputs []receipt.Output
	for _, o := range m.run.Outputs {
		if o.Side == "" && o.Records > 0 {
			outputs = append(outputs, o)
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	slices.SortStableFunc(outputs, func(a, b receipt.Output) int { return cmp.Compare(b.Records, a.Records) })
	const most = 4
	v := &rowsView{More: int64(max(0, len(outputs)-most))}
	outputs = outputs[:min(most, len(outputs))]
	for _, o := range outputs {
		if x := m.outputRows(o, min(max(leastRead, o.Bytes/readShare), mostRead)); len(x.Charts) > 0 {
			v.Outputs = append(v.Outputs, x)
		}
	}
	if len(v.Outputs) == 0 {
		return nil
	}
	return v
}

func (m *maker) outputRows(o receipt.Output, budget int64) outputRows {
	x := outputRows{Path: o.Path, Rows: o.Records}
	if h := lengthsOf(o); len(h.Columns) > 0 {
		x.Charts = append(x.Charts, h)
	}
	turns, calls := map[int64]int64{}, map[int64]int64{}
	var counted int64
	var counter stats.Counter
	x.Read = m.read(o, budget, func(row []byte) {
		if t, c, ok := counter.Count(row); ok {
			turns[t]++
			calls[c]++
			counted++
		}
	})
	if counted == 0 {
		return x
	}
	note := ""
	if !x.Read.All {
		note = "of " + format.Plural(counted, "row") + " read"
	}
	x.Charts = append(x.Charts, countsChart("Turns in a row", note, turns), countsChart("Calls in a row", note, calls))
	return x
}

func lengthsOf(o receipt.Output) chart.Histogram {
	h := chart.Histogram{Title: "Bytes in a row", Note: "up to", Unit: "row"}
	by := map[int]int64{}
	least, most := 64, 0
	for key, n := range o.Lengths {
		bound, err := strconv.ParseUint(key, 10, 63)
		if err != nil || bound == 0 || n == 0 {
			continue
		}
		power := bits.Len64(bound) - 1
		by[power] += n
		least, most = min(least, power), max(most, power)
	}
	for p := least; p <= most; p++ {
		h.Columns = append(h.Columns, chart.Column{Label: binary(p), N: by[p]})
	}
	return h
}

// binary writes a power of two: 512, 4 Ki, 1 Mi.
func binary(power int) string {
	units := []string{"", " Ki", " Mi", " Gi", " Ti"}
	i := min(power/10, len(units)-1)
	return fmt.Sprint(1<<(power-10*i)) + units[i]
}

func countsChart(title, note string, by map[int64]int64) chart.Histogram {
	h := chart.Histogram{Title: title, Note: note, Unit: "row"}
	bounds := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1 << 62}
	columns := make([]chart.Column, len(bounds))
	first, last := len(bounds), 0
	for n, rows := range by {
		i, _ := slices.BinarySearch(bounds, n)
		columns[i].N += rows
		first, last = min(first, i), max(last, i)
	}
	for i := first; i <= last; i++ {
		from := int64(0)
		if i > 0 {
			from = bounds[i-1] + 1
		}
		label := fmt.Sprintf("%d–%d", from, bounds[i])
		if i == len(bounds)-1 {
			label = fmt.Sprintf("%d+", from)
		} else if from == bounds[i] {
			label = fmt.Sprint(from)
		}
		columns[i].Label = label
		h.Columns = append(h.Columns, columns[i])
	}
	return h
}
