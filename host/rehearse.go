package host

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
)

// A Rehearsal runs one pipeline on one input after the other, see Options.Inputs and Options.Root. Its plugins go on from run
// to run, unless one of them keeps state from record to record or a run has failed: then the next run starts them anew.
type Rehearsal struct {
	pipeline *Pipeline
	fleet    *launch.Fleet        // nil before the first run, and after one that nothing may go on from
	warnings Diagnostics          // about the file
	steps    map[string]rehearsed // of the last run, by TYPE.NAME
}

// rehearsed is a step as it ran.
type rehearsed struct {
	args  []byte            // a JSON object
	codes map[string]string // that its plugin declares
}

// Rehearse makes a rehearsal of a pipeline that was loaded with Inputs. The caller closes it.
func (p *Pipeline) Rehearse() *Rehearsal { return &Rehearsal{pipeline: p} }

// Run is one run as Pipeline.Run makes it.
func (h *Rehearsal) Run(ctx context.Context, inputs map[string][]string, root string) (*Result, error) {
	p := *h.pipeline
	p.opts.Inputs, p.opts.Root = inputs, root
	r := &run{Pipeline: &p, began: time.Now(), id: rand.Text()}
	var diags Diagnostics
	r.plan, diags = p.plan(r.id)
	result, err := h.do(ctx, r, diags)
	return result, p.hide(errors.Join(err, r.plan.Abort()))
}

func (h *Rehearsal) do(ctx context.Context, r *run, diags Diagnostics) (_ *Result, err error) {
	if len(diags) == 0 {
		if err := r.plan.Open(ctx); err != nil {
			return nil, err
		}
	}
	if h.fleet == nil || len(diags) > 0 {
		if h.fleet, h.warnings, err = r.start(ctx, r.plan, diags); err != nil {
			return nil, err
		}
	}
	r.fleet, r.warnings = h.fleet, h.warnings
	h.steps = map[string]rehearsed{}
	for i, u := range r.plan.Uses {
		h.steps[u.Label()] = rehearsed{u.Args.JSON, h.fleet.Steps[i].Info.Codes}
	}
	if err := r.flow(ctx); err != nil {
		h.fleet.Abort()
		h.fleet = nil
		return nil, err
	}
	if slices.ContainsFunc(h.fleet.Steps, func(m *launch.Step) bool { return m.Info.Ordered }) {
		if err := h.Close(ctx); err != nil {
			return nil, err
		}
	}
	return r.end()
}

// Close closes the plugins. The error is that of one which could not do so.
func (h *Rehearsal) Close(ctx context.Context) error {
	if h.fleet == nil {
		return nil
	}
	fleet := h.fleet
	h.fleet = nil
	defer fleet.Abort()
	return h.pipeline.hide(fleet.Close(ctx))
}
