package flow

import (
	"context"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A finisher is called once more after the last record, for what steps still hold and for their summaries.
type finisher interface {
	finish(ctx context.Context, emit func(section) error) error
}

// finishersOf returns what a node calls after the last record.
func finishersOf(n Node) (all []finisher) {
	switch n := n.(type) {
	case *Step:
		if n.Finish {
			return []finisher{n}
		}
	case *Shadow:
		if n.Current.Finish || n.Candidate.Finish {
			return []finisher{n}
		}
	case *First:
		for _, m := range n.Members {
			all = append(all, finishersOf(m)...)
		}
	}
	return all
}

func (s *Step) finish(ctx context.Context, emit func(section) error) error {
	return s.process(ctx, onlySlot, nil, func(_ []wire.Record, a wire.Answer) error {
		return emit(section{made: a.Made, sides: s.sideRows(nil, a.Sides)})
	})
}

// finish calls the candidate first, as for every batch, and compares what the current step emits with what it has emitted.
func (s *Shadow) finish(ctx context.Context, emit func(section) error) error {
	words, why, err := s.finishCandidate(ctx)
	if err != nil {
		return err
	}
	var rows sideTexts
	if s.Current.Finish {
		err := s.Current.process(ctx, onlySlot, nil, func(_ []wire.Record, a wire.Answer) error {
			rows = s.addRows(rows, a.Sides)
			return emit(section{made: a.Made, sides: s.Current.sideRows(nil, a.Sides), comparisons: []comparison{s.compareLast(a.Made, words, why)}})
		})
		if err != nil {
			return err
		}
	}
	return emit(section{comparisons: []comparison{s.compareLeft(words, rows, why)}})
}

// finishCandidate returns what the candidate emits after the last record, or why it could not.
func (s *Shadow) finishCandidate(ctx context.Context) (*lastWords, string, error) {
	words := &lastWords{at: map[wire.Pos][]int{}}
	if !s.Candidate.Finish || s.Differences.over.Load() {
		return words, "", nil
	}
	err := s.Candidate.process(ctx, onlySlot, nil, func(_ []wire.Record, a wire.Answer) error {
		for _, r := range a.Made {
			words.add(r)
		}
		words.rows = s.addRows(words.rows, a.Sides)
		wire.ReleaseAll(a.Made)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		return words, err.Error(), nil
	}
	return words, "", nil
}

// lastWords are what a candidate has emitted after the last record, as far as nothing was compared with it yet. They are copies, since the
// candidate could wait for memory that they occupy.
type lastWords struct {
	records []wire.Record
	at      map[wire.Pos][]int // the records of a place, in order
	rows    sideTexts
}

func (l *lastWords) add(r wire.Record) {
	place := wire.Pos{File: r.File, Line: r.Line}
	l.at[place] = append(l.at[place], len(l.records))
	r.Data, r.Mem = slices.Clone(r.Data), nil
	l.records = append(l.records, r)
}

// take returns the next record of a place; it has no bytes when there is none.
func (l *lastWords) take(r *wire.Record) (taken wire.Record) {
	place := wire.Pos{File: r.File, Line: r.Line}
	if at := l.at[place]; len(at) > 0 {
		taken, l.at[place] = l.records[at[0]], at[1:]
		l.records[at[0]].Data = nil
	}
	return taken
}

// lastWord is the result of a step that has emitted a record after the last one, or has none there.
func lastWord(r *wire.Record) result {
	if r.Data == nil {
		return result{verdict: "emitted"}
	}
	return result{verdict: "emitted", records: [][]byte{r.Data}, labels: [][]wire.Label{r.Labels}}
}

// compareLast compares records of the current step with those of the candidate that begin at the same place.
func (s *Shadow) compareLast(made []wire.Record, words *lastWords, why string) comparison {
	c := comparison{shadow: s, in: slices.Clone(made), why: why}
	if why != "" || s.Differences.over.Load() {
		return c
	}
	c.n = len(made)
	for i := range made {
		other := words.take(&made[i])
		c.add(i, lastWord(&made[i]), lastWord(&other))
	}
	return c
}

// compareLeft compares the records of the candidate that the current step has none for, and the side rows of both, which count as a
// record without a place.
func (s *Shadow) compareLeft(words *lastWords, rows sideTexts, why string) comparison {
	c := comparison{shadow: s, why: why, ends: true}
	if why != "" || s.Differences.over.Load() {
		return c
	}
	add := func(r wire.Record, current, candidate result) {
		c.in = append(c.in, r)
		c.add(c.n, current, candidate)
		c.n++
	}
	for _, r := range words.records {
		if r.Data != nil {
			add(r, result{verdict: "emitted"}, lastWord(&r))
		}
	}
	if len(rows)+len(words.rows) > 0 {
		add(wire.Record{}, result{verdict: "emitted", rows: rows}, result{verdict: "emitted", rows: words.rows})
	}
	return c
}
