package flow

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Poll ends a way. It asks the first worker of every step about every record, all steps side by side, and tells what
// they said. Nothing of that goes on to anywhere.
type Survey struct {
	Name    string
	Steps   []*Step
	Observe func(record *wire.Record, outcomes []wire.Outcome) // in order; outcomes by step, emitted records are gone
}

// poll wires a Poll.
func (e *engine) survey(p *Survey, in <-chan *batch) error {
	for _, s := range p.Steps {
		if err := s.prepare(true); err != nil {
			return fmt.Errorf("poll %s: %w", p.Name, err)
		}
	}
	e.group.Go(func() error {
		return forEach(e.ctx, in, func(f *batch) error {
			defer f.chunk.release()
			defer wire.ReleaseAll(f.records)
			if len(f.records) == 0 {
				return nil
			}
			if err := p.call(e.ctx, f.records); err != nil {
				return err
			}
			e.plan.Account.wrote(len(f.records))
			return nil
		})
	})
	return nil
}

func (p *Survey) call(ctx context.Context, records []wire.Record) error {
	said := make([]wire.Outcome, len(records)*len(p.Steps))
	g, ctx := errgroup.WithContext(ctx)
	for n, s := range p.Steps {
		g.Go(func() error {
			at := n
			return s.process(ctx, slot{0, alreadyOldest}, records, func(_ []wire.Record, a wire.Answer) error {
				for _, o := range a.Outcomes {
					wire.ReleaseAll(o.Emitted)
					o.Emitted = nil
					said[at] = o
					at += len(p.Steps)
				}
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range records {
		p.Observe(&records[i], said[i*len(p.Steps):][:len(p.Steps)])
	}
	return nil
}
