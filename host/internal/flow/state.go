package flow

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// State is where a run is between two chunks, and what it has counted by then. Values are in the order of the tree.
type State struct {
	Names       []string // of all that is counted below
	Ord         uint64   // of the next record
	Last        Last
	Rejected    int64
	FirstReject string
	Totals      totalsState
	Sources     []sourceState
	Steps       []stepState
	Routes      []routeState
	Tees        []int64
	Shadows     []differencesState
	Sinks       []sinkState
}

// Last is the place of the last record that was read.
type Last struct {
	File   string
	Line   int64
	OfLine uint32
}

type totalsState struct {
	Sums              Sums
	Dropped, Rejected boundedState
	Reasons           []Reason
	First             time.Time
}

type sourceState struct {
	Read, Unread int64
}

type stepState struct {
	Sums                                          Figures
	Dropped, Rejected, Declined, Counts, Unwanted boundedState
	Drops                                         earliest
	Columns                                       [len(ofColumns)]boundedState
	Crashes                                       *crashState // of the chain, with its first step
}

type routeState struct {
	Taken    []int64
	Unrouted int64
	Others   Others
	Values   []otherValue `json:",omitempty"` // of a unit, in place of Others.By
}

type sinkState struct {
	Written, Refused int64
	Labels           [][]wire.Label `json:",omitempty"` // of a unit: what the sink names its files by
}

type differencesState struct {
	Records, Differ, Ignored, Missed int64
	Failures                         int
	First                            string
	Last                             *receipt.Position
	Stopped                          *receipt.Cutoff
	Groups                           []receipt.ShadowGroup
}

// parts are the parts of a plan that count something, each kind in the order of the tree.
type parts struct {
	sources []*Source
	steps   []*Step
	routes  []*Route
	tees    []*Tee
	shadows []*Shadow
	sinks   []*Sink
	keeps   []partsBefore
}

// partsBefore is how many steps, and sinks of side outputs, come before a Keep.
type partsBefore struct{ steps, sinks int }

func partsOf(p *Plan) *parts {
	all := &parts{sources: p.Sources}
	all.add(p.Body)
	all.sinks = append(all.sinks, p.DeadLetter)
	return all
}

func (p *parts) add(nodes []Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Step:
			for _, s := range n.chain() {
				p.addStep(s)
			}
		case *First:
			for _, m := range n.Members {
				p.add([]Node{m})
			}
		case *Shadow:
			p.addStep(n.Current)
			p.addStep(n.Candidate)
			p.shadows = append(p.shadows, n)
			if n.Rows != nil {
				p.sinks = append(p.sinks, n.Rows)
			}
		case *Route:
			p.routes = append(p.routes, n)
			for _, c := range n.Cases {
				p.add(c.Body)
			}
			if n.Default != nil {
				p.add(n.Default.Body)
			}
		case *Tee:
			p.tees = append(p.tees, n)
			p.add(n.Body)
		case *Keep:
			p.keeps = append(p.keeps, partsBefore{len(p.steps), len(p.sinks)})
		case *Sink:
			p.sinks = append(p.sinks, n)
		}
	}
}

func (p *parts) addStep(s *Step) {
	p.steps = append(p.steps, s)
	for _, name := range slices.Sorted(maps.Keys(s.Sides)) {
		p.sinks = append(p.sinks, s.Sides[name])
	}
}

// before returns the parts before a Keep, or all parts when the place is behind the last Keep.
func (p *parts) before(at int) *parts {
	if at == len(p.keeps) {
		return p
	}
	n := p.keeps[at]
	return &parts{sources: p.sources, steps: p.steps[:n.steps], sinks: p.sinks[:n.sinks]}
}

// names lists all parts, so that a state is not given to others.
func (p *parts) names() (all []string) {
	for _, x := range p.sources {
		all = append(all, "source "+x.Name)
	}
	for _, x := range p.steps {
		all = append(all, "step "+x.Name)
	}
	for _, x := range p.routes {
		all = append(all, fmt.Sprintf("route %s of %d", x.Name, len(x.Taken)))
	}
	for _, x := range p.tees {
		all = append(all, "tee "+x.Name)
	}
	for _, x := range p.shadows {
		all = append(all, "shadow "+x.Name)
	}
	for _, x := range p.sinks {
		all = append(all, "sink "+x.Name)
	}
	return all
}

// state returns where the run is. No record is on its way.
func (e *engine) state() *State {
	all := partsOf(&e.plan)
	s := &State{
		Names: all.names(), Ord: e.ord, Last: Last{e.last.File, e.last.Line, e.last.OfLine}, Rejected: e.rejected, FirstReject: e.firstReject,
		Totals: e.plan.Account.state(),
	}
	for _, src := range all.sources {
		s.Sources = append(s.Sources, sourceState{src.Read.Load(), src.Unread.Load()})
	}
	for _, step := range all.steps {
		s.Steps = append(s.Steps, step.state())
	}
	for _, r := range all.routes {
		x := routeState{Unrouted: r.Unrouted.Load(), Others: r.Others.clone()}
		for i := range r.Taken {
			x.Taken = append(x.Taken, r.Taken[i].Load())
		}
		s.Routes = append(s.Routes, x)
	}
	for _, t := range all.tees {
		s.Tees = append(s.Tees, t.Copied.Load())
	}
	for _, sh := range all.shadows {
		s.Shadows = append(s.Shadows, sh.Differences.state())
	}
	for _, sink := range all.sinks {
		s.Sinks = append(s.Sinks, sinkState{Written: sink.Written.Load(), Refused: sink.Refused.Load()})
	}
	return s
}

