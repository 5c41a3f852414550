package flow

import (
	"context"

	"github.com/sluicehq/sluice/sdk/wire"
)

// finishing are the steps of a node that have a last word, in their order. The candidate of a shadow has none: nothing is
// there to compare it with.
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

// lastWord takes in what the step has to say when every record of the run has arrived: rows and counts of no record.
func (s *Step) finish(ctx context.Context) error {
	return s.process(ctx, slot{0, alreadyOldest}, nil, func(_ []wire.Record, a wire.Answer) error {
		return writeSides(s.sideRows(nil, a.Sides))
	})
}
