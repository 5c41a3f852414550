package page

import (
	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
)

type shapesView struct {
	Firsts  []firstView
	Routes  []routeView
	Shadows []receipt.ShadowReport
}

type firstView struct {
	receipt.FirstReport
	Members list[memberView]
	Idle    []string // members that took nothing
}

type memberView struct {
	receipt.FirstMember
	Share string
	Bar   chart.Bar
}

type routeView struct {
	Route    string
	Branches list[reason]
	Unmet    []string     // cases that no record took, which may be misspelt
	Others   list[reason] // values of a label that no case takes
	Default  bool         // whether their records went to a default
}

// otherValues returns the values of the records that no case of a route took, with their shares of all that came.
func otherValues(by map[string]int64, all int64) (values []reason) {
	for _, value := range format.MostFirst(by) {
		name := value
		if name == "" {
			name = "no value"
		}
		values = append(values, reason{Name: name, N: by[value], Share: format.Share(by[value], all), Bar: chart.BarOf(all, "main", by[value])})
	}
	return values
}

func (m *maker) shapes() *shapesView {
	v := &shapesView{Shadows: m.run.Shadows}
	for _, f := range m.run.Firsts {
		x := firstView{FirstReport: f}
		var members []memberView
		for _, s := range f.Steps {
			if s.Rows == 0 {
				x.Idle = append(x.Idle, s.Step)
				continue
			}
			members = append(members, memberView{s, format.Share(s.Rows, f.Records), chart.BarOf(f.Records, "main", s.Rows-s.Rejected, "bad", s.Rejected)})
		}
		x.Members = listOf(members)
		v.Firsts = append(v.Firsts, x)
	}
	for _, r := range m.run.Routes {
		x, sum := routeView{Route: r.Route}, int64(0)
		for _, b := range r.Branches {
			sum += b.Records
		}
		var branches []reason
		for _, b := range r.Branches {
			branch := reason{Name: b.Case, N: b.Records, Share: format.Share(b.Records, sum), Bar: chart.BarOf(sum, "main", b.Records)}
			if b.Default {
				branch.Name, x.Default = "default", true
			}
			branches = append(branches, branch)
		}
		x.Branches = listOf(branches)
		for _, u := range r.Unmet {
			x.Unmet = append(x.Unmet, u.Case)
		}
		x.Others = listOf(otherValues(mask.Counts(r.Others), sum+r.Rejected))
		v.Routes = append(v.Routes, x)
	}
	if len(v.Firsts)+len(v.Routes)+len(v.Shadows) == 0 {
		return nil
	}
	return v
}
