package host

import (
	"fmt"
	"math"

	"github.com/sluicehq/sluice/host/internal/flow"
)

// A Ranking is what each step of a first took, so that it shows which of them can go. A record is a step's when the step
// did not decline it, whatever came of it then.
type Ranking struct {
	First    string   `json:"first"`
	Records  int64    `json:"records"`  // that came
	Declined int64    `json:"declined"` // by all of its steps
	Steps    []Ranked `json:"steps"`    // as they stand in the file
	Path     string   `json:"-"`        // of the report, empty when there is none
}

// A Ranked is one step of a first.
type Ranked struct {
	Step       string         `json:"step"`
	Rows       int64          `json:"rows"`     // records it did not decline
	Rejected   int64          `json:"rejected"` // of them
	Share      float64        `json:"share"`    // of the records that came, 0 to 1
	First      *flow.Position `json:"first"`
	Last       *flow.Position `json:"last"`
	Deprecated string         `json:"deprecated,omitempty"`
	CanGo      bool           `json:"can_go"` // no record needed it
}

// rankings are those of every first, in the order of the file.
func (pl *plan) rankings() []Ranking {
	var all []Ranking
	for _, f := range pl.firsts {
		x := Ranking{First: f.Name, Path: f.Report, Records: pl.stepOf[f.Steps[0]].account.Snapshot().In}
		x.Declined = x.Records
		for _, c := range f.Steps {
			s := pl.stepOf[c]
			taken := s.account.Snapshot()
			r := Ranked{
				Step: s.name(), Rows: taken.Taken.Records, Share: share(taken.Taken.Records, x.Records),
				Deprecated: c.Deprecated, CanGo: taken.Taken.Records == 0,
			}
			for _, n := range taken.Rejected {
				r.Rejected += n
			}
			r.First, r.Last = taken.Taken.Ends()
			x.Declined -= r.Rows
			x.Steps = append(x.Steps, r)
		}
		all = append(all, x)
	}
	return all
}

// writeRankings writes the reports that the file asks for.
func writeRankings(all []Ranking) error {
	for _, x := range all {
		if x.Path == "" {
			continue
		}
		if err := writeJSON(x.Path, x); err != nil {
			return fmt.Errorf("report of first %s: %w", x.First, err)
		}
	}
	return nil
}

// share is a part of a whole, to a millionth.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1e6) / 1e6
}
