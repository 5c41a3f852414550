package host

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/tracer"
	"github.com/sluicehq/sluice/host/trace"
)

// Explain sends records through the pipeline, each by itself, and returns what every place did with them. Everything is
// written into a temporary folder. With an error the trace says how far the records came, and may be nil.
func (p *Pipeline) Explain(ctx context.Context, selection trace.Selection) (*trace.Trace, error) {
	dir, err := os.MkdirTemp("", "sluice-explain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	t := tracer.New(p.tree, selection, p.opts.MaskName)
	r := &run{Pipeline: p, began: time.Now()}
	var diags Diagnostics
	r.plan, diags = plan.New(p.tree, plan.Options{
		Run: "explain0", NoReceipt: true, Stdin: p.opts.Stdin, Mask: p.opts.MaskName, Root: dir, Inputs: tracer.Inputs(p.tree, selection),
		Trace: &plan.Trace{Step: t.Step, Route: t.Route, Written: t.Written},
	})
	err = r.explain(ctx, diags, t)
	x := t.Trace()
	p.hideIn(x)
	return x, p.hide(errors.Join(err, r.plan.Abort()))
}

// hideIn hides sensitive values in what a trace says about records, as a receipt does. The records themselves stay as they are: only
// these have what somebody looks for.
func (p *Pipeline) hideIn(x *trace.Trace) {
	for _, r := range x.Records {
		for i := range r.Visits {
			p.hideVisit(&r.Visits[i])
		}
	}
	for i := range x.Final {
		p.hideVisit(&x.Final[i])
	}
}

// hideVisit replaces what it changes: visits of several records share it.
func (p *Pipeline) hideVisit(v *trace.Visit) {
	hide := p.secrets.Replace
	v.File, v.Branch, v.Code, v.Path, v.Message = p.opts.MaskName(v.File), hide(v.Branch), hide(v.Code), hide(v.Path), hide(v.Message)
	v.Within = slices.Clone(v.Within)
	for i := range v.Within {
		v.Within[i] = hide(v.Within[i])
	}
	v.In.Labels = hidden(v.In.Labels, hide)
	v.Out = slices.Clone(v.Out)
	for i := range v.Out {
		v.Out[i].Labels = hidden(v.Out[i].Labels, hide)
	}
	counts := v.Counts
	v.Counts = nil
	for name, n := range counts {
		if v.Counts == nil {
			v.Counts = map[string]int64{}
		}
		v.Counts[hide(name)] += n
	}
}

func hidden(labels map[string]string, hide func(string) string) map[string]string {
	var all map[string]string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if all == nil {
			all = map[string]string{}
		}
		all[hide(name)] = hide(labels[name])
	}
	return all
}

func (r *run) explain(ctx context.Context, diags Diagnostics, t *tracer.Tracer) (err error) {
	if err := r.begin(ctx, diags); err != nil {
		return err
	}
	defer r.fleet.Abort()
	for i, step := range r.plan.Steps {
		t.Describe(step, r.fleet.Steps[i].Info)
	}
	p := r.plan.Flow(r.fleet)
	p.Sources = t.Sources(p.Sources, r.fleet.Source)
	if err := flow.Run(ctx, p); err != nil {
		return err
	}
	return errors.Join(t.Missing(), r.fleet.Close(ctx))
}

// DeadLetter returns the paths of what the last run of the pipeline has rejected and of its receipt: those of a finished run, or of one that has
// failed for too many rejects, if that is newer. There may be nothing at them. The error is of type Diagnostics when the file has mistakes.
func (p *Pipeline) DeadLetter() (path, receipt string, err error) {
	pl, diags := p.plan("rejects0")
	if err := pl.Abort(); err != nil {
		return "", "", err
	}
	if diags.HasErrors() {
		return "", "", diags
	}
	path, receipt = pl.DeadLetter(), pl.ReceiptPath()
	if failed := output.FailedPath(path); written(failed).After(written(path)) {
		return failed, output.FailedPath(receipt), nil
	}
	return path, receipt, nil
}

// written returns when a file was, the zero time when there is none.
func written(path string) (at time.Time) {
	if info, err := places.Stat(path); err == nil {
		at = info.ModTime()
	}
	return at
}
