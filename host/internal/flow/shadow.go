package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Shadow runs two steps on the same records. The result of Current goes on; that of Candidate is compared with it,
// record by record, and released: the records with their labels, and the rows of side outputs that Current has a sink for. What the two
// emit after the last record is treated the same way. Nothing that the candidate does ends the run, unless its records are too many that
// differ or could not be compared. Both use as many workers as the one that has fewer.
type Shadow struct {
	Name               string
	Current, Candidate *Step
	Limit              limit.Limit  // of differing records; a share, of those compared, is decided at the end
	Ignore             ignore.Paths // whose differences do not count
	Values             bool         // examples show the values that differ, unless a step is private
	Differences        *Differences
	Rows               *Sink // gets every differing record, in input order; may be nil
}

// maxFailures is how many records may make the candidate fail before it is left out for the rest of the run.
const maxFailures = 10

func (s *Shadow) prepare(declines bool) error {
	if err := errors.Join(s.Current.prepare(declines), s.Candidate.prepare(declines)); err != nil {
		return fmt.Errorf("shadow %s: %w", s.Name, err)
	}
	s.Candidate.compared = true
	if c := s.Candidate; !c.Ordered { // a plugin that keeps state cannot be called again
		c.bisector = &bisector{restarts: c.Restarts}
		for i, st := range c.stages {
			c.stages[i] = crashOnError{st}
		}
	}
	return nil
}

func (s *Shadow) workers() int        { return min(s.Current.workers(), s.Candidate.workers()) }
func (s *Shadow) rejecter() *rejecter { return s.Current.rejecter() }

// call sends a batch through the candidate first, and compares its results as the current step answers.
func (s *Shadow) call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error {
	results, why, err := s.runCandidate(ctx, at, in)
	if err != nil {
		return err
	}
	return s.Current.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		n := min(len(in), len(results))
		c := comparison{shadow: s, in: in, n: n, why: why}
		rows := s.sideTexts(len(in), a.Sides)
		for i := range n {
			r := resultOf(&in[i], &a.Outcomes[i])
			r.rows = rows[i]
			c.add(i, r, results[i])
		}
		results = results[n:]
		return emit(section{
			in: in, outcomes: a.Outcomes, sides: s.Current.sideRows(in, a.Sides), comparisons: []comparison{c}, last: a.Last,
		})
	})
}

// errTooManyFailures ends a call of the candidate.
var errTooManyFailures = errors.New("enough failures of a candidate")

