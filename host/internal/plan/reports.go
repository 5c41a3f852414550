package plan

import (
	"fmt"
	"math"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
)

// A Ranking is what each member of a first took, so that it shows which of them can go. A record is a step's when the step
// did not decline it, whatever came of it then.
type Ranking struct {
	First    string   `json:"first"`
	Records  int64    `json:"records"`           // that came
	Declined int64    `json:"declined"`          // by all of its steps
	Steps    []Ranked `json:"steps"`             // as they stand in the file
	Partial  bool     `json:"partial,omitempty"` // the run was not whole, so nobody knows what can go
	Path     string   `json:"-"`                 // of the report, empty when there is none
}

// A Ranked is one step of a first, the current one of a shadow.
type Ranked struct {
	Step       string         `json:"step"`
	Rows       int64          `json:"rows"`     // records it did not decline
	Rejected   int64          `json:"rejected"` // of them
	Share      float64        `json:"share"`    // of the records that came, 0 to 1
	First      *flow.Position `json:"first"`
	Last       *flow.Position `json:"last"`
	Deprecated string         `json:"deprecated,omitempty"`
	CanGo      bool           `json:"can_go"` // no record needed it
}

// Rankings are those of every first, in the order of the file.
func (p *Plan) Rankings() []Ranking {
	var all []Ranking
	for _, f := range p.Firsts {
		x := Ranking{First: f.Name, Path: f.Report, Partial: p.opts.Partial, Records: p.current(f.Members[0]).Account.Snapshot().In}
		x.Declined = x.Records
		for _, m := range f.Members {
			u := p.current(m)
			taken := u.Account.Snapshot()
			r := Ranked{
				Step: u.Label(), Rows: taken.Taken.Records, Share: Share(taken.Taken.Records, x.Records),
				Deprecated: u.Deprecated, CanGo: taken.Taken.Records == 0 && !p.opts.Partial,
			}
			for _, n := range taken.Rejected {
				r.Rejected += n
			}
			r.First, r.Last = taken.Taken.Ends()
			x.Declined -= r.Rows
			x.Steps = append(x.Steps, r)
		}
		all = append(all, x)
	}
	return all
}

// current is the step whose records go on.
func (p *Plan) current(n config.Node) *Use {
	if s, ok := n.(*config.Shadow); ok {
		return p.uses[s.Current]
	}
	return p.uses[n.(*config.Step)]
}

// A Branching is how many records went each way of a route.
type Branching struct {
	Route string   `json:"route"`
	Ways  []Branch `json:"ways"` // as they stand in the file, the default last
}

// A Branch is one way of a route.
type Branch struct {
	Case    string `json:"case"`
	Default bool   `json:"default,omitempty"`
	Records int64  `json:"records"`
}

// routed is a route of the file with the node that it has become.
type routed struct {
	*config.Route
	node *flow.Route
}

// Branchings are those of every route, in the order of the file. The plan has run.
func (p *Plan) Branchings() []Branching {
	var all []Branching
	for _, r := range p.routes {
		x, taken := Branching{Route: r.Name}, r.node.Taken()
		for i, c := range r.Cases {
			x.Ways = append(x.Ways, Branch{Case: c.Value, Records: taken[i]})
		}
		if r.HasDefault {
			x.Ways = append(x.Ways, Branch{Default: true, Records: taken[len(r.Cases)]})
		}
		all = append(all, x)
	}
	return all
}

// Comparing is a shadow of the file with what it finds.
type Comparing struct {
	*config.Shadow
	Path   string // of the report
	found  flow.Differences
	report *output.Report
}

// A Comparison is what a shadow block found: how its two steps differ.
type Comparison struct {
	Shadow    string `json:"shadow"`
	Current   string `json:"current"`           // step
	Candidate string `json:"candidate"`         // step
	Partial   bool   `json:"partial,omitempty"` // the run was not whole
	flow.Comparison
	Path string `json:"-"` // of the report
}

// WriteReports writes the reports of shadows and firsts, which get their names with the outputs.
func (p *Plan) WriteReports() ([]Comparison, []Ranking, error) {
	var compared []Comparison
	for _, c := range p.Shadows {
		x := Comparison{
			Shadow: c.Name, Comparison: c.found.Snapshot(), Path: c.Path, Partial: p.opts.Partial,
			Current: p.uses[c.Current].Label(), Candidate: p.uses[c.Candidate].Label(),
		}
		if err := writeJSON(c.report, x); err != nil {
			return nil, nil, fmt.Errorf("report of shadow %s: %w", c.Name, err)
		}
		compared = append(compared, x)
	}
	rankings := p.Rankings()
	for i, f := range p.Firsts {
		if r := p.rankings[f]; r != nil {
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
