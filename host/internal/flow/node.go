package flow

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A workerNode is a node that calls workers.
type workerNode interface {
	Node
	// prepare is called first. declines reports whether another member of a First takes what this node declines.
	prepare(declines bool) error
	workers() int
	rejecter() *rejecter
	call(ctx context.Context, at slot, in []wire.Record, emit func(section) error) error
}

// A slot is the place of a batch among those that a node works on.
type slot struct {
	worker int
	oldest <-chan struct{} // closed when the node has no older batch
	tally  *tally          // of the unit that its batch is of; nil: there are none
}

// onlySlot is the slot of a node with one worker.
var onlySlot = func() slot { c := make(chan struct{}); close(c); return slot{oldest: c} }()

// A section is an answer about the next records of a batch.
type section struct {
	in          []wire.Record
	outcomes    []wire.Outcome
	by          []*rejecter // for each record; nil: step
	step        *rejecter   // nil: the node's
	sides       []sideRow
	comparisons []comparison
	last        bool          // no section of the same batch follows
	out         []wire.Record // what leaves the chain; nil: what outcomes say
	made        []wire.Record // after the last record: what Flush emits

	rest     []section // the answers of the later steps of a chain about the records that reached them
	offset   int       // of a later step: its number in the tree, less the number of the node
	declined bool      // it declined all of them
	at       []int     // of a later member of a First: which records of the first member in holds; nil: all
}

// sectionsAhead is how many answers about a batch may wait for those about older ones before its worker waits, too. Their memory is
// the worker's own.
const sectionsAhead = 16

// A job is a batch on its way through a worker. Its sections come in order.
type job struct {
	*batch
	sections chan section
	oldest   chan struct{}
	err      error // once sections is closed
}

// errEnded ends a worker whose error is that of its job.
var errEnded = errors.New("the worker has failed")

// work wires a node with workers. They get batches in order, and their answers are collected in order.
func (e *engine) work(n workerNode, in <-chan *batch) (<-chan *batch, error) {
	if err := n.prepare(false); err != nil {
		return nil, err
	}
	e.workers = max(e.workers, n.workers())
	e.shadows = append(e.shadows, shadowsOf(n)...)
	out := make(chan *batch, queue)
	c := &collector{engine: e, by: n.rejecter(), node: e.nodes, out: out, finishers: finishersOf(n)}
	if s, ok := n.(*Step); ok {
		e.nodes += s.laterNodes()
	}
	if n.workers() == 1 {
		e.workAlone(n, in, c)
	} else {
		e.workInParallel(n, in, c)
	}
	return out, nil
}

// workAlone calls the only worker of a node in the goroutine that collects its answers.
func (e *engine) workAlone(n workerNode, in <-chan *batch, c *collector) {
	pace := paceOf(n)
	e.group.Go(func() error {
		defer close(c.out)
		return forEach(e.ctx, in, func(b *batch) error {
			return pace.each(b, func(b *batch) error {
				err := pace.call(e.ctx, n, onlySlot, b, func(s section) error { return c.forward(b, s) })
				if err != nil {
					return err
				}
				return c.finish(b)
			})
		})
	})
}

// workInParallel calls each worker of a node in its own goroutine. An error waits for the older batches, so that of several mistakes
// the first of the input ends the run.
func (e *engine) workInParallel(n workerNode, in <-chan *batch, c *collector) {
	jobs, order, pace := make(chan *job), make(chan *job, n.workers()), paceOf(n)
	e.group.Go(func() error {
		defer close(jobs)
		defer close(order)
		return forEach(e.ctx, in, func(b *batch) error {
			return pace.each(b, func(b *batch) error {
				j := &job{batch: b, sections: make(chan section, sectionsAhead), oldest: make(chan struct{})}
				if err := send(e.ctx, order, j); err != nil {
					return err
				}
				return send(e.ctx, jobs, j)
			})
		})
	})
	for w := range n.workers() {
		e.group.Go(func() error {
			err := forEach(e.ctx, jobs, func(j *job) error {
				defer close(j.sections)
				j.err = pace.call(e.ctx, n, slot{worker: w, oldest: j.oldest}, j.batch, func(s section) error { return send(e.ctx, j.sections, s) })
				if j.err != nil {
					return errEnded
				}
				return nil
			})
			if errors.Is(err, errEnded) {
				return nil
			}
			return err
		})
	}
	e.group.Go(func() error {
		defer close(c.out)
		return forEach(e.ctx, order, func(j *job) error {
			close(j.oldest)
			if err := forEach(e.ctx, j.sections, func(s section) error { return c.forward(j.batch, s) }); err != nil {
				return err
			}
			if e.ctx.Err() != nil {
				return context.Cause(e.ctx)
			}
			if j.err != nil {
				return j.err
			}
			return c.finish(j.batch)
		})
	})
}

