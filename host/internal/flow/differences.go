package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	values "github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Differences are what a Shadow found, added in input order.
type Differences struct {
	mu       sync.Mutex
	records  int64
	differ   int64
	ignored  int64 // records that differ at ignored paths alone
	missed   int64
	failures int
	first    string            // position of the first that differs
	last     *receipt.Position // of the records compared
	stopped  *receipt.Cutoff
	endLost  bool        // the candidate failed after the last record
	over     atomic.Bool // stopped is set
	groups   map[receipt.ShadowDifference]*receipt.ShadowGroup
}

const (
	maxExamples = 5
	maxGroups   = 1000 // all further ones are one group with the path Other
)

// Snapshot returns what was found so far.
func (d *Differences) Snapshot() receipt.Comparison {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := receipt.Comparison{Records: d.records, Differing: d.differ, Ignored: d.ignored, NotCompared: d.missed, Differences: []receipt.ShadowGroup{}}
	if d.open() > 0 { // it did not fail at the last record for the last time
		c.Stopped = d.stopped
	}
	for _, g := range d.groups {
		group := *g
		group.Examples = slices.Clone(g.Examples)
		c.Differences = append(c.Differences, group)
	}
	slices.SortFunc(c.Differences, func(a, b receipt.ShadowGroup) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), compareDifferences(a.ShadowDifference, b.ShadowDifference))
	})
	return c
}

func compareDifferences(a, b receipt.ShadowDifference) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Current, b.Current), cmp.Compare(a.Candidate, b.Candidate))
}

// record adds what was found about some records. It returns the mismatches that counted, and a *LimitError when one is
// beyond the limit, or may be: each record that is not compared may differ.
func (d *Differences) record(c *comparison) ([]mismatch, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped != nil {
		return nil, d.miss(c, 0)
	}
	for k, m := range c.mismatches {
		if len(m.differ) == 0 {
			d.ignored++
			continue
		}
		if d.differ++; d.differ == 1 {
			d.first = placeText(&c.in[m.i])
		}
		d.addToGroups(&c.in[m.i], m.differ)
		if limit := c.shadow.Limit; !limit.IsShare() && limit.Exceeded(d.differ, 0) {
			d.advance(c, m.i+1)
			return c.mismatches[:k+1], &LimitError{Shadow: c.shadow.Name, Limit: limit, Have: d.differ, What: placeText(&c.in[m.i]), At: positionOf(&c.in[m.i])}
		}
		if m.crashed == "" {
			continue
		}
		if d.failures++; d.failures == maxFailures {
			d.advance(c, m.i+1)
			return c.mismatches[:k+1], d.cutOff(c, m.i+1, m.crashed)
		}
	}
	d.advance(c, c.n)
	if c.ends && c.why != "" {
		d.endLost = true
	}
	if c.n < len(c.in) || d.endLost {
		return c.mismatches, d.cutOff(c, c.n, c.why)
	}
	return c.mismatches, nil
}

// advance notes that the first n records have been compared.
func (d *Differences) advance(c *comparison, n int) {
	d.records += int64(n)
	for ; n > 0; n-- {
		if last := positionOf(&c.in[n-1]); last.File != "" {
			d.last = &last
			break
		}
	}
}

// cutOff leaves the candidate out from record n on.
func (d *Differences) cutOff(c *comparison, n int, why string) error {
	d.stopped = &receipt.Cutoff{After: d.last, Why: why}
	d.over.Store(true)
	return d.miss(c, n)
}

// miss counts the records from n on, which are not compared.
func (d *Differences) miss(c *comparison, n int) error {
	s := c.shadow
	for i := n; i < len(c.in); i++ {
		if d.missed++; !s.Limit.IsShare() && s.Limit.Exceeded(d.differ+d.missed, 0) {
			return &LimitError{
				Shadow: s.Name, Limit: s.Limit, Have: d.differ, Missed: d.missed, Since: d.since(), What: placeText(&c.in[i]), At: positionOf(&c.in[i]),
			}
		}
	}
	return nil
}

// open returns how many records may differ because they were not compared. What a candidate would have emitted after the last record
// counts as one when nothing else is known of it.
func (d *Differences) open() int64 {
	if d.endLost {
		return max(d.missed, 1)
	}
	return d.missed
}

// since says from where on nothing was compared.
func (d *Differences) since() string {
	if d.stopped == nil || d.stopped.After == nil {
		return "before a record was compared"
	}
	return "after " + d.stopped.After.String()
}

// placeText returns the place of a record that was compared.
func placeText(r *wire.Record) string {
	if r.File == "" { // side rows alone
		return "after the last record"
	}
	return positionOf(r).String()
}

