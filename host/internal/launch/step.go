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
		whole := join && !slices.ContainsFunc(unit, func(m *Step) bool { return m.ownProcess() || !m.canShare(unit[0]) })
		switch {
		case !whole:
			for k := range unit {
				all = append(all, unit[k:k+1:k+1])
			}
		case open && unit[0].Follows && unit[0].canShare(all[len(all)-1][0]):
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
func (m *Step) ownProcess() bool { return m.Alone || m.Info.Ordered || len(m.problems) > 0 }

// sharesWith tells whether two steps can be in one process: of one program, run in one way.
func (m *Step) canShare(o *Step) bool {
	return m.Location.Path == o.Location.Path && m.Location.pin == o.Location.pin && m.Location.locked == o.Location.locked && m.Location.BuiltIn == o.Location.BuiltIn &&
		m.Workers == o.Workers && m.Restart == o.Restart && slices.Equal(m.Env, o.Env)
}

// members are the steps of the crew, in order.
func (c *Chain) steps() []*Step { return append([]*Step{c.Step}, c.rest...) }

// steps are those behind the first as the program knows them.
func (c *Chain) wireSteps() (steps []wire.Step) {
	for _, m := range c.rest {
		steps = append(steps, wire.Step{Plugin: m.Location.Name, Args: m.Args, Or: m.Or})
	}
	return steps
}

// name is what the crew's output is shown under.
func (c *Chain) title() string {
	if n := len(c.rest); n > 0 {
		return c.Name + " to " + c.rest[n-1].Name
	}
	return c.Name
}

// refuse makes mistakes in the attributes of steps into their problems.
func (c *Chain) addArgErrors(bad []wire.ArgError) {
	members := c.steps()
	for _, e := range bad {
		members[min(max(e.Step, 0), len(members)-1)].problem(e.Name, "%s", e.Message)
	}
}

// ready tells whether nothing is wrong with the members.
func (c *Chain) ready() bool {
	return !slices.ContainsFunc(c.steps(), func(m *Step) bool { return len(m.problems) > 0 })
}

// dissolve makes crews of their own of the members behind, whose program cannot run them together.
func (c *Chain) split() {
	for i, m := range c.rest {
		m.Chain, m.Index = c.fallback[i], 0
	}
	c.rest = nil
}

// spot is what a worker has noted to be at hand in a batch of n; the record is -1 when that is not known.
func (c *Chain) spot(worker, n int) wire.Spot {
	a := c.out[worker]
	if !a.shared {
		return wire.Spot{Record: -1}
	}
	at := wire.SpotOf(readNote(a))
	if at.Step > len(c.rest) {
		return wire.Spot{Record: -1}
	}
	if at.Record >= n {
		at.Record = -1
	}
	return at
}

// At is which step of the crew a worker has a record in.
func (c *Chain) CurrentStep(worker int) int {
	if x := c.workers[worker]; c.opts.InProcess {
		if p := x.current.Load(); p != nil {
			return wire.SpotOf(p.note.Load()).Step
		}
		return 0
	}
	return c.spot(worker, 0).Step
}

// atHand are the steps that workers had records in as their process ended: one of them ended it. Without any note, and
// as the processors close, it may have been each.
func (c *Chain) stepsAtHand() (steps []int) {
	for n := range c.out {
		if at := c.spot(n, maxBatch); at.Record >= 0 && !slices.Contains(steps, at.Step) {
			steps = append(steps, at.Step)
		}
	}
	if steps == nil {
		for i := range c.steps() {
			steps = append(steps, i)
		}
	}
	return steps
}

// maxBatch is more records than a batch has.
const maxBatch = 1 << 32

// private tells whether one of some steps shows nothing of records.
func (c *Chain) private(steps []int) bool {
	members := c.steps()
	return slices.ContainsFunc(steps, func(i int) bool { return members[i].Info.Private })
}

// closing is the spot of a process that ended as it closed: processors close in order.
func (c *Chain) closingSpot() wire.Spot {
	at := wire.Spot{Record: -1}
	for n := range c.out {
		at.Step = max(at.Step, c.spot(n, 0).Step)
	}
	return at
}

// crash is the end of a process or of a worker in this one.
func crash(how string, at wire.Spot) *flow.Crash {
	return &flow.Crash{How: how, At: at.Record, Step: at.Step, Nth: at.Nth}
}
