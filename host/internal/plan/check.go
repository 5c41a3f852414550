package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// CheckPlugins checks the file against the declarations of its plugins: outputs and labels that nothing writes are mistakes,
// and what has no effect is a warning.
func (p *Plan) CheckPlugins(fleet *launch.Fleet) (diags config.Diagnostics) {
	infos, sets := map[*config.Step]wire.Info{}, map[*config.Step]map[string][]string{}
	for i, step := range p.Steps {
		running := fleet.Steps[i]
		infos[step.Step], sets[step.Step] = running.Info, running.LabelValues
		if running.Info.Name == "" { // its description is not known, because of a mistake
			infos[step.Step] = wire.Info{Labels: []string{"*"}}
			continue
		}
		diags = append(diags, p.checkOutputs(step, running.Info.Outputs)...)
		diags = append(diags, p.checkCrashes(step, running.Info.Ordered)...)
		if hidden := running.Location.Hides; hidden != "" {
			what := "the built-in one"
			if !running.Location.BuiltIn {
				what = running.Location.Path
			}
			diags = append(diags, p.tree.AtRange(step.Range, fmt.Sprintf("plugin %q is %s", step.Type, what),
				hidden+" is not used; to use it, name its path in a plugin block").AsWarning())
		}
	}
	diags = append(diags, p.checkRead(fleet)...)
	diags = append(diags, p.checkRepeated()...)
	if p.tree.Incomplete { // a block that is missing may be the one that is asked for
		return diags
	}
	diags = append(diags, p.checkPart(fleet)...)
	diags = append(diags, p.checkStored(fleet)...)
	diags = append(diags, p.checkShared(fleet)...)
	diags = append(diags, p.checkFiltered(fleet)...)
	diags = append(diags, p.checkHidden(infos)...)
	diags = append(diags, p.checkCrossed()...)
	l := labelCheck{Plan: p, infos: infos, sets: sets}
	l.sequence(p.tree.Body, labels{})
	return append(diags, l.diags...)
}

// checkCrashes warns of what a host block says about crashes without effect.
func (p *Plan) checkCrashes(step *Step, ordered bool) (diags config.Diagnostics) {
	why := ""
	switch {
	case ordered && step.Candidate:
		why = "plugin " + step.Type + " keeps state from record to record, so a crash of it ends the comparison"
	case ordered:
		why = "plugin " + step.Type + " keeps state from record to record, so a crash of it ends the run"
	case !step.restarts():
		why = fmt.Sprintf("with on_crash = %q a crash ends the run", config.CrashFails)
	default:
		return nil
	}
	if ordered && step.Host.Wrote("on_crash") && step.Host.OnCrash == config.CrashIsolates {
		diags = append(diags, p.tree.AtHost(step.Step, "on_crash", fmt.Sprintf("on_crash = %q has no effect here", config.CrashIsolates), why).AsWarning())
	}
	if step.Host.Wrote("restarts") {
		diags = append(diags, p.tree.AtHost(step.Step, "restarts", "restarts has no effect here", why).AsWarning())
	}
	return diags
}

// checkShared reports the attributes of firsts that no member takes.
func (p *Plan) checkShared(fleet *launch.Fleet) (diags config.Diagnostics) {
	for _, f := range p.Firsts {
		known := []string{"report"}
		for i, step := range p.Steps {
			if !slices.ContainsFunc(f.Members, func(n config.Node) bool { return config.Has(n, step.Step) }) {
				continue
			}
			for _, a := range fleet.Steps[i].Info.Args {
				if !strings.Contains(a.Name, ".") && !slices.Contains(known, a.Name) {
					known = append(known, a.Name)
				}
			}
		}
		for _, name := range f.Shared.Names() {
			if slices.Contains(known, name) {
				continue
			}
			d := p.tree.At(f.Shared, name, fmt.Sprintf("no step of first %q takes %s", f.Name, name), "want "+config.OneOf(known))
			switch block := config.AsBlock("first", name); {
			case block != "":
				d.Detail = block
			case config.HostTakes(name):
				d.Detail = fmt.Sprintf("want it in the block host of each step: host { %s = ... }", name)
			default:
				d.Suggestion = nearest.Word(name, known)
			}
			diags = append(diags, d)
		}
	}
	return diags
}

