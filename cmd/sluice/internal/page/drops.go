package page

import (
	"cmp"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/dedup"
)

type dropsView struct {
	Reasons list[drop]
	Sample  sample
}

// A drop is a reason for which a step has left records out.
type drop struct {
	Reason, Step string
	N            int64
	Change       string // since the run before; "" when there is none, and when several steps have the reason
	Share        string // of the records that were read
	Bar          chart.Bar
	Means        string
	Link         string
	Twins        []twins
	Examples     []example // as they were read
	at           []receipt.Position
	plugin, name string // as the receipt has it
}

// Twins are two records of which one was left out, with what is known of their texts, masked.
type twins struct {
	Left, Kept sided
	Kind       string
	Alike      string
}

type sided struct {
	File            string
	Line            int64
	Link            string
	Asked, Answered string
}

type namedSide struct {
	sided
	What string
}

func sideOf(what string, s sided) namedSide { return namedSide{s, what} }

const dropsRead = 1 << 20

func (m *maker) drops() *dropsView {
	var all []drop
	var most int64
	for _, s := range m.run.Steps {
		if s.Candidate {
			continue
		}
		for name, n := range s.Dropped.By {
			all = append(all, drop{Reason: mask.Word(name), Step: s.Name, N: n, Change: m.changedDrop(name, n), Means: dropMeaning(s, name), plugin: s.Plugin, name: name, at: s.Drops[name]})
			most = max(most, n)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b drop) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Step, b.Step), cmp.Compare(a.name, b.name))
	})
	v := &dropsView{Reasons: listOf(all)}
	for i := range v.Reasons.Rows {
		d := &v.Reasons.Rows[i]
		d.Share, d.Bar = format.Share(d.N, m.run.Totals.Read), chart.BarOf(most, "warn", d.N)
		if d.plugin == dedup.Plugin.Name {
			d.Link = m.links.code("noted", d.name)
		}
	}
	m.twins(v)
	m.dropped(v)
	return v
}

// dropped reads the first records of the reasons that have no pairs, from the inputs.
func (m *maker) dropped(v *dropsView) {
	wanted := map[string][]int64{}
	for _, d := range v.Reasons.Rows {
		for _, at := range d.at {
			if len(d.Twins) == 0 {
				wanted[at.File] = append(wanted[at.File], at.Line)
			}
		}
	}
	texts := map[string]map[int64][]byte{}
	for file, lines := range wanted {
		texts[file] = m.lines(file, lines)
	}
	for i := range v.Reasons.Rows {
		d := &v.Reasons.Rows[i]
		for _, at := range d.at {
			if len(d.Twins) > 0 {
				break
			}
			e := example{File: at.File, Line: at.Line, Link: m.links.record(at.File, at.Line)}
			if text := texts[at.File][at.Line]; text != nil {
				e.Record = shownRecord(text)
			}
			d.Examples = append(d.Examples, e)
		}
	}
}

// twins reads the first pairs of each reason that the steps have written.
func (m *maker) twins(v *dropsView) {
	for _, o := range m.run.Outputs {
		at := map[string]*drop{}
		for i := range v.Reasons.Rows {
			if d := &v.Reasons.Rows[i]; d.plugin == dedup.Plugin.Name && o.Side == d.Step+"/pairs" {
				at[d.name] = d
			}
		}
		if len(at) == 0 || o.Records == 0 {
			continue
		}
		v.Sample = m.read(o, dropsRead, func(row []byte) {
			if d := at[gjson.GetBytes(row, "left_out").Str]; d != nil && len(d.Twins) < mostExamples {
				if x := gjson.ParseBytes(mask.Row(row)); x.IsObject() { // which can be masked
					d.Twins = append(d.Twins, m.twinsOf(x))
				}
			}
		})
	}
}

func (m *maker) twinsOf(x gjson.Result) twins {
	side := func(prefix string) sided {
		text := func(key string) string { return format.Cut(format.Printable(x.Get(prefix+key).Str), mostRecord) }
		s := sided{File: x.Get(prefix + "file").Str, Line: x.Get(prefix + "line").Int(), Asked: text("asked"), Answered: text("answered")}
		s.Link = m.links.record(s.File, s.Line)
		return s
	}
	t := twins{Left: side(""), Kept: side("twin_"), Kind: x.Get("kind").Str}
	if alike := x.Get("similarity"); alike.Exists() {
		t.Alike = format.Share(int64(alike.Num*1000), 1000) + " alike"
	}
	return t
}
