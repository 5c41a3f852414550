package sdk

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// commit adds the decisions about the current record to the reply.
func (c *chain) commit() {
	c.commitDeclined()
	for _, w := range c.touched {
		r := c.begun(w)
		from := c.index
		if w.step > 0 {
			from = len(r.Verdicts)
		}
		w.commit(r)
		for _, s := range w.sides {
			s.Index += from
			r.Sides = append(r.Sides, s)
			c.rows += len(s.JSON) + rowCost
		}
		for k := range w.answers {
			c.rows += len(w.answers[k].record)
		}
		w.counts.keep()
	}
	c.commitSkips()
	c.forget()
}

// begun returns the step's part of the reply, with room for verdicts.
func (c *chain) begun(w *worker) *wire.Reply {
	r := c.part(w.step)
	if r.Verdicts == nil {
		r.Verdicts = make([]byte, 0, c.left+c.times)
		w.makeRoom(r)
	}
	return r
}

func (c *chain) part(step int) *wire.Reply {
	if step == 0 {
		return c.reply
	}
	return &c.reply.Behind[step-1]
}

// makeRoom allocates a reply for as many emitted records as the last one had.
func (w *worker) makeRoom(r *wire.Reply) {
	if n := w.emitted; n > 0 {
		r.Emitted, r.Same, r.Offsets, r.Lengths = make([]uint32, 0, n), make([]byte, 0, n), make([]uint64, 0, n), make([]uint64, 0, n)
	}
}

// commit puts the step's answers into its part of a reply.
func (w *worker) commit(r *wire.Reply) {
	pieces := w.pieces
	for i := range w.answers {
		a := &w.answers[i]
		if v := a.refused; v != nil {
			r.Verdicts = append(r.Verdicts, byte(v.kind))
			r.AddFault(&wire.Fault{Code: v.code, Path: v.path, Message: v.message, Record: a.record})
			continue
		}
		a.accept(r, pieces[:a.pieces], w.chain.trace)
		pieces = pieces[a.pieces:]
	}
}

// accept adds the verdict on a record that goes on, and its pieces; in a traced chain with the bytes that stay inside.
func (a *decision) accept(r *wire.Reply, pieces []piece, trace bool) {
	if len(pieces) == 1 && pieces[0].bytes == wire.InputBytes && pieces[0].from == a.from && slices.Equal(pieces[0].labels, a.labels) {
		r.Verdicts = append(r.Verdicts, byte(wire.Unchanged))
		return
	}
	r.Verdicts, r.Emitted = append(r.Verdicts, byte(wire.Emitted)), append(r.Emitted, uint32(len(pieces)))
	for i := range pieces {
		p := &pieces[i]
		if !slices.Equal(p.labels, a.labels) {
			r.AddLabels(len(r.Lengths), p.labels)
		}
		if p.from != a.from {
			r.Origins = append(r.Origins, wire.NewOrigins{Index: uint32(len(r.Lengths)), Origins: p.from})
		}
		r.Same, r.Offsets, r.Lengths = append(r.Same, p.bytes), append(r.Offsets, p.offset), append(r.Lengths, uint64(len(p.mem)))
		if trace && p.bytes == wire.AwayBytes {
			r.Away = append(r.Away, p.traced)
		}
	}
}
