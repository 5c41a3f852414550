package plan

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/host/internal/config"
)

// keeps reports whether the run stores the records that leave a step.
func (p *Plan) keeps(s *config.Step) bool { return p.opts.Stored && s.Host.Keep }

// placeKeeps finds the steps that say keep, and reports those that are not on the one way that all records take from the sources.
func (p *Plan) placeKeeps() (diags config.Diagnostics) {
	fork := "" // the first node at the top level that sends records more than one way
	for _, n := range p.tree.Body {
		name := ""
		switch n := n.(type) {
		case *config.Step:
			switch {
			case !n.Host.Keep:
			case fork == "":
				p.Keeps = append(p.Keeps, p.steps[n])
			default:
				diags = append(diags, p.wrongKeep(n, "want it above "+fork+", which sends records more than one way"))
			}
			continue
		case *config.Route:
			name = "route " + n.Name
		case *config.Tee:
			name = "tee " + n.Name
		case *config.Shadow:
			name = "shadow " + n.Name
		}
		fork = cmp.Or(fork, name)
		for _, step := range p.Steps {
			if step.Host.Keep && config.Has(n, step.Step) {
				diags = append(diags, p.wrongKeep(step.Step, "want it in a step at the top level of the file, where all records pass"))
			}
		}
	}
	return diags
}

func (p *Plan) wrongKeep(s *config.Step, why string) config.Diagnostic {
	return p.tree.AtHost(s, "keep", "step "+p.steps[s].Label()+" cannot keep its records", why)
}

// UpTo returns how many steps there are up to a step at the top level, and the shape of the pipeline up to there.
func (p *Plan) UpTo(s *Step) (steps int, shape any) {
	i := slices.IndexFunc(p.tree.Body, func(n config.Node) bool { return n == config.Node(s.Step) })
	return slices.Index(p.Steps, s) + 1, p.shape(p.tree.Body[:i+1])
}
