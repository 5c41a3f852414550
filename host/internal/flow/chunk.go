package flow

import (
	"sync"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A batch is a list of records that moves from node to node. All batches made of one source chunk share its pendingChunk.
type batch struct {
	records   []wire.Record
	chunk     *pendingChunk
	last      bool // no further batch follows from the one that a route split
	forwarded bool // all that became of it has been sent on
}

// A pendingChunk is a source chunk whose records are still on their way. It counts the batches made of it. When all are
// done its rejects are written, sorted, so that the dead letter is in input order whatever ran in parallel.
type pendingChunk struct {
	mu      sync.Mutex
	batches int
	rejects []reject
	done    chan struct{}
}

func newPendingChunk() *pendingChunk { return &pendingChunk{batches: 1, done: make(chan struct{})} }

// retain counts one more batch.
func (c *pendingChunk) retain() {
	c.mu.Lock()
	c.batches++
	c.mu.Unlock()
}

// release counts one batch less.
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
	c.mu.Lock()
	c.rejects = append(c.rejects, r)
	c.mu.Unlock()
}
