package flow

import (
	"context"

	"github.com/sluicehq/sluice/sdk/wire"
)

// finishersOf returns the steps of a node with Finish, in order. The candidate of a shadow is left out: there is nothing
// to compare its summary with.
func finishersOf(n Node) []*Step {
	switch n := n.(type) {
	case *Step:
		if n.Finish {
			return []*Step{n}
		}
	case *Shadow:
		return finishersOf(n.Current)
	case *First:
		var all []*Step
		for _, m := range n.Members {
			all = append(all, finishersOf(m)...)
		}
		return all
	}
	return nil
}

// finish asks the step for its summary once every record of the run has arrived: rows and counts that belong to no record.
func (s *Step) finish(ctx context.Context) error {
	return s.process(ctx, onlySlot, nil, func(_ []wire.Record, a wire.Answer) error {
		return writeSides(s.sideRows(nil, a.Sides))
	})
}
