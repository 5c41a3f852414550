package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// diagnose returns the problems of steps as diagnostics with their positions in the file.
func (p *Pipeline) diagnose(pl *plan.Plan, fleet *launch.Fleet, problems []launch.Problem) (diags Diagnostics) {
	for _, x := range problems {
		step := pl.Steps[x.Request].Step
		_, untrusted := errors.AsType[*launch.Untrusted](x.Cause)
		if step.Doubted || untrusted { // what is found may not be the program that was meant
			continue
		}
		what := fmt.Sprintf("step %s.%s", step.Type, step.Name)
		if missing, ok := errors.AsType[*launch.NotFound](x.Cause); ok {
			d := p.tree.AtRange(step.Range, fmt.Sprintf("unknown plugin %q", missing.Name), "looked for "+strings.Join(missing.Searched, ", "))
			d.Suggestion = nearest.Word(missing.Name, missing.Known)
			diags = append(diags, d)
			continue
		}
		switch {
		case x.Attr == "":
			diags = append(diags, p.tree.At(step.Args, "", what+" cannot start", x.Message))
		case x.Host:
			diags = append(diags, p.tree.AtHost(step, x.Attr, what+": bad host attribute "+x.Attr, x.Message))
		case config.HostTakes(x.Attr) && !fleet.Steps[x.Request].Info.Takes(x.Attr):
			diags = append(diags, p.tree.At(step.Args, x.Attr, what+": bad attribute "+x.Attr,
				fmt.Sprintf("want it in the block host of the step: host { %s = ... }", x.Attr)))
		case config.AsBlock("step", x.Attr) != "" && !fleet.Steps[x.Request].Info.Takes(x.Attr):
			diags = append(diags, p.tree.At(step.Args, x.Attr, what+": bad attribute "+x.Attr, config.AsBlock("step", x.Attr)))
		default:
			docs := step.Type
			if _, pinned := p.tree.Plugins[docs]; pinned {
				docs += " --pipeline " + p.tree.Path
			}
			d := p.tree.AtArg(step, x.Attr, "", x.Message).OfAttribute(what, x.Attr).SeeDocs(docs)
			if !slices.ContainsFunc(diags, d.Repeats) {
				diags = append(diags, d)
			}
		}
	}
	return diags
}