// runCandidate returns what the candidate makes of in. If it cannot go on, these are the results of the first records, and why says why.
// The results are copies: otherwise the candidate could wait for memory that its own results occupy.
func (s *Shadow) runCandidate(ctx context.Context, at slot, in []wire.Record) (results []result, why string, err error) {
	if s.Differences.over.Load() {
		return nil, "", nil
	}
	results = make([]result, 0, len(in))
	failures := 0
	err = s.Candidate.process(ctx, at, in, func(in []wire.Record, a wire.Answer) error {
		rows := s.sideTexts(len(in), a.Sides)
		for i := range in {
			o := &a.Outcomes[i]
			r := resultOf(&in[i], o)
			r.rows = rows[i]
			if o.Verdict == wire.Emitted {
				for j := range r.records {
					r.records[j] = slices.Clone(r.records[j])
				}
			}
			wire.ReleaseAll(o.Emitted)
			results = append(results, r)
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
	case isKeptView(err):
		return nil, "", err
	case err != nil:
		return results, err.Error(), nil
	}
	return results, "", nil
}

// sideTexts returns copies of the side rows of each of n records.
func (s *Shadow) sideTexts(n int, sides []wire.Side) []sideTexts {
	all := make([]sideTexts, n)
	for i := range sides {
		at := sides[i].Index
		all[at] = s.addRows(all[at], sides[i:i+1])
	}
	return all
}

// addRows adds copies of side rows, those of outputs that the current step has a sink for.
func (s *Shadow) addRows(to sideTexts, sides []wire.Side) sideTexts {
	for _, row := range sides {
		if s.Current.Sides[row.Output] == nil {
			continue
		}
		if to == nil {
			to = sideTexts{}
		}
		to[row.Output] = append(to[row.Output], string(row.JSON))
	}
	return to
}

// A crashOnError makes every failure of a stage a crash, so that the record that causes it is found.
type crashOnError struct{ Stage }

func (c crashOnError) Process(ctx context.Context, in []wire.Record, out Receiver) error {
	_, refused, err := callStage(ctx, c.Stage, in, out)
	if err == nil || refused || ctx.Err() != nil {
		return err
	}
	if crash, ok := errors.AsType[*Crash](err); ok {
		crash.Peak = 0 // which differs from run to run, and the report of a run should not
		return crash
	}
	if isKeptView(err) {
		return err
	}
	return &Crash{How: err.Error(), At: -1}
}

// A comparison holds the mismatches that a shadow found among some records.
type comparison struct {
	shadow     *Shadow
	in         []wire.Record
	n          int // so many of them, from the first, were compared
	mismatches []mismatch
	why        string // the others were not
	ends       bool   // nothing is compared after it
}

// A mismatch is a record for which the two steps have different results.
type mismatch struct {
	i       int          // in comparison.in
	differ  []difference // none when only ignored paths differ
	crashed string       // why the candidate made nothing of it
	row     []byte
}

// add compares what the two steps made of record i.
func (c *comparison) add(i int, current, candidate result) {
	s := c.shadow
	shown := display{values: s.Values, private: s.Current.Private || s.Candidate.Private}
	differ, ignored := compare(current, candidate, s.Ignore, shown)
	if len(differ) == 0 && !ignored {
		return
	}
	m := mismatch{i: i, differ: differ}
	if candidate.verdict == crashed {
		m.crashed = candidate.message
	}
	if s.Rows != nil && len(differ) > 0 {
		m.row = shown.row(&c.in[i], current, candidate)
	}
	c.mismatches = append(c.mismatches, m)
}

// record adds the mismatches to the differences, in the order of the input, and writes their rows.
func (c *comparison) record() error {
	s := c.shadow
	counted, err := s.Differences.record(c)
	if s.Rows == nil || len(counted) == 0 {
		return err
	}
	rows := make([]wire.Record, 0, len(counted))
	for _, m := range counted {
		if len(m.differ) == 0 {
			continue
		}
		r := c.in[m.i]
		r.Data, r.Mem = m.row, nil
		rows = append(rows, r)
	}
	if writeErr := s.Rows.write(rows); writeErr != nil {
		return fmt.Errorf("shadow %s: output %s: %w", s.Name, s.Rows.Name, writeErr)
	}
	return err
}

// row returns {"file","line","current","candidate"}, each side {"verdict","code","message","records"}, with "labels" of each record where
// there are some, and the rows of "outputs". After the last record there is no place.
func (d display) row(r *wire.Record, current, candidate result) []byte {
	dst := []byte{'{'}
	if r.File != "" {
		dst = append(appendOrigins(appendOrigin(dst, r), r.Origins), ',')
	}
	dst = d.side(append(dst, `"current":`...), &current)
	dst = d.side(append(dst, `,"candidate":`...), &candidate)
	return append(dst, '}')
}

func (d display) side(dst []byte, r *result) []byte {
	dst = jsontext.AppendMember(append(dst, '{'), "verdict", r.verdict)
	dst = jsontext.AppendMember(append(dst, ','), "code", r.code)
	dst = jsontext.AppendMember(append(dst, ','), "message", r.message)
	dst = append(dst, `,"records":`...)
	dst = appendList(dst, len(r.records), func(dst []byte, i int) []byte { return append(dst, d.whole(jsontext.View(r.records[i]))...) })
	if slices.ContainsFunc(r.labels, func(l []wire.Label) bool { return len(l) > 0 }) {
		dst = append(dst, `,"labels":`...)
		dst = appendList(dst, len(r.records), func(dst []byte, i int) []byte { return append(dst, d.whole(objectOf(r.labelsOf(i)))...) })
	}
	for i, output := range slices.Sorted(maps.Keys(r.rows)) {
		before := `,`
		if i == 0 {
			before = `,"outputs":{`
		}
		dst = append(jsontext.AppendString(append(dst, before...), output), ':')
		rows := r.rows[output]
		dst = appendList(dst, len(rows), func(dst []byte, i int) []byte { return append(dst, d.whole(rows[i])...) })
	}
	if len(r.rows) > 0 {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// whole returns JSON text as a row shows it.
func (d display) whole(text string) string {
	if d.private {
		return "null"
	}
	return text
}

// objectOf returns labels as a JSON object.
func objectOf(labels []wire.Label) string {
	dst := []byte{'{'}
	for i, l := range labels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendMember(dst, l.Name, l.Value)
	}
	return string(append(dst, '}'))
}

// appendList appends a JSON array of n elements.
func appendList(dst []byte, n int, element func(dst []byte, i int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, i)
	}
	return append(dst, ']')
}
