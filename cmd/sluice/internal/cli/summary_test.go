package cli

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// TestVerdict holds the first line of a summary: what needs a look comes in the order of its weight, and what does not is
// not in it.
func TestVerdict(t *testing.T) {
	well := func(change func(*host.Result)) *host.Result {
		x := &host.Result{Receipt: &receipt.Receipt{}}
		x.Totals.Read, x.Totals.Written = 1200, 1200
		x.Steps = append(x.Steps, receipt.StepAccount{Name: "a.a"}, receipt.StepAccount{Name: "b.b"})
		change(x)
		return x
	}
	cases := []struct {
		reason string
		run    *host.Result
		want   string
		colour string
	}{
		{"an even run", well(func(*host.Result) {}), "done, without rejects and warnings", "\x1b[32m"},
		{"drops are meant", well(func(x *host.Result) { x.Totals.Dropped.Total = 3 }), "done, without rejects and warnings", "\x1b[32m"},
		{"one reject among many", well(func(x *host.Result) { x.Totals.Rejected.Total, x.Totals.Read = 1, 12_000 }),
			"done, with 1 of 12,000 records rejected (<0.1%)", "\x1b[33m"},
		{"more than were read, of a document with many threads", well(func(x *host.Result) { x.Totals.Rejected.Total, x.Totals.Read, x.Totals.Written = 6, 1, 60 }),
			"done, with 6 records rejected", "\x1b[33m"},
		{"everything at once", well(func(x *host.Result) {
			x.Totals.Rejected.Total = 300
			x.Steps[0].Restarts, x.Steps[0].Deprecated = 2, "write b"
			x.Steps[1].Counts = map[string]int64{"loss.name": 4, "seen": 100}
			x.Warnings = []receipt.Warning{{Code: "deprecated"}, {Code: "input_changed"}}
			x.PageError = "no space"
			x.Shadows = make([]receipt.ShadowReport, 1)
			x.Shadows[0].Differing = 5
			x.Firsts = []receipt.FirstReport{{Steps: []receipt.FirstMember{{Rows: 1}, {CanGo: true}}}}
		}), "done, with 300 of 1,200 records rejected (25.0%), 2 restarts of steps, 2 warnings, 5 records that a shadow makes otherwise, " +
			"4 details lost in 1 step, 1 deprecated step still needed, 1 step that no record needed", "\x1b[33m"},
		{"nothing is left", well(func(x *host.Result) { x.Totals.Written, x.Totals.Rejected.Total = 0, 1200 }),
			"done, with no record written, 1,200 of 1,200 records rejected (100%)", "\x1b[31m"},
	}
	for _, c := range cases {
		if have := headline(c.run, false); have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
		if have := headline(c.run, true); !strings.HasPrefix(have, c.colour+c.want) {
			t.Errorf("%s: want the colour %q, have %q", c.reason, c.colour, have)
		}
	}
}