// restore goes back to a state. The tree is wired, and no record is on its way.
func (e *engine) restore(s *State) error {
	all := partsOf(&e.plan)
	if names := all.names(); !slices.Equal(names, s.Names) {
		return fmt.Errorf("want the state of a run of %q, have one of %q", names, s.Names)
	}
	e.ord, e.last = s.Ord, wire.Record{File: s.Last.File, Line: s.Last.Line, OfLine: s.Last.OfLine}
	e.rejected, e.firstReject = s.Rejected, s.FirstReject
	e.plan.Account.restore(&s.Totals)
	for i, src := range all.sources {
		src.Read.Store(s.Sources[i].Read)
		src.Unread.Store(s.Sources[i].Unread)
	}
	for i, step := range all.steps {
		step.restore(&s.Steps[i])
	}
	for i, r := range all.routes {
		r.Unrouted.Store(s.Routes[i].Unrouted)
		r.Others = s.Routes[i].Others
		for k := range r.Taken {
			r.Taken[k].Store(s.Routes[i].Taken[k])
		}
	}
	for i, t := range all.tees {
		t.Copied.Store(s.Tees[i])
	}
	for i, sh := range all.shadows {
		sh.Differences.restore(&s.Shadows[i])
	}
	for i, sink := range all.sinks {
		sink.Written.Store(s.Sinks[i].Written)
		sink.Refused.Store(s.Sinks[i].Refused)
	}
	return nil
}

func (t *Totals) state() totalsState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return totalsState{t.sums, t.dropped.state(), t.rejected.state(), t.reasons.clone(), t.first}
}

func (t *Totals) restore(s *totalsState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums, t.dropped, t.rejected, t.first = s.Sums, s.Dropped.restored(), s.Rejected.restored(), s.First
	t.found.Store(t.rejected.sum())
	t.reasons = reasons{most: t.reasons.most}
	for _, r := range s.Reasons {
		t.reasons.plus(r)
	}
}

func (s *Step) state() stepState {
	x := s.Account.state()
	x.Crashes = s.bisector.state()
	return x
}

func (a *Account) state() stepState {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := stepState{
		Sums: a.figures, Dropped: a.dropped.state(), Rejected: a.rejected.state(), Declined: a.declined.state(),
		Counts: a.counts.state(), Unwanted: a.unwanted.state(), Drops: a.drops.clone(),
	}
	for i := range a.columns {
		x.Columns[i] = a.columns[i].state()
	}
	return x
}

func (s *Step) restore(x *stepState) {
	a := s.Account
	a.mu.Lock()
	defer a.mu.Unlock()
	a.figures, a.dropped, a.rejected, a.declined = x.Sums, x.Dropped.restored(), x.Rejected.restored(), x.Declined.restored()
	a.drops = x.Drops.clone()
	a.counts, a.unwanted = x.Counts.restored(), x.Unwanted.restored()
	for i := range a.columns {
		a.columns[i] = x.Columns[i].restored()
	}
	s.bisector.restore(x.Crashes)
}

// crashState is what a chain has lost to crashes.
type crashState struct {
	Crashes int
	Lost    map[int]lossState // by step of the chain
}

type lossState struct {
	Records int
	First   []receipt.Position
}

func (b *bisector) state() *crashState {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	x := &crashState{b.generation, map[int]lossState{}}
	for step, l := range b.lost {
		x.Lost[step] = lossState{l.records, slices.Clone(l.first)}
	}
	return x
}

func (b *bisector) restore(x *crashState) {
	if b == nil || x == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.generation, b.lost = x.Crashes, map[int]*loss{}
	for step, l := range x.Lost {
		b.lost[step] = &loss{l.Records, l.First}
	}
}

func (d *Differences) state() differencesState {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := differencesState{
		Records: d.records, Differ: d.differ, Ignored: d.ignored, Missed: d.missed, Failures: d.failures,
		First: d.first, Last: d.last, Stopped: d.stopped,
	}
	for _, g := range d.groups {
		group := *g
		group.Examples = slices.Clone(g.Examples)
		s.Groups = append(s.Groups, group)
	}
	slices.SortFunc(s.Groups, func(a, b receipt.ShadowGroup) int { return compareDifferences(a.ShadowDifference, b.ShadowDifference) })
	return s
}

func (d *Differences) restore(s *differencesState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records, d.differ, d.ignored, d.missed, d.failures = s.Records, s.Differ, s.Ignored, s.Missed, s.Failures
	d.first, d.last, d.stopped = s.First, s.Last, s.Stopped
	d.over.Store(s.Stopped != nil)
	d.groups = map[receipt.ShadowDifference]*receipt.ShadowGroup{}
	for i := range s.Groups {
		d.groups[s.Groups[i].ShadowDifference] = &s.Groups[i]
	}
}

func (o *Others) clone() Others {
	by := map[string]*int64{}
	for value, n := range o.By {
		by[value] = new(*n)
	}
	return Others{By: by, More: o.More}
}

// boundedState is a bounded that can be written down.
type boundedState struct {
	Names map[string]int64 `json:",omitempty"`
	Other int64            `json:",omitempty"`
}

func (b *bounded) state() boundedState { return boundedState{maps.Clone(b.names), b.other} }

func (s *boundedState) restored() bounded {
	b := bounded{names: s.Names, other: s.Other}
	for name := range s.Names {
		b.last = max(b.last, name)
	}
	return b
}
