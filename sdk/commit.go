package sdk

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// commit adds the decisions about the current record to the reply.
func (c *chain) commit() {
	c.commitDeclined()
	for _, s := range c.touched {
		r := c.begun(s)
		from := c.index
		if s.index > 0 {
			from = len(r.Verdicts)
		}
		s.commit(r)
		for _, row := range s.sides {
			row.Index += from
			r.Sides = append(r.Sides, row)
			c.rows += len(row.JSON) + rowCost
		}
		for k := range s.answers {
			c.rows += len(s.answers[k].record)
		}
		s.counts.keep()
	}
	c.commitSkips()
	c.forget()
}

// begun returns a step's reply, with room for verdicts.
func (c *chain) begun(s *step) *wire.Reply {
	r := c.replyOf(s.index)
	if r.Verdicts == nil {
		r.Verdicts = make([]byte, 0, c.left+c.times)
		s.makeRoom(r)
	}
	return r
}

// replyOf returns the reply of one step. That of the first holds those of the others.
func (c *chain) replyOf(at int) *wire.Reply {
	if at == 0 {
		return c.reply
	}
	return &c.reply.Behind[at-1]
}

// makeRoom allocates a reply for as many emitted records as the last one had.
func (s *step) makeRoom(r *wire.Reply) {
	if n := s.emitted; n > 0 {
		r.Emitted, r.Same, r.Offsets, r.Lengths = make([]uint32, 0, n), make([]byte, 0, n), make([]uint64, 0, n), make([]uint64, 0, n)
	}
}

// commit puts the step's answers into its reply.
func (s *step) commit(r *wire.Reply) {
	pieces := s.pieces
	for i := range s.answers {
		a := &s.answers[i]
		if v := a.refused; v != nil {
			r.Verdicts = append(r.Verdicts, byte(v.kind))
			r.AddFault(&wire.Fault{Code: v.code, Path: v.path, Message: v.message, Record: a.record})
			continue
		}
		a.accept(r, pieces[:a.pieces], s.chain.trace)
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
