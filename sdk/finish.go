package sdk

import (
	"errors"

	"github.com/sluicehq/sluice/sdk/wire"
)

// finish calls Finish of the first step and sends the rows and counts, which belong to no record.
func (c *chain) finish() error {
	w := c.steps[0]
	f, ok := w.proc.(Finisher)
	if !ok {
		c.reply.Done = true
		return c.flush()
	}
	c.space.Note(wire.Spot{Record: -1})
	err := f.Finish(&Record{document: &document{worker: w}, turn: w.turn})
	w.turn++
	if err == nil && w.fault != nil {
		err = errors.New(w.fault.message)
	}
	if err != nil {
		return &wire.StepError{Err: err}
	}
	w.counts.settle(true)
	w.counts.keep()
	for len(w.sides) > 0 {
		n, size := 0, 0
		for ; n < len(w.sides) && size <= maxRows; n++ {
			size += len(w.sides[n].JSON)
		}
		c.reply.Sides, w.sides = w.sides[:n:n], w.sides[n:]
		if len(w.sides) > 0 {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	c.reply.Done = true
	return c.flush()
}