// end asks the steps of the node for what they still hold and for their summaries, once every record has reached them.
func (c *collector) end(b *batch) error {
	for _, f := range c.finishers {
		err := f.finish(c.ctx, func(s section) error {
			for i := range s.made {
				s.made[i].Ord = b.ord
			}
			return c.forward(b, s)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A batch is a list of records that moves from node to node. All batches made of one source chunk share its pendingChunk.
type batch struct {
	records   []wire.Record
	chunk     *pendingChunk
	last      bool // no further batch follows from the one that a route split
	forwarded bool // all that became of it has been sent on

	// A batch with end comes after all others of the run, without records: a node that has one has seen all records that reach it.
	end bool
	ord uint64 // of records that are made at the end
}

// A pendingChunk is a source chunk whose records are still on their way. It counts the batches made of it. When all are
// done its rejects are written, sorted, so that the dead letter is in input order whatever ran in parallel.
type pendingChunk struct {
	mu      sync.Mutex
	batches int
	rejects []reject
	pending *pendingRejects
	done    chan struct{}
	reached chan struct{} // of a barrier, which holds nothing: closed when everything before it is done; nil otherwise
	after   func() error  // called then; nil: nothing is
	tally   *tally        // of the unit that it is of; nil: there are none
	records int           // that the reader took
	began   time.Time     // when it did
}

func (c *pendingChunk) retain() {
	c.mu.Lock()
	c.batches++
	c.mu.Unlock()
}

func (c *pendingChunk) release() {
	c.mu.Lock()
	c.batches--
	done := c.batches == 0
	c.mu.Unlock()
	if done {
		close(c.done)
	}
}

func (c *pendingChunk) addReject(r reject) {
	c.pending.add(&r)
	c.mu.Lock()
	c.rejects = append(c.rejects, r)
	c.mu.Unlock()
}

// A collector takes the sections of a node, in the order of the records.
type collector struct {
	*engine
	by   *rejecter // of the node
	node int       // its number
	out  chan<- *batch

	finishers []finisher // of the node
}

// forward makes a batch of a section of b. It holds none back to learn whether it is the last: the worker may be waiting
// for its memory.
func (c *collector) forward(b *batch, s section) error {
	if err := writeSides(s.sides, b.chunk.tally); err != nil {
		return err
	}
	for i := range s.comparisons {
		if err := s.comparisons[i].record(); err != nil {
			return err
		}
	}
	rejects := c.settle(nil, s, b.chunk)
	for i := range s.rest {
		later := &s.rest[i]
		if err := writeSides(later.sides, b.chunk.tally); err != nil {
			return err
		}
		rejects = c.settle(rejects, *later, b.chunk)
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
	switch {
	case s.made != nil:
		records = s.made
	case records == nil:
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
	if b.end {
		if err := c.end(b); err != nil {
			return err
		}
	}
	return send(c.ctx, c.out, &batch{chunk: b.chunk, last: b.last, end: b.end, ord: b.ord}) // keeps b's count of the chunk
}

// settle counts and releases the records of a chunk that end here, and appends those that are rejected.
func (c *collector) settle(rejects []reject, s section, of *pendingChunk) []reject {
	if s.declined { // the next step of the chain has all
		return rejects
	}
	var dropped map[string]int64
	extra := int64(len(s.made))
	ended := 0 // where the run of records begins that end here
	for i := range s.outcomes {
		r, out := &s.in[i], &s.outcomes[i]
		switch out.Verdict {
		case wire.Unchanged, wire.Declined: // the next step of the chain has it
			if ended < i {
				wire.ReleaseAll(s.in[ended:i])
			}
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
			x := newReject(r, out.Fault, by, c.node+s.offset, false)
			if x.nth = int32(i); s.at != nil {
				x.nth = int32(s.at[i])
			}
			rejects = append(rejects, x)
		}
	}
	wire.ReleaseAll(s.in[ended:])
	if dropped != nil || extra != 0 {
		c.count(of, func(t *Totals) {
			t.sums.Extra += extra
			for reason, n := range dropped {
				t.dropped.add(reason, n, maxReasons)
			}
		})
	}
	return rejects
}
