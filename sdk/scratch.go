package sdk

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A scratch is memory for the records that a step emits for the next one. A large record lies outside of the heap: its memory goes
// back to the system behind it, whatever views of it plugins still hold, and no collection of garbage waits for it.
type scratch struct {
	small []byte
	large *wire.Memory // nil before the first large record, and where the system has no such memory
	used  int          // of large
}

// mostSmall is how many bytes of records lie on the heap.
const mostSmall = 4 << 20

// take returns an empty slice with room for n bytes, of which one input gets no more than limit.
func (s *scratch) take(n, limit int) []byte {
	if from := len(s.small); from+n <= mostSmall {
		s.small = slices.Grow(s.small, n)[:from+n]
		return s.small[from : from : from+n]
	}
	if s.large == nil && wire.Trims {
		s.large, _ = wire.PrivateMemory(limit)
	}
	if s.large == nil || n > len(s.large.Bytes)-s.used {
		return make([]byte, 0, n)
	}
	from := s.used
	s.used += n
	return s.large.Bytes[from : from : from+n]
}

func (s *scratch) isEmpty() bool { return len(s.small)+s.used == 0 }

// reset frees what was taken.
func (s *scratch) reset() {
	s.small = s.small[:0]
	if s.used > 0 {
		s.large.Trim(0, s.used)
		s.used = 0
	}
}

// close frees all. No view of it may be used any more.
func (s *scratch) close() {
	if s.large != nil {
		_ = s.large.Close()
	}
	*s = scratch{}
}
