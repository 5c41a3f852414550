package rowstats

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/plugins/stats"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Wish is how much of train should be of which source.
type Wish struct {
	Shares map[string]string // by source, as they were written
	Of     string            // what shares are of: rows, characters or tokens
	Rows   float64           // in total, or characters or tokens; 0: as much as there is without copies
}

// Check returns the first mistake in a wish that shows without any rows.
func (w *Wish) Check() error {
	total := 0.0
	for _, name := range slices.Sorted(maps.Keys(w.Shares)) {
		share, err := strconv.ParseFloat(w.Shares[name], 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return fmt.Errorf("--shares: want a share of %q from 0 to 1, have %q", name, w.Shares[name])
		}
		total += share
	}
	if total > 1+leastShare {
		return fmt.Errorf("--shares: want at most 1 in total, have %.4g", total)
	}
	if !(w.Rows >= 0) {
		return fmt.Errorf("--rows: want 0 or more, have %v", w.Rows)
	}
	return nil
}

// leastShare is what a sum of shares may be off by.
const leastShare = 1e-6

// Units are what shares may be of.
var Units = []string{"rows", "characters", "tokens"}

// Rates are the arguments of plugin "mix" with which the rows come out in the shares that a Wish asks for.
type Rates struct {
	Of     string             `json:"of"`
	Total  int64              `json:"total"` // that come out
	Shares map[string]float64 `json:"shares"`
	Rates  map[string]float64 `json:"rates"`
	Rate   float64            `json:"rate"` // of sources without a share
}

// amount returns how much of a unit some rows are.
func amount(g *stats.Group, of string) (int64, error) {
	lengths := g.Characters
	switch of {
	case "rows":
		return g.Rows, nil
	case "tokens":
		lengths = g.Tokens
	}
	if lengths == nil || lengths.Rows < g.Rows {
		return 0, fmt.Errorf("want the %s of every row, have rows without; --tokens names a vocabulary that counts them", of)
	}
	return lengths.Sum, nil
}

// rates computes the rates of a wish that has passed Check.
func (l *Layer) rates(w Wish) (*Rates, error) {
	r := &Rates{Of: w.Of, Shares: map[string]float64{}, Rates: map[string]float64{}}
	sources := l.By[stats.TrainSource]
	rest, total := 1.0, math.Inf(1)
	need := func(share float64, of int64) {
		if share > 0 {
			total = min(total, float64(of)/share)
		}
	}
	have := map[string]int64{}
	var others int64
	for name, g := range sources {
		n, err := amount(g, w.Of)
		if err != nil {
			return nil, err
		}
		if have[name] = n; w.Shares[name] == "" {
			others += n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Shares)) {
		share, err := strconv.ParseFloat(w.Shares[name], 64)
		if err != nil {
			return nil, err
		}
		if have[name] == 0 {
			return nil, fmt.Errorf("--shares: want a source in train, have %q; the sources are %s", name, strings.Join(format.MostFirst(have), ", "))
		}
		r.Shares[name] = share
		rest -= share
		need(share, have[name])
	}
	switch {
	case rest < leastShare:
		rest = 0
	case others == 0:
		return nil, fmt.Errorf("--shares: want 1 in total, since every source has a share, have %.4g", 1-rest)
	}
	if need(rest, others); w.Rows > 0 {
		total = w.Rows
	}
	rate := func(share float64, of int64) float64 {
		if share == 0 {
			return 0
		}
		return round(share * total / float64(of))
	}
	for name, share := range r.Shares {
		if r.Rates[name] = rate(share, have[name]); r.Rates[name] > 100 {
			return nil, fmt.Errorf("--shares: want at most 100 copies of a row, have %.4g of %q", r.Rates[name], name)
		}
	}
	r.Rate, r.Total = rate(rest, others), int64(total)
	return r, nil
}

// round rounds to four digits.
func round(x float64) float64 {
	if y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64); err == nil {
		return y
	}
	return x
}

// Flags returns the rates as arguments of sluice run for a pipeline with the variables rates and rate.
func (r *Rates) Flags() string {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(r.Rates)) {
		b = append(jsontext.AppendString(jsontext.AppendComma(b), name), ':')
		b = strconv.AppendFloat(b, r.Rates[name], 'g', -1, 64)
	}
	rates := strings.NewReplacer("'", `'\''`, "${", "$${", "%{", "%%{").Replace(string(b))
	return fmt.Sprintf("--var 'rates={%s}' --var rate=%v", rates, r.Rate)
}

// unsplit is how many rows name no split. They count as rows of train, as they do where plugin "mix" draws.
func (l *Layer) unsplit() int64 {
	if none := l.By["split"][stats.None]; none != nil {
		return none.Rows
	}
	return 0
}

// mixes reports whether the sources of train have a table: there are several, or somebody asked for rates.
func (l *Layer) mixes(r *Rates) bool { return r != nil || len(l.By[stats.TrainSource]) > 1 }

// mixture returns the sources of train as a table: how much of each there is, and what the rates make of it.
func (l *Layer) mixture(r *Rates) string {
	if !l.mixes(r) {
		return ""
	}
	sources := l.By[stats.TrainSource]
	name := "source in train"
	if l.unsplit() > 0 {
		name += " or no split"
	}
	head := []string{name, "rows", "share", "characters", "share", "tokens", "share"}
	if r != nil {
		head = append(head, "wanted", "rate", "rows then")
	}
	table := columns{head}
	total := map[string]int64{}
	sum := func(g *stats.Group) map[string]int64 {
		n := map[string]int64{"rows": g.Rows}
		if g.Characters != nil {
			n["characters"] = g.Characters.Sum
		}
		if g.Tokens != nil {
			n["tokens"] = g.Tokens.Sum
		}
		return n
	}
	for _, g := range sources {
		for unit, n := range sum(g) {
			total[unit] += n
		}
	}
	for _, name := range mostFirst(sources, func(g *stats.Group) int64 { return g.Rows }) {
		line, n := []string{name}, sum(sources[name])
		for _, unit := range Units {
			count, share := "-", "-"
			if known, ok := n[unit]; ok && total[unit] > 0 {
				count, share = plural.Count(known), percent.Of(known, total[unit], 1)
			}
			line = append(line, count, share)
		}
		if r != nil {
			line = append(line, r.line(name, n["rows"])...)
		}
		table = append(table, line)
	}
	var b strings.Builder
	b.WriteByte('\n')
	table.write(&b)
	return b.String()
}

// line returns what the rates make of the rows of a source.
func (r *Rates) line(name string, rows int64) []string {
	rate, wanted := r.Rate, "-"
	if share, ok := r.Shares[name]; ok {
		rate, wanted = r.Rates[name], percent.Share(share, 1)
	}
	return []string{wanted, fmt.Sprintf("%.4g", rate), plural.Count(int64(math.Round(rate * float64(rows))))}
}
