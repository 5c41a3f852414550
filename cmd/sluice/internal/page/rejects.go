package page

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

const rejectsRead = 4 << 20

type rejectsView struct {
	Codes  list[code]
	Sample sample
}

type code struct {
	Code     string
	N        int64
	Change   string // since the run before, "" when there is none
	Share    string // of the records that were read
	Bar      chart.Bar
	Means    []string
	At       list[reason] // how many of which step, or of what is no step
	Link     string
	Examples []example
}

type example struct {
	File    string
	Line    int64
	Link    string // of the row of the dead letter, else of the record in the input
	Step    string
	Path    string
	Message string
	Record  string
}

func (m *maker) rejects() *rejectsView {
	t := m.run.Totals.Rejected
	if t.Total == 0 {
		return nil
	}
	v := &rejectsView{}
	names := format.MostFirst(t.By)
	all := make([]code, 0, len(names))
	for _, name := range names {
		c := code{Code: mask.Word(name), N: t.By[name], Change: m.changedCode(name, t.By[name]), Share: format.Share(t.By[name], m.run.Totals.Read), Bar: chart.BarOf(t.By[names[0]], "bad", t.By[name])}
		if len(all) < mostListed {
			c.At = m.rejectedAt(name, c.N)
			c.Means = meanings(name, m.run.Steps)
			c.Link = m.links.code("rejected", name)
		}
		all = append(all, c)
	}
	v.Codes = listOf(all)
	v.Sample = m.examples(names, v.Codes.Rows)
	return v
}

func (m *maker) rejectedAt(code string, total int64) list[reason] {
	var all []reason
	for _, s := range m.run.Steps {
		if n := s.Rejected.By[code]; n > 0 && !s.Candidate {
			all = append(all, reason{Step: s.Name, N: n})
			total -= n
		}
	}
	if total > 0 {
		all = append(all, reason{Step: m.elsewhere(code), N: total})
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(b.N, a.N) })
	const most = 5
	shown := all[:min(len(all), most)]
	return list[reason]{Rows: shown, More: int64(len(all) - len(shown))}
}

// elsewhere returns the part of the host that rejects with a code which no step has counted.
func (m *maker) elsewhere(code string) string {
	switch {
	case slices.Contains(registry.SourceFaults, code):
		return "source"
	case code == "declined" && len(m.run.Firsts) == 1:
		return "every step of first " + m.run.Firsts[0].First
	case code == "declined":
		return "every step of a first"
	}
	return "outside of the steps"
}

func meanings(code string, steps []receipt.StepAccount) (all []string) {
	add := func(text string) {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, s := range steps {
		if s.Rejected.By[code] > 0 {
			add(codeMeaning(s, code))
		}
	}
	if len(all) == 0 {
		add(registry.Codes[code])
	}
	return all
}

// codeMeaning returns what the plugin of a step says of a code, "" when it says nothing.
func codeMeaning(s receipt.StepAccount, code string) string {
	return cmp.Or(s.Rejected.Means[code], builtIn(s.Plugin).Codes[code])
}

// dropMeaning returns what the plugin of a step says of a reason for drops. One whose arguments decide between the two has it among its codes.
func dropMeaning(s receipt.StepAccount, reason string) string {
	p := builtIn(s.Plugin)
	return cmp.Or(s.Dropped.Means[reason], p.Drops[reason], p.Codes[reason], meantByAll[reason])
}

// meantByAll are reasons that the SDK gives for any plugin.
var meantByAll = map[string]string{"nothing emitted": "the step emitted nothing in place of the record, as a filter does with what it leaves out"}

func builtIn(name string) sdk.Plugin {
	for _, p := range plugins.All {
		if p.Name == name {
			return p
		}
	}
	return sdk.Plugin{}
}

// examples fills in the first records of each code that the dead letter has. Names are the codes as records have them.
func (m *maker) examples(names []string, codes []code) (s sample) {
	at := map[string]int{}
	for i := range codes {
		at[names[i]] = i
	}
	for _, o := range m.run.Outputs {
		if o.Side != receipt.DeadLetter || o.Records == 0 {
			continue
		}
		s = m.read(o, rejectsRead, func(row []byte) {
			i, known := at[gjson.GetBytes(row, "code").Str]
			if known && len(codes[i].Examples) < mostExamples {
				e := exampleOf(row)
				e.Link = m.links.record(e.File, e.Line)
				codes[i].Examples = append(codes[i].Examples, e)
			}
		})
	}
	return s
}

// exampleOf describes a reject. It is masked as a whole, since a message may quote what only the record beside it says is a secret.
func exampleOf(row []byte) example {
	x, shown := gjson.ParseBytes(row), gjson.ParseBytes(mask.Row(row))
	e := example{
		File: x.Get("file").Str, Line: x.Get("line").Int(), Step: x.Get("step").Str, Path: mask.Text(shown.Get("path").Str),
		Message: format.Cut(format.Printable(mask.Text(shown.Get("message").Str)), 400),
	}
	if record := shown.Get("record"); record.Type == gjson.String {
		e.Record = cutRecord(mask.Text(record.Str))
		if how := x.Get("encoding").Str; how != "" { // a record that is no text
			e.Record = "in " + how + ": " + e.Record
		}
	} else if x.Get("record").Exists() {
		e.Record = cutRecord(cmp.Or(record.Raw, "null")) // of a row that cannot be masked
	}
	return e
}

// shownRecord returns the beginning of a line of an input, masked.
func shownRecord(line []byte) string {
	if line = bytes.TrimSpace(line); gjson.ValidBytes(line) {
		return cutRecord(string(mask.Row(line)))
	}
	return cutRecord(mask.Text(string(line)))
}

// cutRecord cuts a record that is masked. It is masked before, as half of a value might be none to the rules.
func cutRecord(text string) string {
	if n := len([]rune(text)); n > mostRecord {
		return fmt.Sprintf("%s … %s more", format.Printable(string([]rune(text)[:mostRecord])), plural.Of(n-mostRecord, "character"))
	}
	return format.Printable(text)
}
