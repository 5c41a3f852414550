package launch

import (
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Member is one step of a crew.
type Step struct {
	Request
	Location Location
	Info     wire.Info // what the plugin says of itself
	Version  string    // of the program
	Chain    *Chain
	Index    int // in the crew

	opts     *Options
	problems []Problem
}

func (m *Step) problem(attr, format string, args ...any) {
	m.problems = append(m.problems, Problem{Attr: attr, Message: fmt.Sprintf(format, args...)})
}

// find looks the plugin up. A built-in says at once what it is.
func (m *Step) find() {
	found, err := m.opts.Finder.Find(m.Plugin, &m.opts.BuiltIns)
	if err != nil {
		m.problems = append(m.problems, Problem{Message: err.Error(), Cause: err})
		return
	}
	m.Location = found
	if found.BuiltIn {
		m.Info, _ = m.opts.BuiltIns.Plugin(found.Name)
		m.Version = m.opts.BuiltIns.Version
	} else if m.opts.InProcess {
		m.problem("", "want a built-in plugin to run in process, have %s", found.Path)
	}
}

// chains divides steps into those that can run in one process behind each other, as far as that is known before they
// start. A first joins as a whole or not at all.
func chains(members []*Step, join bool) (all [][]*Step) {
	open := false // the last chain takes more
	for i := 0; i < len(members); {
		n := 1
		for i+n < len(members) && members[i+n].Or {
			n++
		}
		unit := members[i : i+n]
		i += n
		whole := join && !slices.ContainsFunc(unit, func(m *Step) bool { return m.apart() || !m.sharesWith(unit[0]) })
		switch {
		case !whole:
			for k := range unit {
				all = append(all, unit[k:k+1:k+1])
			}
		case open && unit[0].Follows && unit[0].sharesWith(all[len(all)-1][0]):
			last := &all[len(all)-1]
			*last = append(*last, unit...)
		default:
			all = append(all, slices.Clip(unit))
		}
		open = whole
	}
	return all
}

// apart tells whether the step runs in a process of its own whatever stands beside it.
func (m *Step) apart() bool { return m.Alone || m.Info.Ordered || len(m.problems) > 0 }

// sharesWith tells whether two steps can be in one process: of one program, run in one way.
func (m *Step) sharesWith(o *Step) bool {
	return m.Location.Path == o.Location.Path && m.Location.pin == o.Location.pin && m.Location.locked == o.Location.locked && m.Location.BuiltIn == o.Location.BuiltIn &&
		m.Workers == o.Workers && m.Restart == o.Restart && slices.Equal(m.Env, o.Env)
}

// members are the steps of the crew, in order.
func (s *Chain) members() []*Step { return append([]*Step{s.Step}, s.behind...) }

// steps are those behind the first as the program knows them.
func (s *Chain) steps() (steps []wire.Step) {
	for _, m := range s.behind {
		steps = append(steps, wire.Step{Plugin: m.Location.Name, Args: m.Args, Or: m.Or})
	}
	return steps
}

// name is what the crew's output is shown under.
func (s *Chain) title() string {
	if n := len(s.behind); n > 0 {
		return s.Name + " to " + s.behind[n-1].Name
	}
	return s.Name
}

// refuse makes mistakes in the attributes of steps into their problems.
func (s *Chain) refuse(bad []wire.ArgError) {
	members := s.members()
	for _, e := range bad {
		members[min(max(e.Step, 0), len(members)-1)].problem(e.Name, "%s", e.Message)
	}
}

// ready tells whether nothing is wrong with the members.
func (s *Chain) ready() bool {
	return !slices.ContainsFunc(s.members(), func(m *Step) bool { return len(m.problems) > 0 })
}

// dissolve makes crews of their own of the members behind, whose program cannot run them together.
func (s *Chain) dissolve() {
	for i, m := range s.behind {
		m.Chain, m.Index = s.spare[i], 0
	}
	s.behind = nil
}

// spot is what a worker has noted to be at hand in a batch of n; the record is -1 when that is not known.
func (s *Chain) spot(worker, n int) wire.Spot {
	a := s.out[worker]
	if !a.shared {
		return wire.Spot{Record: -1}
	}
	at := wire.SpotOf(note(a))
	if at.Step > len(s.behind) {
		return wire.Spot{Record: -1}
	}
	if at.Record >= n {
		at.Record = -1
	}
	return at
}

// At is which step of the crew a worker has a record in.
func (s *Chain) CurrentStep(worker int) int {
	if x := s.seats[worker]; s.opts.InProcess {
		if l := x.here.Load(); l != nil {
			return wire.SpotOf(l.note.Load()).Step
		}
		return 0
	}
	return s.spot(worker, 0).Step
}

// atHand are the steps that workers had records in as their process ended: one of them ended it. Without any note, and
// as the processors close, it may have been each.
func (s *Chain) atHand() (steps []int) {
	for n := range s.out {
		if at := s.spot(n, maxBatch); at.Record >= 0 && !slices.Contains(steps, at.Step) {
			steps = append(steps, at.Step)
		}
	}
	if steps == nil {
		for i := range s.members() {
			steps = append(steps, i)
		}
	}
	return steps
}

// maxBatch is more records than a batch has.
const maxBatch = 1 << 32

// private tells whether one of some steps shows nothing of records.
func (s *Chain) private(steps []int) bool {
	members := s.members()
	return slices.ContainsFunc(steps, func(i int) bool { return members[i].Info.Private })
}

// closing is the spot of a process that ended as it closed: processors close in order.
func (s *Chain) closing() wire.Spot {
	at := wire.Spot{Record: -1}
	for n := range s.out {
		at.Step = max(at.Step, s.spot(n, 0).Step)
	}
	return at
}

// crash is the end of a process or of a worker in this one.
func crash(how string, at wire.Spot) *flow.Crash {
	return &flow.Crash{How: how, At: at.Record, Step: at.Step, Nth: at.Nth}
}