// checkLimit returns a *LimitError when the limit is not kept, or is not known to be since records were not compared. Of a limit
// that is a number only the end of the run is left to decide.
func (s *Shadow) checkLimit() error {
	d := s.Differences
	d.mu.Lock()
	defer d.mu.Unlock()
	e := &LimitError{Shadow: s.Name, Limit: s.Limit, Have: d.differ, Of: d.records, What: d.first}
	if s.Limit.IsShare() && s.Limit.Exceeded(d.differ, d.records) {
		return e
	}
	if e.Missed = d.open(); e.Missed > 0 && s.Limit.Exceeded(d.differ+e.Missed, d.records+e.Missed) {
		e.Since = d.since()
		return e
	}
	return nil
}

func (d *Differences) addToGroups(r *wire.Record, differ []difference) {
	if d.groups == nil {
		d.groups = map[receipt.ShadowDifference]*receipt.ShadowGroup{}
	}
	for _, diff := range differ {
		g := d.groups[diff.ShadowDifference]
		if g == nil {
			kind := diff.ShadowDifference
			if len(d.groups) >= maxGroups {
				kind = receipt.ShadowDifference{Path: Other}
			}
			if g = d.groups[kind]; g == nil {
				g = &receipt.ShadowGroup{ShadowDifference: kind}
				d.groups[kind] = g
			}
		}
		g.Records++
		if len(g.Examples) < maxExamples {
			g.Examples = append(g.Examples, exampleOf(r, &diff))
		}
	}
}

// mostOrigins is how many places of a joined record an example lists.
const mostOrigins = 20

func exampleOf(r *wire.Record, diff *difference) receipt.Example {
	e := receipt.Example{Position: positionOf(r), Path: diff.at, Current: diff.current, Candidate: diff.candidate}
	if o := r.Origins; o != nil {
		for _, p := range o.List[:min(len(o.List), mostOrigins)] {
			e.Origins = append(e.Origins, receipt.Position{File: p.File, Line: p.Line})
		}
		e.MoreOrigins = o.More + int64(max(len(o.List)-mostOrigins, 0))
	}
	return e
}

// A result is what a step made of one record.
type result struct {
	verdict       string // "emitted", "dropped", "rejected", "declined" or "crashed"
	code, message string
	records       [][]byte
	labels        [][]wire.Label // of each of the records
	rows          sideTexts
}

// sideTexts are rows of side outputs, by output.
type sideTexts map[string][]string

const crashed = "crashed"

func resultOf(in *wire.Record, o *wire.Outcome) result {
	switch o.Verdict {
	case wire.Unchanged:
		return result{verdict: "emitted", records: [][]byte{in.Data}, labels: [][]wire.Label{in.Labels}}
	case wire.Emitted:
		r := result{verdict: "emitted", records: make([][]byte, len(o.Emitted)), labels: make([][]wire.Label, len(o.Emitted))}
		for i := range o.Emitted {
			r.records[i], r.labels[i] = o.Emitted[i].Data, o.Emitted[i].Labels
		}
		return r
	case wire.Dropped:
		return result{verdict: "dropped", message: o.Fault.Message}
	case wire.Declined:
		return result{verdict: "declined", message: o.Fault.Message}
	}
	if o.Fault.Code == CrashCode {
		return result{verdict: crashed, code: CrashCode, message: o.Fault.Message}
	}
	return result{verdict: "rejected", code: o.Fault.Code, message: o.Fault.Message}
}

// outcome describes the result, as in "emitted 2" or "rejected no_user".
func (r *result) outcome() string {
	switch r.verdict {
	case "emitted":
		return fmt.Sprintf("emitted %d", len(r.records))
	case "rejected":
		return "rejected " + r.code
	}
	return r.verdict
}

// labelsOf returns the labels of the record of that index.
func (r *result) labelsOf(i int) []wire.Label {
	if i < len(r.labels) {
		return r.labels[i]
	}
	return nil
}

// A difference is a receipt.ShadowDifference with the text of each side, as far as it may be shown.
type difference struct {
	receipt.ShadowDifference
	current, candidate string
	at                 string // the path with indexes, where it has some
}

// A display decides what may be shown of records.
type display struct{ values, private bool }

func (d display) show(text string) string {
	if text != "" && d.private {
		return "(private)"
	}
	return values.Excerpt(text)
}

// value returns what may be shown of JSON text.
func (d display) value(raw string) string {
	if !d.values {
		return ""
	}
	return d.show(raw)
}

// result returns what may be shown of a result: of its first record or its message.
func (d display) result(r *result) string {
	if len(r.records) > 0 {
		return d.value(jsontext.View(r.records[0]))
	}
	return d.show(r.message)
}

// trimmed returns a record as a value, without blanks around it.
func trimmed(record []byte) jsontext.JSON { return jsontext.Of(bytes.TrimSpace(record)) }
