package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A tally counts what becomes of the records of one unit, besides the accounts of the run, and passes on the rows that are made of them. All
// methods but state do nothing on nil. Batches of several units are on their way at a time, each chunk has records of one.
type tally struct {
	parts *parts
	index *index
	unit  Unit

	from   int     // the first place that its records get to: 0, or the one behind the Keep where they begin
	base   uint64  // place of its first record among all
	unkept []error // why nothing is kept of it, by the number of the Keep

	read, unread int64 // by its source; of the reader
	source       int
	last         Last

	totals Totals
	steps  []Account
	lost   []atomic.Int64 // records that crashed each step
	routes []routeTally
	tees   []atomic.Int64
	sinks  []sinkTally

	rejected    int64 // of the writer of rejects
	firstReject string
}

type routeTally struct {
	taken    []atomic.Int64
	unrouted atomic.Int64

	// Of the route's goroutine: what no case took, as Others has it, but in the order in which it came.
	values []otherValue
	at     map[string]int
	more   int64
}

// An otherValue is a value that no case of a route took, and how many records had it.
type otherValue struct {
	Value string
	N     int64
}

// mostApart bounds the reasons of rejects and the other values of a route of one unit. It exceeds what a run keeps, since that depends on
// earlier units.
const mostApart = 4096

type sinkTally struct {
	written, refused atomic.Int64
	labels           labelSets // of the goroutine that writes to the sink
}

// An index holds where each part of a plan is in a State.
type index struct {
	step  map[*Account]int
	route map[*Route]int
	tee   map[*Tee]int
	sink  map[*Sink]int
}

func indexOf(all *parts) *index {
	x := &index{map[*Account]int{}, map[*Route]int{}, map[*Tee]int{}, map[*Sink]int{}}
	for i, s := range all.steps {
		x.step[s.Account] = i
	}
	for i, r := range all.routes {
		x.route[r] = i
	}
	for i, t := range all.tees {
		x.tee[t] = i
	}
	for i, s := range all.sinks {
		x.sink[s] = i
	}
	return x
}

// tally returns the tally of the unit that is read next.
func (u *units) tally(unit Unit) *tally {
	p := u.parts
	t := &tally{
		parts: p, index: u.index, unit: unit, source: u.source, base: u.ord, unkept: make([]error, len(p.keeps)),
		steps: make([]Account, len(p.steps)), lost: make([]atomic.Int64, len(p.steps)), routes: make([]routeTally, len(p.routes)), tees: make([]atomic.Int64, len(p.tees)),
		sinks: make([]sinkTally, len(p.sinks)),
	}
	for i, r := range p.routes {
		t.routes[i].taken = make([]atomic.Int64, len(r.Taken))
	}
	t.totals.reasons.most = mostApart
	return t
}

// add counts what became of the unit before a Keep, behind which its records begin. Its rejects and the rows of sinks follow.
func (t *tally) add(s *State, at int) {
	t.from, t.unread = at+1, s.Sources[t.source].Unread
	t.totals.plus(&s.Totals)
	for i := range s.Steps {
		t.steps[i].plus(&s.Steps[i], t.base)
	}
}

// lose notes that a record has crashed a step.
func (t *tally) lose(s *Step) {
	if t != nil {
		t.lost[t.index.step[s.Account]].Add(1)
	}
}

// answer counts the answer of a step.
func (t *tally) answer(s *Step, in []wire.Record, a *wire.Answer) {
	if t == nil {
		return
	}
	account := &t.steps[t.index.step[s.Account]]
	account.add(in, *a)
	for _, side := range a.Sides {
		if s.Sides[side.Output] == nil {
			account.addUnwanted(side.Output)
		}
	}
}

// wrote notes rows that a sink has got, of the stream or besides it.
func (t *tally) wrote(s *Sink, rows []wire.Record, stream bool) {
	if t == nil || len(rows) == 0 {
		return
	}
	i := t.index.sink[s]
	t.sinks[i].written.Add(int64(len(rows)))
	if stream {
		t.totals.wrote(len(rows))
	}
	rows = t.sinks[i].labels.of(s.Writer, rows)
	for at := t.from; at <= len(t.parts.keeps); at++ {
		if at == len(t.parts.keeps) || i < t.parts.keeps[at].sinks {
			t.unit.Add(at, i, rows)
		}
	}
}

func (t *tally) refuse(s *Sink, n int) {
	if t != nil {
		t.sinks[t.index.sink[s]].refused.Add(int64(n))
	}
}

func (t *tally) tee(of *Tee, n int) {
	if t != nil {
		t.tees[t.index.tee[of]].Add(int64(n))
	}
}

// take counts records that went down a branch of a route, or down none.
func (t *tally) take(r *Route, branch, n int) {
	switch {
	case t == nil:
	case branch < 0:
		t.routes[t.index.route[r]].unrouted.Add(int64(n))
	default:
		t.routes[t.index.route[r]].taken[branch].Add(int64(n))
	}
}

