package launch

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
)

// spot returns which record of a batch of n, and which step, a worker has noted. The record is -1 when it is not known.
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

// readNote returns the note of the worker that writes an arena, see wire.SpotOf.
func readNote(a *arena) uint64 {
	return binary.LittleEndian.Uint64(a.memory.Bytes[a.Cap():])
}

// CurrentStep returns which step of the chain a worker is in.
func (c *Chain) CurrentStep(worker int) int {
	if !c.opts.InProcess {
		return c.spot(worker, 0).Step
	}
	if l := c.workers[worker].current.Load(); l != nil {
		return l.spot().Step
	}
	return 0
}

// crashedSteps returns the steps that workers were in when their process ended: one of them ended it. Without any note,
// and while the processors close, it may have been any step.
func (c *Chain) crashedSteps() (steps []int) {
	for n := range c.out {
		if at := c.spot(n, math.MaxInt); at.Record >= 0 && !slices.Contains(steps, at.Step) {
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

// private reports whether one of some steps shows nothing of records.
func (c *Chain) private(indexes []int) bool {
	steps := c.steps()
	return slices.ContainsFunc(indexes, func(i int) bool { return steps[i].Info.Private })
}

// closingSpot returns the spot of a process that ended while it closed: processors close in order.
func (c *Chain) closingSpot() wire.Spot {
	at := wire.Spot{Record: -1}
	for n := range c.out {
		at.Step = max(at.Step, c.spot(n, 0).Step)
	}
	return at
}

// crash returns the crash of a process or of a local worker.
func crash(how string, at wire.Spot) *flow.Crash {
	return &flow.Crash{How: how, At: at.Record, Step: at.Step, Nth: at.Nth}
}
