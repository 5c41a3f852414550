package host

import (
	"context"
	"errors"
	"slices"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Session runs one pipeline several times, each time on other inputs, see Options.Inputs and Options.Root. Its plugins keep
// running from run to run, unless one of them keeps state from record to record or a run has failed: then the next run starts
// them anew.
type Session struct {
	pipeline *Pipeline
	fleet    *launch.Fleet          // nil before the first run, and after one that nothing may go on from
	warnings Diagnostics            // about the file
	steps    map[string]SessionStep // of the last run, by TYPE.NAME
}

// SessionStep is a step as it ran.
type SessionStep struct {
	Args  []byte            // a JSON object
	Codes map[string]string // of rejects, as its plugin declares them
	Takes []wire.Arg        // its attributes
}

// Session returns a session of a pipeline that was loaded with Inputs. The caller closes it.
func (p *Pipeline) Session() *Session { return &Session{pipeline: p} }

// Run runs the pipeline once, as Pipeline.Run does.
func (s *Session) Run(ctx context.Context, inputs map[string][]string, root string) (*Result, error) {
	p := *s.pipeline
	p.opts.Inputs, p.opts.Root = inputs, root
	r := p.newRun(nil)
	var diags Diagnostics
	r.plan, diags = p.plan(r.id)
	result, err := s.do(ctx, r, diags)
	return result, p.hide(errors.Join(err, r.plan.Abort()))
}

func (s *Session) do(ctx context.Context, r *run, diags Diagnostics) (_ *Result, err error) {
	if s.fleet == nil || len(diags) > 0 {
		if err := r.begin(ctx, diags); err != nil {
			return nil, err
		}
		s.fleet, s.warnings = r.fleet, r.warnings
	} else if err := r.plan.Open(ctx); err != nil {
		return nil, err
	}
	r.fleet, r.warnings = s.fleet, s.warnings
	s.steps = map[string]SessionStep{}
	for i, step := range r.plan.Steps {
		s.steps[step.Label()] = SessionStep{s.fleet.Steps[i].Args, s.fleet.Steps[i].Info.Codes, s.fleet.Steps[i].Info.Args}
	}
	if err := r.flow(ctx); err != nil {
		s.fleet.Abort()
		s.fleet = nil
		return nil, err
	}
	if slices.ContainsFunc(s.fleet.Steps, func(m *launch.Step) bool { return m.Info.Ordered }) {
		if err := s.Close(ctx); err != nil {
			return nil, err
		}
	}
	return r.end()
}

// Step returns a step of the last run, by TYPE.NAME.
func (s *Session) Step(name string) SessionStep { return s.steps[name] }

// Close ends the plugins, and returns the error of one that could not end as it should.
func (s *Session) Close(ctx context.Context) error {
	if s.fleet == nil {
		return nil
	}
	fleet := s.fleet
	s.fleet = nil
	defer fleet.Abort()
	return s.pipeline.hide(fleet.Close(ctx))
}
