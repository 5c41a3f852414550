package flow

import (
	"fmt"
	"sync/atomic"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A split is one flight that a route divided among its ways, for the join behind them.
type split struct {
	*batch
	branches []int    // of each record; -1 when it was rejected
	outer    []uint32 // the records' places in the route around this one
}

// A way is one branch of a route. out is nil when it ends in an Output.
type branch struct {
	in  chan *batch
	out <-chan *batch
}

// route wires a Route. Behind it, records stand in the order in which they came.
func (e *engine) route(r *Route, in <-chan *batch) (<-chan *batch, error) {
	by, place := &rejecter{step: "route." + r.Name}, e.nodes
	index := map[string]int{}
	cases := r.Cases
	for i, c := range cases {
		index[c.Value] = i
	}
	other := -1
	if r.Default != nil {
		other = len(cases)
		cases = append(cases[:len(cases):len(cases)], *r.Default)
	}
	r.taken = make([]atomic.Int64, len(cases))
	ways, rejoins := make([]branch, len(cases)), false
	for i, c := range cases {
		ways[i].in = make(chan *batch, queue)
		var err error
		if ways[i].out, err = e.sequence(c.Body, ways[i].in); err != nil {
			return nil, fmt.Errorf("route %s: %w", r.Name, err)
		}
		rejoins = rejoins || ways[i].out != nil
	}
	splits := make(chan *split, queue)
	e.group.Go(func() error {
		defer close(splits)
		for _, w := range ways {
			defer close(w.in)
		}
		return forEach(e.ctx, in, func(f *batch) error {
			s := &split{batch: f, branches: make([]int, len(f.records)), outer: make([]uint32, len(f.records))}
			flights := make([]*batch, len(ways))
			for i := range flights {
				f.chunk.retain()
				flights[i] = &batch{chunk: f.chunk, last: true}
			}
			for i, rec := range f.records {
				key := r.Key(&rec)
				w, ok := index[key]
				if !ok {
					w = other
				}
				s.branches[i], s.outer[i] = w, rec.Place
				if w < 0 {
					r.lost.Add(1)
					f.chunk.addReject(newReject(&rec, &wire.Fault{Code: NoRouteCode, Message: "want a case for " + describeKey(key) + ", have none and no default"}, by, place, appendRecordJSON))
					wire.ReleaseAll([]wire.Record{rec})
					continue
				}
				rec.Place = uint32(i)
				flights[w].records = append(flights[w].records, rec)
			}
			if err := send(e.ctx, splits, s); err != nil {
				return err
			}
			for i, w := range ways {
				r.taken[i].Add(int64(len(flights[i].records)))
				if err := send(e.ctx, w.in, flights[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if !rejoins {
		e.group.Go(func() error {
			return forEach(e.ctx, splits, func(s *split) error { s.chunk.release(); return nil })
		})
		return nil, nil
	}
	out := make(chan *batch, queue)
	e.group.Go(func() error {
		defer close(out)
		return forEach(e.ctx, splits, func(s *split) error { return e.join(s, ways, out) })
	})
	return out, nil
}

// what describes a key without showing it: a value of a record may be personal.
func describeKey(key string) string {
	if key == "" {
		return "a record without a value to route on"
	}
	return "the record's value"
}

// A cursor reads one way's flights of a split.
type cursor struct {
	*batch
	at int
}

// join puts the records of a split back in order. It passes on what it has as soon as the next record is in another
// flight, since a step may wait for the memory that an earlier flight lies in.
func (e *engine) join(s *split, ways []branch, out chan<- *batch) error {
	cursors := make([]cursor, len(ways))
	next := &batch{chunk: s.chunk}
	flush := func() error {
		if len(next.records) == 0 {
			return nil
		}
		s.chunk.retain()
		err := send(e.ctx, out, next)
		next = &batch{chunk: s.chunk}
		return err
	}
	for place, w := range s.branches {
		if w < 0 || ways[w].out == nil {
			continue
		}
		c := &cursors[w]
		for {
			for ; c.batch != nil && c.at < len(c.records) && c.records[c.at].Place == uint32(place); c.at++ {
				rec := c.records[c.at]
				rec.Place = s.outer[place]
				next.records = append(next.records, rec)
			}
			if c.batch != nil && (c.at < len(c.records) || c.last) {
				break
			}
			if err := flush(); err != nil {
				return err
			}
			if err := e.advance(c, ways[w].out); err != nil {
				return err
			}
		}
	}
	for w := range ways {
		for ways[w].out != nil && (cursors[w].batch == nil || !cursors[w].last) {
			if err := e.advance(&cursors[w], ways[w].out); err != nil {
				return err
			}
		}
		if cursors[w].batch != nil {
			s.chunk.release()
		}
	}
	next.last = s.last
	return send(e.ctx, out, next) // with the hold of s
}

// advance waits for the next flight of a way.
func (e *engine) advance(c *cursor, from <-chan *batch) error {
	if c.batch != nil {
		c.chunk.release()
	}
	return receiveOne(e.ctx, from, func(f *batch) { c.batch, c.at = f, 0 })
}