// other counts a record that no case of a route took.
func (t *tally) other(r *Route, value string) {
	if t == nil {
		return
	}
	x := &t.routes[t.index.route[r]]
	at, known := x.at[value]
	switch {
	case known:
		x.values[at].N++
	case len(value) > maxOtherValue || len(x.values) == mostApart:
		x.more++
	default:
		if x.at == nil {
			x.at = map[string]int{}
		}
		value = strings.Clone(value)
		x.at[value], x.values = len(x.values), append(x.values, otherValue{value, 1})
	}
}

// reject counts rejects that were written.
func (t *tally) reject(first *reject, n int) {
	if t == nil {
		return
	}
	if t.rejected == 0 {
		t.firstReject = first.text()
	}
	t.rejected += int64(n)
}

// state returns the counts of the unit, with places relative to it. why says what in them depends on other units. All of the unit is done.
func (t *tally) state() (s *State, why error) {
	s = &State{Names: t.parts.names(), Ord: uint64(t.read), Last: t.last, Rejected: t.rejected, FirstReject: t.firstReject, Totals: t.totals.state()}
	if len(s.Totals.Reasons) == mostApart {
		why = fmt.Errorf("it has more than %d different rejects", mostApart-1)
	}
	s.Sources = make([]sourceState, len(t.parts.sources))
	s.Sources[t.source] = sourceState{t.read, t.unread}
	for i := range t.steps {
		x := t.steps[i].state()
		if r := &x.Sums.Accepted; r.Records > 0 {
			r.FirstOrd -= t.base
			r.LastOrd -= t.base
		}
		x.Drops.since(t.base)
		s.Steps = append(s.Steps, x)
	}
	for i := range t.routes {
		r := &t.routes[i]
		x := routeState{Unrouted: r.unrouted.Load(), Values: r.values, Others: Others{More: r.more}}
		for k := range r.taken {
			x.Taken = append(x.Taken, r.taken[k].Load())
		}
		if len(x.Values) == mostApart {
			why = fmt.Errorf("route %s has got more than %d other values", t.parts.routes[i].Name, mostApart-1)
		}
		s.Routes = append(s.Routes, x)
	}
	for i := range t.tees {
		s.Tees = append(s.Tees, t.tees[i].Load())
	}
	for i := range t.sinks {
		x := &t.sinks[i]
		if x.refused.Load() > 0 {
			why = fmt.Errorf("sink %s has refused a record of it", t.parts.sinks[i].Name)
		}
		s.Sinks = append(s.Sinks, sinkState{Written: x.written.Load(), Labels: x.labels.all})
	}
	if t.crashed(len(t.steps)) {
		why = errCrashed
	}
	return s, why
}

var errCrashed = errors.New("a record of it has crashed a process")

// crashed reports whether records of the unit have crashed one of the first n steps. A crash over a record of another unit leaves no trace in
// this one: what was under way in the process is sent again.
func (t *tally) crashed(n int) bool {
	for i := range t.lost[:n] {
		if t.lost[i].Load() > 0 {
			return true
		}
	}
	return false
}

// stateAt returns what was counted before a Keep, or all counts when the place is behind the last Keep. The counts before a Keep are
// without rejects: these are kept with the records that passed.
func (t *tally) stateAt(at int) (s *State, why error) {
	s, why = t.state()
	if at == len(t.parts.keeps) {
		return s, why
	}
	if why = t.unkept[at]; t.crashed(t.parts.keeps[at].steps) {
		why = errCrashed
	}
	before := t.parts.before(at)
	s = &State{Names: before.names(), Ord: s.Ord, Last: s.Last, Sources: s.Sources, Steps: s.Steps[:len(before.steps)], Sinks: s.Sinks[:len(before.sinks)]}
	dropped := &bounded{}
	for i := range s.Steps {
		s.Totals.Sums.Extra += s.Steps[i].Sums.Extra
		dropped.plus(&s.Steps[i].Dropped, maxReasons)
	}
	s.Totals.Sums.Read, s.Totals.Dropped = t.read, dropped.state()
	return s, why
}

// labelSets are the labels that name the files of a sink, each set once.
type labelSets struct {
	all  [][]wire.Label
	seen map[string]bool
}

// of returns rows of a sink with no labels but those that it names its files by.
func (l *labelSets) of(w Writer, rows []wire.Record) []wire.Record {
	if !slices.ContainsFunc(rows, func(r wire.Record) bool { return len(r.Labels) > 0 }) {
		return rows
	}
	var names []string
	if named, ok := w.(interface{ Labels() []string }); ok {
		names = named.Labels()
	}
	rows = slices.Clone(rows)
	for i := range rows {
		var own []wire.Label
		key := ""
		for _, label := range rows[i].Labels {
			if slices.Contains(names, label.Name) {
				own, key = append(own, label), fmt.Sprintf("%s%q=%q", key, label.Name, label.Value)
			}
		}
		if rows[i].Labels = own; own != nil && !l.seen[key] {
			if l.seen == nil {
				l.seen = map[string]bool{}
			}
			l.seen[key], l.all = true, append(l.all, own)
		}
	}
	return rows
}
