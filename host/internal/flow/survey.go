package flow

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A Sighting is a record with what each step said of it. Fault is why the source could not read it; then no step saw it.
type Sighting struct {
	Record   *batch.Record
	Fault    *batch.Fault
	Outcomes []batch.Outcome // by step; emitted records are gone
}

// Survey gives every record of the sources to the first worker of every step, and tells of each in order. Nothing goes
// on to anywhere.
func Survey(ctx context.Context, sources []Origin, steps []*Step, tell func(Sighting)) error {
	for _, s := range steps {
		s.inFirst = true
	}
	ord := uint64(0)
	for _, src := range sources {
		for {
			chunk, err := src.Source.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for i := range chunk.Records {
				chunk.Records[i].Ord = ord
				ord++
			}
			err = surveyChunk(ctx, chunk, steps, tell)
			batch.ReleaseAll(chunk.Records)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func surveyChunk(ctx context.Context, chunk batch.Chunk, steps []*Step, tell func(Sighting)) error {
	records := make([]batch.Record, 0, len(chunk.Records))
	for i, r := range chunk.Records {
		if chunk.Faults == nil || chunk.Faults[i] == nil {
			records = append(records, r)
		}
	}
	said := make([][]batch.Outcome, len(records))
	for i := range said {
		said[i] = make([]batch.Outcome, len(steps))
	}
	g, ctx := errgroup.WithContext(ctx)
	for n, s := range steps {
		if len(records) == 0 {
			break
		}
		at := 0
		g.Go(func() error {
			return s.process(ctx, 0, records, func(_ []batch.Record, a batch.Answer) error {
				for i, o := range a.Outcomes {
					batch.ReleaseAll(o.Emitted)
					o.Emitted = nil
					said[at+i][n] = o
				}
				at += len(a.Outcomes)
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range chunk.Records {
		r := &chunk.Records[i]
		if chunk.Faults != nil && chunk.Faults[i] != nil {
			tell(Sighting{Record: r, Fault: chunk.Faults[i]})
			continue
		}
		tell(Sighting{Record: r, Outcomes: said[0]})
		said = said[1:]
	}
	return nil
}
