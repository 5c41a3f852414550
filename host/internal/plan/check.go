package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/receipt"
)

// CheckPlugins checks the file against the declarations of its plugins: outputs and labels that nothing writes are mistakes,
// and what has no effect is a warning.
func (p *Plan) CheckPlugins(fleet *launch.Fleet) (diags config.Diagnostics) {
	sets := map[*config.Step][]string{}
	for i, u := range p.Steps {
		running := fleet.Steps[i]
		sets[u.Step] = running.Info.Labels
		diags = append(diags, p.checkOutputs(u, running.Info.Outputs)...)
		if running.Info.Ordered && u.Host.OnCrash == config.CrashRejects {
			diags = append(diags, p.tree.AtHost(u.Step, "on_crash", fmt.Sprintf("on_crash = %q has no effect here", config.CrashRejects),
				"plugin "+u.Type+" keeps state from record to record, so a crash of it fails the run").AsWarning())
		}
		if running.Location.Hides != "" {
			diags = append(diags, p.tree.AtRange(u.Range, fmt.Sprintf("plugin %q is the built-in one", u.Type),
				running.Location.Hides+" is not used; to use it, name its path in a plugin block").AsWarning())
		}
	}
	diags = append(diags, p.checkFiltered(fleet)...)
	l := labelCheck{Plan: p, sets: sets}
	l.sequence(p.tree.Body, map[string]bool{})
	return append(diags, l.diags...)
}

// checkFiltered warns of sinks whose rows reach them unfiltered in a file that makes text for training.
func (p *Plan) checkFiltered(fleet *launch.Fleet) config.Diagnostics {
	var filters []string
	trains := false
	for i, u := range p.Steps {
		running := fleet.Steps[i]
		if running.Info.Private && !u.Candidate {
			filters = append(filters, u.Label())
		}
		trains = trains || running.Location.BuiltIn && slices.Contains(p.opts.Training, running.Location.Name)
	}
	var bare []*Sink
	for _, o := range p.Sinks {
		if o.Side == "" && o.config != nil && !o.bare && !receipt.Through(o.After, filters) {
			bare = append(bare, o)
		}
	}
	if !trains || len(bare) == 0 {
		return nil
	}
	what := "sink " + bare[0].Name
	if n := len(bare) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
	}
	return config.Diagnostics{p.tree.AtRange(bare[0].config.Range, "no privacy step before "+what,
		`rows there may hold personal data and secrets; put a step "privacy" before them, or say unfiltered = true in the sink if that is meant`).AsWarning()}
}

func (p *Plan) checkOutputs(u *Step, declared []string) (diags config.Diagnostics) {
	for _, o := range u.Outputs {
		if slices.Contains(declared, o.Name) {
			continue
		}
		wanted := "plugin " + u.Type + " has no outputs"
		if len(declared) > 0 {
			wanted = "want one of " + strings.Join(declared, ", ")
		}
		d := p.tree.AtRange(o.Range, fmt.Sprintf("unknown output %q of step %q %q", o.Name, u.Type, u.Name), wanted)
		d.Suggestion = config.Nearest(o.Name, declared)
		diags = append(diags, d)
	}
	return diags
}

// A labelCheck follows the labels that the steps of a file can set.
type labelCheck struct {
	*Plan
	sets  map[*config.Step][]string
	diags config.Diagnostics
}

// sequence checks one sequence of nodes, which have some labels to begin with, and returns those behind it.
func (l *labelCheck) sequence(nodes []config.Node, have map[string]bool) map[string]bool {
	have = maps.Clone(have)
	add := func(s *config.Step) {
		for _, name := range l.sets[s] {
			have[name] = true
		}
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			add(n)
		case *config.Shadow:
			add(n.Current)
		case *config.First:
			for _, m := range n.Members {
				maps.Copy(have, l.sequence([]config.Node{m}, have))
			}
		case *config.Tee:
			l.sequence(n.Body, have)
		case *config.Route:
			if name, ok := strings.CutPrefix(n.On, "@"); ok {
				l.want(name, have, l.atRange(n.Range), "route "+n.Name+" is on a label that nothing sets")
			}
			before := maps.Clone(have)
			for _, c := range n.Cases {
				maps.Copy(have, l.sequence(c.Body, before))
			}
			maps.Copy(have, l.sequence(n.Default, before))
		case *config.Sink:
			o := l.sinks[n]
			if o.sink == nil {
				continue
			}
			at := place(func(summary, detail string) config.Diagnostic { return l.tree.At(n.Args, "path", summary, detail) })
			for _, name := range o.sink.Labels() {
				l.want(name, have, at, "the path of sink "+o.Name+" names a label that nothing sets")
			}
		}
	}
	return have
}

// want reports a label that no step before can set.
func (l *labelCheck) want(name string, have map[string]bool, at place, summary string) {
	if have[name] || have["*"] {
		return
	}
	names := slices.Sorted(maps.Keys(have))
	detail := fmt.Sprintf("want a label that a step before it sets, have %q; none does", name)
	if len(names) > 0 {
		detail = fmt.Sprintf("want one of %s, have %q", strings.Join(names, ", "), name)
	}
	d := at(summary, detail)
	d.Suggestion = config.Nearest(name, names)
	l.diags = append(l.diags, d)
}
