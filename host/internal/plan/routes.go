package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// RouteReports returns the report of every route, in the order of the file. The plan has run.
func (p *Plan) RouteReports() []receipt.RouteReport {
	var all []receipt.RouteReport
	for _, r := range p.inOrder {
		all = append(all, p.routeReport(r))
	}
	return all
}

func (p *Plan) routeReport(r *config.Route) receipt.RouteReport {
	node := p.routes[r]
	x := receipt.RouteReport{Route: r.Name, Rejected: node.Unrouted.Load()}
	for i, c := range r.Cases {
		x.Branches = append(x.Branches, receipt.Branch{Case: p.opts.Text(c.Value), Records: node.Taken[i].Load()})
	}
	if r.HasDefault {
		x.Branches = append(x.Branches, receipt.Branch{Default: true, Records: node.Taken[len(r.Cases)].Load()})
	}
	onLabel := strings.HasPrefix(r.On, "@") // a value in a record may be personal
	for value, n := range node.Others.By {
		if onLabel {
			if x.Others == nil {
				x.Others = map[string]int64{}
			}
			x.Others[p.opts.Text(value)] += *n
		}
	}
	if _, came := x.Taken(); came == 0 || p.opts.Partial || p.listed[r] {
		return x
	}
	for i, c := range r.Cases {
		if c.Value == "" || node.Taken[i].Load() > 0 {
			continue
		}
		unmet := receipt.UnmetCase{Case: p.opts.Text(c.Value)}
		if like := misspelt(c.Value, slices.Sorted(maps.Keys(node.Others.By))); like != "" {
			unmet.Like = *node.Others.By[like]
			if onLabel {
				unmet.Value = p.opts.Text(like)
			}
		}
		x.Unmet = append(x.Unmet, unmet)
	}
	return x
}

// misspelt returns the value of records that a case was probably meant for, or "". Words of two letters, such as languages, are
// always near to each other.
func misspelt(word string, values []string) string {
	return nearest.Word(word, slices.DeleteFunc(values, func(v string) bool { return min(len(v), len(word)) < 3 }))
}
