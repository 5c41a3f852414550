package plan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// firstReport returns the report of a first.
func (p *Plan) firstReport(f *config.First) receipt.FirstReport {
	report := receipt.FirstReport{First: f.Name, Path: p.named(f.Report), Partial: p.opts.Partial, Records: p.current(f.Members[0]).Account.Snapshot().In}
	report.Declined = report.Records
	for _, m := range f.Members {
		step := p.current(m)
		taken := step.Account.Snapshot()
		member := receipt.FirstMember{
			Step: step.Label(), Rows: taken.Accepted.Records, Share: receipt.ShareOf(taken.Accepted.Records, report.Records),
			Deprecated: step.Deprecated, CanGo: taken.Accepted.Records == 0 && !p.opts.Partial && p.opts.Part == nil,
			Rejected: receipt.Sum(taken.Rejected).Total,
		}
		member.First, member.Last = taken.Accepted.Ends()
		report.Declined -= member.Rows
		report.Steps = append(report.Steps, member)
	}
	return report
}

// current returns the step whose records go on.
func (p *Plan) current(n config.Node) *Step {
	if s, ok := n.(*config.Shadow); ok {
		return p.steps[s.Current]
	}
	return p.steps[n.(*config.Step)]
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
			Current: p.steps[c.Current].Label(), Candidate: p.steps[c.Candidate].Label(), Ignore: c.Ignore.Texts(),
		}
		if err := p.write("shadow "+c.Name, c.report, x); err != nil {
			return nil, nil, fmt.Errorf("report of shadow %s: %w", c.Name, err)
		}
		compared = append(compared, x)
	}
	var rankings []receipt.FirstReport
	for _, f := range p.Firsts {
		x := p.firstReport(f)
		if r := p.firstReports[f]; r != nil {
			if err := p.write("first "+f.Name, r, x); err != nil {
				return nil, nil, fmt.Errorf("report of first %s: %w", f.Name, err)
			}
		}
		rankings = append(rankings, x)
	}
	return compared, rankings, nil
}

// A Page is a file for people about a run, in the folder of its receipt unless it has a path.
type Page struct {
	Path   string // empty: in the folder of the receipt, see PagePath
	Name   string
	Mark   string // what every page begins with; a file of its name without it is not of sluice
	Wanted bool   // it was asked for: that it cannot be written is a mistake
	None   bool   // none is written, and that of an earlier run is removed
}

// PagePath returns where the page of a run lies, next to its receipt. Its name is the same for every receipt that has the usual name, but
// for the part that the receipt is of, and has the receipt's own before it otherwise: other receipts may lie in the folder too.
func PagePath(receiptPath, name string) string {
	file := places.Base(receiptPath)
	part, whole, ok := receipt.PartOf(file)
	if !ok {
		whole = file
	}
	if whole != receipt.Name {
		name = whole + "." + name
	}
	if ok {
		name = part.PathOf(name)
	}
	return places.Join(places.Dir(receiptPath), name)
}

// claimPage claims the path of the page, after all others, which go before it.
func (p *Plan) claimPage() config.Diagnostics {
	page := p.opts.Page
	if page == nil {
		return nil
	}
	path := p.named(page.Path)
	if p.receipt != nil {
		near := PagePath(p.ReceiptPath(), page.Name)
		defer p.Set.MarkStale(near, page.Mark) // unless it is claimed here
		path = cmp.Or(path, near)
	}
	if page.None || path == "" || !page.Wanted && !p.nearOutputs() {
		return nil
	}
	var err error
	if page.Path == "" && !places.Remote(path) { // of an object the commit finds out, since a check asks nobody
		err = output.MayReplace(path, page.Mark)
	}
	if err == nil {
		p.Page, err = p.Set.Optional(output.Claim{What: "the report", Path: path, Mark: page.Mark, Failed: true, Tag: p.nowhere()})
	}
	switch {
	case err == nil:
		return nil
	case page.Wanted:
		return config.Diagnostics{p.nowhere()("bad path of the report", err.Error())}
	}
	p.NoPage = err.Error()
	return nil
}

// nearOutputs reports whether a sink writes a file into the receipt's folder, or into a folder in it. A pipe does not count.
func (p *Plan) nearOutputs() bool {
	folder := places.Dir(p.ReceiptPath())
	if folder != places.Clean(p.dir()) {
		return false
	}
	for _, sink := range p.Sinks {
		if sink.config == nil || sink.path == "" || sink.path == "-" {
			continue
		}
		below, err := filepath.Rel(folder, strings.SplitN(sink.path, "{", 2)[0])
		if info, statErr := os.Stat(sink.path); err == nil && filepath.IsLocal(below) && (statErr != nil || info.Mode().IsRegular()) {
			return true
		}
	}
	return false
}
