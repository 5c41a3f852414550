package flow

import (
	"sync/atomic"
	"time"
)

// A stride is how many records the reader takes at a time. It follows how long they are on their way, so that a checkpoint, which
// waits for all of them, waits a few seconds even where each record takes one, and a run that ends early has lost little.
type stride struct {
	most  atomic.Int64
	least int64
}

const (
	firstStride     = 256
	leastStride     = 4
	leastConcurrent = 64 // of a plugin that makes several calls at once: fewer records would leave some of them idle
	longWay         = time.Second
	shortWay        = longWay / 4
)

// newStride returns the stride that a run with checkpoints begins with.
func newStride(steps []*Step) *stride {
	s := &stride{least: leastStride}
	for _, step := range steps {
		if step.Concurrent {
			s.least = leastConcurrent
		}
	}
	s.most.Store(firstStride)
	return s
}

// records returns how many records the reader takes next at most, 0 for any number. A run without checkpoints has no stride.
func (s *stride) records() int {
	if s == nil {
		return 0
	}
	return int(s.most.Load())
}

// adapt notes how long the records were on their way that the reader took at one time, and how many they were.
func (s *stride) adapt(records int, way time.Duration) {
	if s == nil || records == 0 {
		return
	}
	most := s.most.Load()
	switch {
	case way > longWay:
		s.most.Store(max(min(most, int64(records))/2, s.least))
	case way < shortWay && int64(records) == most:
		s.most.Store(2 * most)
	}
}