// checkFiltered warns of sinks and reports of shadows that get values unfiltered in a file that makes text for training. Whether a plugin
// that is not built in filters is known only when it has run, so one that hides rejects, as a filter does, is left to Unfiltered.
func (p *Plan) checkFiltered(fleet *launch.Fleet) (diags config.Diagnostics) {
	var filters []string
	for i, step := range p.Steps {
		running := fleet.Steps[i]
		step.private = running.Info.Private
		known := running.Location.BuiltIn && p.opts.Facts != nil && p.opts.Facts(running.Location.Name, running.Args)[receipt.FactRules] != ""
		if !step.Candidate && (known || !running.Location.BuiltIn && step.private) {
			filters = append(filters, step.Label())
		}
		p.trains = p.trains || running.Location.BuiltIn && slices.Contains(p.opts.Training, running.Location.Name)
	}
	if bare := p.Unfiltered(filters); len(bare) > 0 {
		what := "sink " + bare[0].Name
		if n := len(bare) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more", n)
		}
		diags = append(diags, p.tree.AtRange(bare[0].config.Range, "no privacy step before "+what,
			`rows there may hold personal data and secrets; put a step "privacy" before them, or say unfiltered = true in the sink if that is meant`).AsWarning())
	}
	for _, c := range p.Shadows {
		if p.trains && c.Values && !c.Unfiltered && !showsFiltered([]*Step{p.steps[c.Current], p.steps[c.Candidate]}, filters) {
			diags = append(diags, p.tree.AtRange(c.Range, "no privacy step before shadow "+c.Name+", whose report shows values",
				`they may be personal data and secrets; put a step "privacy" before it, or say unfiltered = true in it if that is meant`).AsWarning())
		}
	}
	return diags
}

// Unfiltered returns the sinks whose rows did not all go through one of some steps, in a file that makes text for training, without those
// of which the file says that this is meant, and without the dead letter. It is called after CheckPlugins.
func (p *Plan) Unfiltered(filters []string) (bare []*Sink) {
	for _, sink := range p.Sinks {
		switch {
		case !p.trains, sink.config == nil, sink.bare, sink.Side == receipt.DeadLetter:
		case sink.of == nil && receipt.Through(sink.After, filters), sink.of != nil && showsFiltered(sink.of, filters):
		default:
			bare = append(bare, sink)
		}
	}
	return bare
}

// showsFiltered reports whether what a step writes beside the stream, or a shadow of two, is filtered: all its records went through a filter,
// or it is one, whose ledger has no value. A shadow shows no record of a step that is private.
func showsFiltered(of []*Step, filters []string) bool {
	return slices.ContainsFunc(of, func(step *Step) bool {
		return receipt.Through(step.after, filters) || slices.Contains(filters, step.Label()) || len(of) > 1 && step.private
	})
}

// checkHidden warns of members of a first that no record reaches, since one before them declines none.
func (p *Plan) checkHidden(infos map[*config.Step]wire.Info) (diags config.Diagnostics) {
	for _, f := range p.Firsts {
		for i, m := range f.Members[:max(len(f.Members)-1, 0)] { // a first with mistakes may have none
			taker, next := p.current(m), p.current(f.Members[i+1])
			if !infos[taker.Step].TakesAll {
				continue
			}
			what := "step " + next.Label()
			if n := len(f.Members) - i - 2; n > 0 {
				what += fmt.Sprintf(" and %d more", n)
			}
			diags = append(diags, p.tree.AtRange(next.Range, fmt.Sprintf("no record reaches %s of first %s", what, f.Name),
				fmt.Sprintf("step %s above takes every record; move it below the block, or make it the last step in it", taker.Label())).AsWarning())
			break
		}
	}
	return diags
}

func (p *Plan) checkOutputs(step *Step, declared []string) (diags config.Diagnostics) {
	for _, o := range step.Outputs {
		if slices.Contains(declared, o.Name) {
			continue
		}
		wanted := "plugin " + step.Type + " has no outputs"
		if len(declared) > 0 {
			wanted = "want " + config.OneOf(declared)
		}
		d := p.tree.AtRange(o.Range, fmt.Sprintf("unknown output %q of step %q %q", o.Name, step.Type, step.Name), wanted)
		d.Suggestion = nearest.Word(o.Name, declared)
		diags = append(diags, d)
	}
	return diags
}
