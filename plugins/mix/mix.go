// Package mix draws the rows of each source at a rate of its own, so that a training set is the mixture that somebody wants.
package mix

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/plugins/stats"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "mix".
var Plugin = sdk.Plugin{
	Name:     "mix",
	Doc:      "thins out or repeats the rows of train by source, at a rate for each, and passes other splits on as they are",
	Args:     config{By: stats.Sources, Rate: 1, Splits: []string{"train"}, Seed: "sluice", Mark: true},
	TakesAll: true,
	New:      open,

	Codes: map[string]string{
		"bad_metadata": "the number of a copy cannot be written, since metadata is not an object; correct the row, or do without mark = true",
	},
	Drops: map[string]string{thinned: "the rate of the row's source is below 1, and the row was not drawn"},
}

type config struct {
	By     []string           `hcl:"by,optional" doc:"gjson paths and @LABELs of which the first that is there names a row's source, or whatever is mixed"`
	Rates  map[string]float64 `hcl:"rates,optional" doc:"how many times each row of a source comes out: 0.25 keeps a quarter of them, 2.5 each twice and half of them a third time" example:"{\"code\":2,\"chat\":0.25}"`
	Rate   float64            `hcl:"rate,optional" doc:"the rate of sources that rates does not name"`
	Splits []string           `hcl:"splits,optional" doc:"splits that are mixed, with the rows that name none; rows of others are neither left out nor repeated"`
	Seed   string             `hcl:"seed,optional" doc:"another seed draws other rows"`
	Mark   bool               `hcl:"mark,optional" doc:"write the number of a copy, from 2 on, to its metadata.copy"`
}

// Beginnings of the names of counts, each followed by a source: rows that came, rows that go on, and copies of these.
const (
	Seen     = "seen."
	Kept     = "kept."
	Repeated = "repeated."
)

const (
	thinned = "thinned" // why a row is dropped

	// other is the name of all sources that rates does not name, in counts, so that these stay few.
	other = "(other)"

	maxRate = 100
)

func open(a sdk.Args) (sdk.Processor, error) {
	m := &mixer{}
	errs := []error{a.Decode(&m.config)}
	check := func(attr, of string, rate float64) {
		if !(rate >= 0 && rate <= maxRate) {
			errs = append(errs, a.Errorf(attr, "want a rate from 0 to %d%s, have %v", maxRate, of, rate))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.Rates)) {
		check("rates", " of "+key, m.Rates[key])
	}
	check("rate", "", m.Rate)
	if len(m.By) == 0 || slices.Contains(m.By, "") || slices.Contains(m.By, "@") {
		errs = append(errs, a.Errorf("by", "want paths and @LABELs, have an empty one or none"))
	}
	return m, errors.Join(errs...)
}

type mixer struct {
	config
	counted bool // every source of rates
	content canonical.Content
	text    []byte // that is hashed
}

// Process implements sdk.Processor.
func (m *mixer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if len(m.Rates) == 0 && m.Rate == 1 {
		emit(r)
		return nil
	}
	if split := stats.NameOf(r, stats.Splits); split != stats.None && !slices.Contains(m.Splits, split) {
		r.Count("other_splits", 1)
		emit(r)
		return nil
	}
	key := stats.NameOf(r, m.By)
	rate, named := m.Rates[key]
	if !named {
		rate, key = m.Rate, other
	}
	n := m.times(r, rate)
	copies := make([]*sdk.Record, max(0, n-1))
	for i := range copies {
		var err error
		if copies[i], err = m.copy(r, i+2); err != nil {
			return err
		}
	}
	m.count(r, key, n)
	if n == 0 {
		return sdk.Drop(thinned)
	}
	emit(r)
	for _, c := range copies {
		emit(c)
	}
	return nil
}

// count counts what became of a row of a source. A source of rates that no row has is counted too, as 0.
func (m *mixer) count(r *sdk.Record, key string, n int) {
	if !m.counted {
		m.counted = true
		for _, key := range slices.Sorted(maps.Keys(m.Rates)) {
			r.Count(Seen+key, 0)
		}
	}
	r.Count(Seen+key, 1)
	r.Count(Kept+key, min(n, 1))
	r.Count(Repeated+key, max(0, n-1))
}

// times returns how many times a row comes out. At a higher rate that is never less.
func (m *mixer) times(r *sdk.Record, rate float64) int {
	whole := int(rate)
	if rate == float64(whole) || m.place(r) >= rate-float64(whole) {
		return whole
	}
	return whole + 1
}

// place maps a row to a number between 0 and 1, by what it says and its trajectory: the first 53 bits of an XXH3 hash.
func (m *mixer) place(r *sdk.Record) float64 {
	row := canonical.Read(r)
	calls.ReadContent(&m.content, row)
	m.text = append(append(m.text[:0], m.Seed...), 0)
	m.text = binary.BigEndian.AppendUint64(m.text, m.content.Whole.Hi)
	m.text = binary.BigEndian.AppendUint64(m.text, m.content.Whole.Lo)
	if id := row.Trajectory(); id != "" {
		m.text = jsontext.AppendText(m.text, id)
	} else {
		m.text = append(m.text, r.Label("trajectoryId")...)
	}
	return float64(xxh3.Hash(m.text)>>11) / (1 << 53)
}

// copy returns the copy of a row with a number.
func (m *mixer) copy(r *sdk.Record, number int) (*sdk.Record, error) {
	c := r.Derive(r.JSON())
	if !m.Mark {
		return c, nil
	}
	metadata := canonical.Read(r).Metadata
	switch metadata.Kind() {
	case '{':
		return c, c.Set("metadata.copy", number)
	case 0, 'n':
		return c, c.SetRaw("metadata", []byte(`{"copy":`+strconv.Itoa(number)+`}`))
	}
	return nil, sdk.Reject("bad_metadata", "metadata", "want an object to write the copy's number to, have %s", jsontext.KindName(metadata.Kind()))
}
