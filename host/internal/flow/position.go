package flow

import (
	"fmt"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Position is a record's place in the input. Lines count from 1.
type Position struct {
	File string `json:"file"`
	Line int64  `json:"line"`
	ord  uint64
}

// String returns FILE:LINE.
func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func positionOf(r *wire.Record) Position { return Position{r.File, r.Line, r.Ord} }

// rangeText describes the place of records, as in "in.jsonl:1 to in.jsonl:20".
func rangeText(records []wire.Record) string {
	first, last := positionOf(&records[0]), positionOf(&records[len(records)-1])
	if first == last {
		return first.String()
	}
	return first.String() + " to " + last.String()
}

// A Range counts records and holds the first and the last of them in the input.
type Range struct {
	Records     int64
	First, Last Position
}

func (s *Range) add(r *wire.Record) {
	s.Records++
	if s.Records == 1 || r.Ord < s.First.ord {
		s.First = positionOf(r)
	}
	if s.Records == 1 || r.Ord > s.Last.ord {
		s.Last = positionOf(r)
	}
}

// Ends returns the first and the last, nil when there are none.
func (s Range) Ends() (first, last *Position) {
	if s.Records == 0 {
		return nil, nil
	}
	return &s.First, &s.Last
}
