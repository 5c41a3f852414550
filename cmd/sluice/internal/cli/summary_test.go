package cli

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestHeadline holds the first lines of a summary: how many records were kept of those that were read, and what needs a look, in the
// order of its weight.
func TestHeadline(t *testing.T) {
	well := func(change func(*host.Result)) *host.Result {
		x := &host.Result{Receipt: &receipt.Receipt{}}
		x.Totals.Read, x.Totals.Written = 1200, 1200
		x.Steps = append(x.Steps, receipt.StepAccount{Name: "a.a"}, receipt.StepAccount{Name: "b.b"})
		change(x)
		return x
	}
	graph := func(x *host.Result, source, step, sink receipt.Counts) {
		x.Graph = &receipt.Graph{Body: []receipt.Node{{Kind: "source", Counts: &source}, {Kind: "step", Counts: &step}, {Kind: "sink", Counts: &sink}}}
	}
	cases := []struct {
		reason    string
		run       *host.Result
		want      string
		colour    string
		attention string
	}{
		{"an even run", well(func(*host.Result) {}), "done: 1,200 records read, 1,200 kept (100%)", "\x1b[32m", ""},
		{"drops are meant", well(func(x *host.Result) { x.Totals.Dropped.Total, x.Totals.Written = 3, 1197 }),
			"done: 1,200 records read, 1,197 kept (99.8%)", "\x1b[32m", ""},
		{"one reject among many", well(func(x *host.Result) { x.Totals.Rejected.Total, x.Totals.Read, x.Totals.Written = 1, 12_000, 11_999 }),
			"done: 12,000 records read, 11,999 accepted, 11,999 kept (>99.9%)", "\x1b[33m", ""},
		{"all stations", well(func(x *host.Result) {
			x.Totals.Rejected.Total = 711
			graph(x, receipt.Counts{In: 11_000, Out: 10_911, Rejected: 89}, receipt.Counts{In: 10_911, Out: 6765, Rejected: 622, Dropped: 3524}, receipt.Counts{In: 6765, Out: 6765})
		}), "done: 11,000 records read, 10,911 readable, 10,289 accepted, 6,765 kept (61.5%)", "\x1b[33m", ""},
		{"a document with many threads", well(func(x *host.Result) { x.Totals.Rejected.Total, x.Totals.Read, x.Totals.Written = 6, 1, 60 }),
			"done: 1 record read, 6 rejected, 60 rows made of them and kept", "\x1b[33m", ""},
		{"everything at once", well(func(x *host.Result) {
			x.Totals.Rejected.Total, x.Totals.Written = 300, 900
			x.Steps[0].Restarts, x.Steps[0].Deprecated = 2, "write b"
			x.Steps[1].Counts = map[string]int64{"loss.name": 4, "seen": 100}
			x.Warnings = []receipt.Warning{{Code: "deprecated"}, {Code: "input_changed"}}
			x.PageError = "no space"
			x.Shadows = make([]receipt.ShadowReport, 1)
			x.Shadows[0].Differing = 5
			x.Firsts = []receipt.FirstReport{{Steps: []receipt.FirstMember{{Rows: 1}, {CanGo: true, Deprecated: "write b"}, {CanGo: true}}}}
		}), "done: 1,200 records read, 900 accepted, 900 kept (75.0%)", "\x1b[33m",
			"2 restarts of steps, 2 warnings, 5 records that a shadow makes differently, 4 details lost in 1 step, 1 deprecated step still needed, 1 step that no record needed"},
		{"adapters for shapes that this corpus does not have", well(func(x *host.Result) {
			x.Firsts = []receipt.FirstReport{{Steps: []receipt.FirstMember{{Rows: 1}, {CanGo: true}, {CanGo: true}}}}
		}), "done: 1,200 records read, 1,200 kept (100%)", "\x1b[32m", ""},
		{"the same where a report is wanted of what can go", well(func(x *host.Result) {
			x.Firsts = []receipt.FirstReport{{Path: "migration.json", Steps: []receipt.FirstMember{{Rows: 1}, {CanGo: true}, {CanGo: true}}}}
		}), "done: 1,200 records read, 1,200 kept (100%)", "\x1b[33m", "2 steps that no record needed"},
		{"nothing is left", well(func(x *host.Result) { x.Totals.Written, x.Totals.Rejected.Total = 0, 1200 }),
			"done: 1,200 records read, 0 accepted, 0 kept (0%)", "\x1b[31m", ""},
	}
	for _, c := range cases {
		if have := headline(c.run, false); have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
		if have := headline(c.run, true); !strings.HasPrefix(have, c.colour+c.want) {
			t.Errorf("%s: want the colour %q, have %q", c.reason, c.colour, have)
		}
		if have := strings.Join(attention(c.run), ", "); have != c.attention {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.attention, have)
		}
	}
}

// TestRunsDiffer holds that a long value widens no other row of the table.
func TestRunsDiffer(t *testing.T) {
	long := strings.Repeat("names of people; ", 20)
	var b strings.Builder
	runsDiffer(&b, []receipt.Difference{{What: "variable out", A: "one", B: "two"}, {What: "step privacy.redact: not_looked_for", A: long, B: "-"}})
	want := "\nruns          A    B\nvariable out  one  two\nstep privacy.redact: not_looked_for\n  A  " + long + "\n  B  -\n"
	if have := b.String(); have != want {
		t.Errorf("want %s\nhave %s", want, have)
	}
}

// TestPassed holds what a full summary says of a step, and which of its counts have no line elsewhere.
func TestPassed(t *testing.T) {
	s := receipt.StepAccount{Name: "split.split"}
	s.In, s.Out, s.Rejected.Total, s.Declined.Total = 1200, 1100, 60, 40
	if have, want := passed(s), "1,200 in, 1,100 out, 60 rejected, 40 declined"; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
	own := ownCounts(map[string]int64{"split.train": 3, "loss.name": 1, "warn.untargeted": 2})
	if len(own) != 1 || own["split.train"] != 3 {
		t.Errorf("want the counts that no other line shows, have %v", own)
	}
}

// TestTablesHoldTheirForm holds that no name of a file ends a row or a cell of the summary.
func TestTablesHoldTheirForm(t *testing.T) {
	x := &host.Result{Receipt: &receipt.Receipt{}}
	odd := "a\nforged  by\ta name"
	x.Outputs = []receipt.Output{{Path: odd, Records: 1}}
	at := receipt.Position{File: odd, Line: 1}
	x.Firsts = []receipt.FirstReport{{First: "first.shape", Steps: []receipt.FirstMember{{Step: "native.n", Rows: 1, First: &at, Last: &at}}}}
	x.Steps = []receipt.StepAccount{{Name: "native.n", In: 1, Counts: map[string]int64{odd: 1}}}
	var b strings.Builder
	summariseFully(&b, x)
	for row := range strings.Lines(b.String()) {
		if strings.HasPrefix(row, "forged") || strings.Count(row, "\t") > 2 {
			t.Errorf("want rows of three cells, have %q", row)
		}
	}
	if !strings.Contains(b.String(), `a\nforged`) {
		t.Errorf("want the name shown, have %q", b.String())
	}
}
