package flow

import (
	"fmt"
	"sync/atomic"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A branch is a wired case of a route. out is nil when it ends in a sink.
type branch struct {
	in  chan *batch
	out <-chan *batch
}

// A split is a batch that a route divided among its branches, for the join after them.
type split struct {
	*batch
	branches []int    // of each record; -1 when it was rejected
	outer    []uint32 // the records' places in the route around this one
}

// A router divides batches among the branches of a Route.
type router struct {
	*engine
	*Route
	branches []branch
	index    map[string]int // of the cases, by value
	other    int            // of the default; -1: there is none
	by       *rejecter
	node     int
}

// route wires a Route. After it, records are in the order in which they came.
func (e *engine) route(r *Route, in <-chan *batch) (<-chan *batch, error) {
	d := &router{engine: e, Route: r, by: &rejecter{step: "route." + r.Name}, node: e.nodes, index: map[string]int{}, other: -1}
	cases := r.Cases
	for i, c := range cases {
		d.index[c.Value] = i
	}
	if r.Default != nil {
		d.other = len(cases)
		cases = append(cases[:len(cases):len(cases)], *r.Default)
	}
	r.Taken = make([]atomic.Int64, len(cases))
	joins := false
	for _, c := range cases {
		to := make(chan *batch, queue)
		out, err := e.sequence(c.Body, to)
		if err != nil {
			return nil, fmt.Errorf("route %s: %w", r.Name, err)
		}
		d.branches = append(d.branches, branch{to, out})
		joins = joins || out != nil
	}
	splits := make(chan *split, queue)
	e.group.Go(func() error {
		defer close(splits)
		for _, br := range d.branches {
			defer close(br.in)
		}
		return forEach(e.ctx, in, func(b *batch) error { return d.split(b, splits) })
	})
	if !joins {
		e.group.Go(func() error {
			return forEach(e.ctx, splits, func(s *split) error { s.chunk.release(); return nil })
		})
		return nil, nil
	}
	out := make(chan *batch, queue)
	e.group.Go(func() error {
		defer close(out)
		return forEach(e.ctx, splits, func(s *split) error { return d.join(s, out) })
	})
	return out, nil
}

// split sends each record of a batch down its branch.
func (d *router) split(b *batch, splits chan<- *split) error {
	s := &split{batch: b, branches: make([]int, len(b.records)), outer: make([]uint32, len(b.records))}
	sizes := make([]int, len(d.branches))
	for i := range b.records {
		r := &b.records[i]
		to := d.branch(b, r)
		s.branches[i], s.outer[i] = to, r.Place
		if to < 0 {
			wire.ReleaseAll([]wire.Record{*r})
			continue
		}
		sizes[to]++
	}
	batches := make([]*batch, len(d.branches))
	for i := range batches {
		b.chunk.retain()
		batches[i] = &batch{chunk: b.chunk, last: true, end: b.end, ord: b.ord, records: make([]wire.Record, 0, sizes[i])}
	}
	for i, to := range s.branches {
		if to >= 0 {
			r := b.records[i]
			r.Place = uint32(i)
			batches[to].records = append(batches[to].records, r)
		}
	}
	if err := send(d.ctx, splits, s); err != nil {
		return err
	}
	for i, br := range d.branches {
		d.Taken[i].Add(int64(len(batches[i].records)))
		b.chunk.tally.take(d.Route, i, len(batches[i].records))
		if err := send(d.ctx, br.in, batches[i]); err != nil {
			return err
		}
	}
	return nil
}

// branch returns the branch of a record, or -1 after a reject of a record that has none.
func (d *router) branch(b *batch, r *wire.Record) int {
	key := d.Key(r)
	to, ok := d.index[key]
	if !ok {
		to = d.other
		d.Others.add(key)
		b.chunk.tally.other(d.Route, key)
	}
	if to >= 0 {
		return to
	}
	d.Unrouted.Add(1)
	b.chunk.tally.take(d.Route, -1, 1)
	value := "the record's value" // which is not shown, since it may be personal
	if key == "" {
		value = "a record without a value to route on"
	}
	fault := &wire.Fault{Code: NoRouteCode, Message: "want a case for " + value + " or a default, have cases for other values only"}
	b.chunk.addReject(newReject(r, fault, d.by, d.node, false))
	return -1
}

// A cursor reads the batches of a split that come from one branch.
type cursor struct {
	*batch
	at int
}

// join puts the records of a split back in order. It sends on what it has before it waits for another batch, since a step
// may wait for the memory of an earlier one.
func (d *router) join(s *split, out chan<- *batch) error {
	if s.end {
		return d.joinEnd(s, out)
	}
	cursors := make([]cursor, len(d.branches))
	next := &batch{chunk: s.chunk}
	flush := func() error {
		if len(next.records) == 0 {
			return nil
		}
		s.chunk.retain()
		err := send(d.ctx, out, next)
		next = &batch{chunk: s.chunk}
		return err
	}
	for place, from := range s.branches {
		if from < 0 || d.branches[from].out == nil {
			continue
		}
		c := &cursors[from]
		for {
			for ; c.batch != nil && c.at < len(c.records) && c.records[c.at].Place == uint32(place); c.at++ {
				r := c.records[c.at]
				r.Place = s.outer[place]
				next.records = append(next.records, r)
			}
			if c.batch != nil && (c.at < len(c.records) || c.last) {
				break
			}
			if err := flush(); err != nil {
				return err
			}
			if err := d.advance(c, from); err != nil {
				return err
			}
		}
	}
	for i, br := range d.branches {
		for br.out != nil && (cursors[i].batch == nil || !cursors[i].last) {
			if err := d.advance(&cursors[i], i); err != nil {
				return err
			}
		}
		if cursors[i].batch != nil {
			s.chunk.release()
		}
	}
	next.last = s.last
	return send(d.ctx, out, next) // keeps the split's count of the chunk
}

// joinEnd passes on what the steps of each branch emit at the end, branch after branch.
func (d *router) joinEnd(s *split, out chan<- *batch) error {
	for i, br := range d.branches {
		c := &cursor{}
		for br.out != nil && (c.batch == nil || !c.last) {
			if err := d.advance(c, i); err != nil {
				return err
			}
			if len(c.records) == 0 {
				continue
			}
			s.chunk.retain()
			if err := send(d.ctx, out, &batch{chunk: s.chunk, records: c.records}); err != nil {
				return err
			}
		}
		if c.batch != nil {
			s.chunk.release()
		}
	}
	return send(d.ctx, out, &batch{chunk: s.chunk, last: s.last, end: true, ord: s.ord}) // keeps the split's count of the chunk
}

// advance waits for the next batch of a branch.
func (d *router) advance(c *cursor, from int) (err error) {
	if c.batch != nil {
		c.chunk.release()
	}
	c.at = 0
	c.batch, err = receive(d.ctx, d.branches[from].out)
	return err
}
