package flow

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A collector takes the sections of a node, in the order of the records.
type collector struct {
	*engine
	by   *rejecter // of the node
	node int       // its number
	out  chan<- *batch
}

// forward makes a batch of a section of b. It holds none back to learn whether it is the last: the worker may be waiting
// for its memory.
func (c *collector) forward(b *batch, s section) error {
	if err := writeSides(s.sides); err != nil {
		return err
	}
	for i := range s.comparisons {
		if err := s.comparisons[i].record(); err != nil {
			return err
		}
	}
	rejects := c.settle(nil, s)
	for i := range s.rest {
		later := &s.rest[i]
		if err := writeSides(later.sides); err != nil {
			return err
		}
		rejects = c.settle(rejects, *later)
	}
	if s.rest != nil { // members of a First take turns
		slices.SortStableFunc(rejects, func(a, b reject) int {
			return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.nth, b.nth))
		})
	}
	for _, r := range rejects {
		b.chunk.addReject(r)
	}
	records := s.out
	if records == nil {
		records = wire.GoOn(s.in, s.outcomes)
	}
	switch {
	case s.last:
		b.forwarded = true
		return send(c.ctx, c.out, &batch{chunk: b.chunk, records: records, last: b.last}) // keeps b's count of the chunk
	case len(records) == 0:
		return nil
	}
	b.chunk.retain()
	return send(c.ctx, c.out, &batch{chunk: b.chunk, records: records})
}

// finish sends on that b has been answered, with an empty batch if no section did.
func (c *collector) finish(b *batch) error {
	if b.forwarded {
		return nil
	}
	return send(c.ctx, c.out, &batch{chunk: b.chunk, last: b.last}) // keeps b's count of the chunk
}

// settle counts and releases the records that end here, and appends those that are rejected.
func (c *collector) settle(rejects []reject, s section) []reject {
	var dropped map[string]int64
	var extra int64
	ended := 0 // where the run of records begins that end here
	for i := range s.outcomes {
		r, out := &s.in[i], &s.outcomes[i]
		switch out.Verdict {
		case wire.Unchanged, wire.Declined: // the next step of the chain has it
			wire.ReleaseAll(s.in[ended:i])
			ended = i + 1
		case wire.Emitted:
			extra += int64(len(out.Emitted)) - 1
		case wire.Dropped:
			if dropped == nil {
				dropped = map[string]int64{}
			}
			dropped[out.Fault.Message]++
		case wire.Rejected:
			by := cmp.Or(s.step, c.by)
			if s.by != nil {
				by = s.by[i]
			}
			x := newReject(r, out.Fault, by, c.node+s.offset, appendRecordJSON)
			if x.nth = i; s.at != nil {
				x.nth = s.at[i]
			}
			rejects = append(rejects, x)
		}
	}
	wire.ReleaseAll(s.in[ended:])
	if dropped != nil || extra != 0 {
		c.plan.Account.change(func(t *Totals) {
			t.sums.Extra += extra
			for reason, n := range dropped {
				t.dropped.add(reason, n, maxReasons)
			}
		})
	}
	return rejects
}
