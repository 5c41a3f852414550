package flow

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sluicehq/sluice/sdk/batch"
)

// A Shadow runs two steps on the same records. What Current makes of them goes on; what Candidate makes of them is
// compared with it, record by record, and let go. Both have the same number of stages.
type Shadow struct {
	Name               string
	Current, Candidate *Step
	Limit              int64  // most differing records before the run fails; negative: any number
	Report             string // where the differences will be told
	Differences        *Differences
}

func (*Shadow) node() {}

// Differences are what a Shadow found.
type Differences struct {
	mu      sync.Mutex
	records int64
	differ  int64
	kinds   map[Difference]*Found
}

// A Difference is one way in which two records differ. Path is a gjson path with # for every array index, or empty when
// the outcomes differ, and a key that looks like data rather than a name stands as *.
type Difference struct {
	Path      string `json:"path"`
	Current   string `json:"current"`   // what is there: a type, or a verdict with its code
	Candidate string `json:"candidate"` // likewise
}

// Found is how often a difference was found, and where first. Values are not shown.
type Found struct {
	Difference
	Records  int64      `json:"records"`
	Examples []Position `json:"examples"` // the first few in the input
}

// maxExamples is how many places of a difference are kept.
const maxExamples = 5

// A Comparison is Differences as they stand, the most frequent first.
type Comparison struct {
	Records     int64   `json:"records"`
	Differing   int64   `json:"differing"`
	Differences []Found `json:"differences"`
}

// Snapshot is what was found so far.
func (d *Differences) Snapshot() Comparison {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := Comparison{Records: d.records, Differing: d.differ, Differences: []Found{}}
	for _, f := range d.kinds {
		found := *f
		found.Examples = slices.SortedFunc(slices.Values(f.Examples), inInput)
		found.Examples = found.Examples[:min(len(found.Examples), maxExamples)]
		c.Differences = append(c.Differences, found)
	}
	slices.SortFunc(c.Differences, func(a, b Found) int {
		if a.Records != b.Records {
			return int(b.Records - a.Records)
		}
		return slices.Compare([]string{a.Path, a.Current, a.Candidate}, []string{b.Path, b.Current, b.Candidate})
	})
	return c
}

// note takes in what is different about one record, and tells how many records differ.
func (d *Differences) note(r *batch.Record, found []Difference) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records++
	if len(found) == 0 {
		return d.differ
	}
	d.differ++
	if d.kinds == nil {
		d.kinds = map[Difference]*Found{}
	}
	for _, x := range found {
		f := d.kinds[x]
		if f == nil {
			f = &Found{Difference: x}
			d.kinds[x] = f
		}
		f.Records++
		// With several workers the first to come need not be the first in the file: keep the smallest.
		f.Examples = append(f.Examples, positionOf(r))
		if len(f.Examples) > 4*maxExamples {
			slices.SortFunc(f.Examples, inInput)
			f.Examples = f.Examples[:maxExamples]
		}
	}
	return d.differ
}

// shadow wires a Shadow.
func (e *engine) shadow(s *Shadow, in <-chan *flight) <-chan *flight {
	return e.work(s.Current, len(s.Current.Stages), in, func(ctx context.Context, n int, in []batch.Record, emit func(part) error) error {
		other, err := s.candidate(ctx, n, in)
		if err != nil {
			return err
		}
		at := 0
		return s.Current.process(ctx, n, in, func(in []batch.Record, a batch.Answer) error {
			for i := range in {
				differ := s.Differences.note(&in[i], compare(resultOf(&in[i], &a.Outcomes[i]), other[at+i]))
				if s.Limit >= 0 && differ > s.Limit {
					return fmt.Errorf("%s:%d: shadow %s: want at most %d differing records, have %d; see %s", in[i].File, in[i].Line, s.Name, s.Limit, differ, s.Report)
				}
			}
			at += len(in)
			return emit(part{in: in, outcomes: a.Outcomes, sides: s.Current.sideRows(in, a.Sides), last: a.Last})
		})
	})
}

// candidate is what the candidate makes of in. It is copied: held in place, the candidate could wait for it.
func (s *Shadow) candidate(ctx context.Context, n int, in []batch.Record) ([]result, error) {
	results := make([]result, 0, len(in))
	err := s.Candidate.process(ctx, n, in, func(in []batch.Record, a batch.Answer) error {
		for i := range in {
			o := &a.Outcomes[i]
			r := resultOf(&in[i], o)
			for j := range r.records {
				r.records[j] = slices.Clone(r.records[j])
			}
			batch.ReleaseAll(o.Emitted)
			results = append(results, r)
		}
		return nil
	})
	return results, err
}

// A result is what a step made of a record.
type result struct {
	verdict string // as in "emitted 2" or "rejected no_user"
	records [][]byte
}

func resultOf(in *batch.Record, o *batch.Outcome) result {
	switch o.Verdict {
	case batch.Unchanged:
		return result{"emitted 1", [][]byte{in.Data}}
	case batch.Emitted:
		r := result{verdict: fmt.Sprintf("emitted %d", len(o.Emitted))}
		for i := range o.Emitted {
			r.records = append(r.records, o.Emitted[i].Data)
		}
		return r
	case batch.Dropped:
		return result{verdict: "dropped"}
	case batch.Declined:
		return result{verdict: "declined"}
	}
	return result{verdict: "rejected " + o.Fault.Code}
}
