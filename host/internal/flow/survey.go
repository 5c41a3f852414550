package flow

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Survey ends a branch. It sends every record to the first worker of every step, all steps in parallel, and reports
// their outcomes. It passes nothing on.
type Survey struct {
	Name    string
	Steps   []*Step
	Observe func(record *wire.Record, outcomes []wire.Outcome) // in order; outcomes by step, without emitted records
}

// survey wires a Survey.
func (e *engine) survey(s *Survey, in <-chan *batch) error {
	for _, step := range s.Steps {
		if err := step.prepare(true); err != nil {
			return fmt.Errorf("survey %s: %w", s.Name, err)
		}
	}
	e.group.Go(func() error {
		return forEach(e.ctx, in, func(b *batch) error {
			defer b.chunk.release()
			defer wire.ReleaseAll(b.records)
			if len(b.records) == 0 {
				return nil
			}
			if err := s.call(e.ctx, b.records); err != nil {
				return err
			}
			e.plan.Account.wrote(len(b.records))
			return nil
		})
	})
	return nil
}

func (s *Survey) call(ctx context.Context, records []wire.Record) error {
	outcomes := make([]wire.Outcome, len(records)*len(s.Steps))
	g, ctx := errgroup.WithContext(ctx)
	for n, step := range s.Steps {
		g.Go(func() error {
			at := n
			return step.process(ctx, onlySlot, records, func(_ []wire.Record, a wire.Answer) error {
				for _, o := range a.Outcomes {
					wire.ReleaseAll(o.Emitted)
					o.Emitted = nil
					outcomes[at] = o
					at += len(s.Steps)
				}
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range records {
		s.Observe(&records[i], outcomes[i*len(s.Steps):][:len(s.Steps)])
	}
	return nil
}
