package flow

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A Position is where a record stands in the input. Lines count from 1.
type Position struct {
	File string `json:"file"`
	Line int64  `json:"line"`
	ord  uint64
}

func positionOf(r *batch.Record) Position { return Position{r.File, r.Line, r.Ord} }

func inInput(a, b Position) int { return cmp.Compare(a.ord, b.ord) }

// A Span is how many records came, and which of them are the first and the last in the input.
type Span struct {
	Records     int64
	First, Last Position
}

func (s *Span) add(r *batch.Record) {
	s.Records++
	if s.Records == 1 || r.Ord < s.First.ord {
		s.First = positionOf(r)
	}
	if s.Records == 1 || r.Ord > s.Last.ord {
		s.Last = positionOf(r)
	}
}

// Ends are the first and the last, nil when there are none.
func (s Span) Ends() (first, last *Position) {
	if s.Records == 0 {
		return nil, nil
	}
	return &s.First, &s.Last
}
