package plan

import (
	"fmt"
	"math"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
)

// FirstReports returns the report of every first, in the order of the file.
func (p *Plan) FirstReports() []receipt.FirstReport {
	var all []receipt.FirstReport
	for _, f := range p.Firsts {
		x := receipt.FirstReport{First: f.Name, Path: f.Report, Partial: p.opts.Partial, Records: p.current(f.Members[0]).Account.Snapshot().In}
		x.Declined = x.Records
		for _, m := range f.Members {
			u := p.current(m)
			taken := u.Account.Snapshot()
			r := receipt.FirstMember{
				Step: u.Label(), Rows: taken.Accepted.Records, Share: Share(taken.Accepted.Records, x.Records),
				Deprecated: u.Deprecated, CanGo: taken.Accepted.Records == 0 && !p.opts.Partial,
			}
			for _, n := range taken.Rejected {
				r.Rejected += n
			}
			r.First, r.Last = receipt.Ends(taken.Accepted)
			x.Declined -= r.Rows
			x.Steps = append(x.Steps, r)
		}
		all = append(all, x)
	}
	return all
}

// current returns the step whose records go on.
func (p *Plan) current(n config.Node) *Step {
	if s, ok := n.(*config.Shadow); ok {
		return p.steps[s.Current]
	}
	return p.steps[n.(*config.Step)]
}

// RouteReports returns the report of every route, in the order of the file. The plan has run.
func (p *Plan) RouteReports() []receipt.RouteReport {
	var all []receipt.RouteReport
	for _, r := range p.inOrder {
		x, taken := receipt.RouteReport{Route: r.Name}, p.routes[r].PerBranch()
		for i, c := range r.Cases {
			x.Branches = append(x.Branches, receipt.Branch{Case: p.opts.Text(c.Value), Records: taken[i]})
		}
		if r.HasDefault {
			x.Branches = append(x.Branches, receipt.Branch{Default: true, Records: taken[len(r.Cases)]})
		}
		all = append(all, x)
	}
	return all
}

// Shadow is a shadow of the file with the differences that it finds.
type Shadow struct {
	*config.Shadow
	Path   string // of the report
	found  flow.Differences
	report *output.Report
}

// WriteReports writes the reports of shadows and firsts, which get their names with the outputs.
func (p *Plan) WriteReports() ([]receipt.ShadowReport, []receipt.FirstReport, error) {
	var compared []receipt.ShadowReport
	for _, c := range p.Shadows {
		x := receipt.ShadowReport{
			Shadow: c.Name, Comparison: c.found.Snapshot(), Path: c.Path, Partial: p.opts.Partial,
			Current: p.steps[c.Current].Label(), Candidate: p.steps[c.Candidate].Label(),
		}
		if err := writeJSON(c.report, x); err != nil {
			return nil, nil, fmt.Errorf("report of shadow %s: %w", c.Name, err)
		}
		compared = append(compared, x)
	}
	rankings := p.FirstReports()
	for i, f := range p.Firsts {
		if r := p.firstReports[f]; r != nil {
			if err := writeJSON(r, rankings[i]); err != nil {
				return nil, nil, fmt.Errorf("report of first %s: %w", f.Name, err)
			}
		}
	}
	return compared, rankings, nil
}

// Share is a part of a whole, to a millionth.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1e6) / 1e6
}
