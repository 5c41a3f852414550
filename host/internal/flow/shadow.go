package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Shadow runs two steps on the same records. What Current makes of them goes on; what Candidate makes of them is
// compared with it, record by record, and let go. Nothing that the candidate does ends the run, and its last word is not
// asked for. Both use as many workers as the one that has fewer.
type Shadow struct {
	Name               string
	Current, Candidate *Step
	Limit              int64 // most differing records before the run fails; negative: any number
	Values             bool  // examples show the values that differ, unless a step is private
	Differences        *Differences
	Rows               *Sink // gets every differing record, in input order; nil: nobody does
}

// maxFailures is how many records may end the candidate before it is left out for the rest of the run.
const maxFailures = 10

func (s *Shadow) prepare(declines bool) error {
	if err := errors.Join(s.Current.prepare(declines), s.Candidate.prepare(declines)); err != nil {
		return fmt.Errorf("shadow %s: %w", s.Name, err)
	}
	if c := s.Candidate; !c.Ordered { // what keeps state cannot be asked again
		c.bisector = &bisector{workers: c.workers()}
		for i, st := range c.stages {
			c.stages[i] = crashOnError{st}
		}
	}
	return nil
}

func (s *Shadow) workers() int        { return min(s.Current.workers(), s.Candidate.workers()) }
func (s *Shadow) rejecter() *rejecter { return s.Current.rejecter() }

// ask gives the candidate a batch first, and compares what it made of it as the current step answers.
func (s *Shadow) call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error {
	theirs, why, err := s.runCandidate(ctx, at, in)
	if err != nil {
		return err
	}
	return s.Current.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		n := min(len(in), len(theirs))
		c := comparison{shadow: s, in: in, n: n, why: why, mismatches: s.mismatches(in[:n], a.Outcomes, theirs)}
		theirs = theirs[n:]
		return emit(section{
			in: in, outcomes: a.Outcomes, sides: s.Current.sideRows(in, a.Sides), comparisons: []comparison{c}, last: a.Last,
		})
	})
}

// errEnough ends what the candidate is asked.
var errTooManyFailures = errors.New("enough failures of a candidate")

// rehearse is what the candidate makes of in: of the records at the beginning if it cannot go on, and then why. It is
// copied: held in place, the candidate could wait for it.
func (s *Shadow) runCandidate(ctx context.Context, at slot, in []wire.Record) (theirs []result, why string, err error) {
	if s.Differences.over.Load() {
		return nil, "", nil
	}
	theirs = make([]result, 0, len(in))
	failures := 0
	err = s.Candidate.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		for i := range in {
			o := &a.Outcomes[i]
			r := resultOf(&in[i], o)
			if o.Verdict == wire.Emitted {
				for j := range r.records {
					r.records[j] = slices.Clone(r.records[j])
				}
			}
			wire.ReleaseAll(o.Emitted)
			theirs = append(theirs, r)
			if r.verdict == crashed {
				failures++
			}
		}
		if failures >= maxFailures {
			return errTooManyFailures
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		return theirs, err.Error(), nil
	}
	return theirs, "", nil
}

// brittle makes every failure of a stage a crash, so that the record that it fails over is looked for.
type crashOnError struct{ Stage }

func (b crashOnError) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	_, refused, err := callStage(ctx, b.Stage, in, out)
	if err == nil || refused || ctx.Err() != nil {
		return err
	}
	if crash, ok := errors.AsType[*Crash](err); ok {
		return crash
	}
	return &Crash{How: err.Error(), At: -1}
}

// compared is what a shadow found about some records.
type comparison struct {
	shadow     *Shadow
	in         []wire.Record
	n          int // so many of them, from the first, were compared
	mismatches []mismatch
	why        string // the others were not
}

// An odd record is one of which the two steps make something else.
type mismatch struct {
	i       int // in compared.in
	differ  []difference
	crashed string // why the candidate made nothing of it
	row     []byte
}

// odd compares records.
func (s *Shadow) mismatches(in []wire.Record, outcomes []wire.Outcome, theirs []result) []mismatch {
	var found []mismatch
	shown := display{values: s.Values, private: s.Current.Private || s.Candidate.Private}
	for i := range in {
		ours := resultOf(&in[i], &outcomes[i])
		differ := compare(ours, theirs[i], shown)
		if len(differ) == 0 {
			continue
		}
		x := mismatch{i: i, differ: differ}
		if theirs[i].verdict == crashed {
			x.crashed = theirs[i].message
		}
		if s.Rows != nil {
			x.row = shown.row(&in[i], ours, theirs[i])
		}
		found = append(found, x)
	}
	return found
}

// note takes what was found into the report, in the order of the input, and writes the rows.
func (c *comparison) record() error {
	s := c.shadow
	taken, err := s.Differences.record(c, s.Limit)
	if limit, ok := errors.AsType[*LimitError](err); ok {
		limit.Shadow = s.Name
	}
	if s.Rows == nil || len(taken) == 0 {
		return err
	}
	rows := make([]wire.Record, len(taken))
	for i, x := range taken {
		rows[i] = c.in[x.i]
		rows[i].Data, rows[i].Mem = x.row, nil
	}
	if bad := s.Rows.write(rows); bad != nil {
		return fmt.Errorf("shadow %s: output %s: %w", s.Name, s.Rows.Name, bad)
	}
	return err
}

// row is {"file","line","current","candidate"}, each side {"verdict","code","message","records"}.
func (d display) row(r *wire.Record, current, candidate result) []byte {
	dst := appendOrigin([]byte{'{'}, r)
	dst = d.side(append(dst, `,"current":`...), current)
	dst = d.side(append(dst, `,"candidate":`...), candidate)
	return append(dst, '}')
}

func (d display) side(dst []byte, r result) []byte {
	dst = jsontext.AppendMember(append(dst, '{'), "verdict", r.verdict)
	dst = jsontext.AppendMember(append(dst, ','), "code", r.code)
	dst = jsontext.AppendMember(append(dst, ','), "message", r.message)
	dst = append(dst, `,"records":[`...)
	for i, data := range r.records {
		if i > 0 {
			dst = append(dst, ',')
		}
		if d.private {
			data = []byte("null")
		}
		dst = append(dst, data...)
	}
	return append(dst, "]}"...)
}
