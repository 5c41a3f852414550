package wire

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An Arena hands out regions of one memory that has a single writer.
//
// Requests wait in line. One that fits the budget is met at the lowest free offset, so that the pages in use stay
// few; one larger than the budget is met when nothing else is out, up to the capacity. Both hold without deadlock
// as long as every region comes back without needing memory of the same arena: package flow's order sees to it.
type Arena struct {
	mem    []byte
	budget int
	trim   func(off, n int) // gives pages back to the system; may be nil

	mu      sync.Mutex
	out     []*Region // sorted by offset
	waiting []*request
}

type request struct {
	n     int
	ready chan *Region
}

// A Region is a part of an arena that is in use until its last reference is gone.
type Region struct {
	arena *Arena
	off   int
	n     int
	refs  atomic.Int64
}

// NewArena makes an arena of mem, of which normally no more than budget bytes are in use. trim may be nil.
func NewArena(mem []byte, budget int, trim func(off, n int)) *Arena {
	return &Arena{mem: mem, budget: min(budget, len(mem)), trim: trim}
}

// Alloc waits for n bytes. The region comes with one reference, the caller's.
func (a *Arena) Alloc(ctx context.Context, n int) (*Region, error) {
	if n > len(a.mem) {
		return nil, fmt.Errorf("%w: want %d bytes, have %d", ErrTooLarge, n, len(a.mem))
	}
	a.mu.Lock()
	if len(a.waiting) == 0 {
		if r := a.place(n); r != nil {
			a.mu.Unlock()
			return r, nil
		}
	}
	req := &request{n: n, ready: make(chan *Region, 1)}
	a.waiting = append(a.waiting, req)
	a.mu.Unlock()

	select {
	case r := <-req.ready:
		return r, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	if i := slices.Index(a.waiting, req); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.serve()
	}
	a.mu.Unlock()
	select {
	case r := <-req.ready: // met in the meantime
		r.Release()
	default:
	}
	return nil, ctx.Err()
}

// Cap is the largest region that Alloc can give.
func (a *Arena) Cap() int { return len(a.mem) }

// Budget is how many bytes are normally out at most.
func (a *Arena) Budget() int { return a.budget }

// InUse is the number of bytes that are out.
func (a *Arena) InUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	total := 0
	for _, r := range a.out {
		total += r.n
	}
	return total
}

// place finds room for n bytes, or nil. The caller holds the lock.
func (a *Arena) place(n int) *Region {
	at, i := 0, 0
	for ; i < len(a.out); i++ {
		if a.out[i].off-at >= n {
			break
		}
		at = a.out[i].off + a.out[i].n
	}
	if at+n > a.budget && len(a.out) > 0 {
		return nil
	}
	r := &Region{arena: a, off: at, n: n}
	r.refs.Store(1)
	a.out = slices.Insert(a.out, i, r)
	return r
}

// serve meets requests in line. The caller holds the lock.
func (a *Arena) serve() {
	for len(a.waiting) > 0 {
		r := a.place(a.waiting[0].n)
		if r == nil {
			return
		}
		a.waiting[0].ready <- r
		a.waiting = a.waiting[1:]
	}
}

// Bytes is the region's memory.
func (r *Region) Bytes() []byte { return r.arena.mem[r.off : r.off+r.n : r.off+r.n] }

// Arena is where the region lies.
func (r *Region) Arena() *Arena { return r.arena }

// Offset is where in its arena the region begins.
func (r *Region) Offset() int { return r.off }

// OffsetOf is where in the arena data lies, which must be a part of the region.
func (r *Region) OffsetOf(data []byte) int {
	at, _ := jsontext.Within(r.arena.mem, data)
	return at
}

// Shrink gives all but the first n bytes back before the last reference is gone.
func (r *Region) Shrink(n int) {
	a := r.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < r.n {
		a.release(r.off+n, r.n-n)
		r.n = n
		a.serve()
	}
}

// Retain takes one more reference.
func (r *Region) Retain() { r.add(1) }

// Release gives one reference back.
func (r *Region) Release() { r.add(-1) }

func (r *Region) add(n int) {
	left := r.refs.Add(int64(n))
	if left > 0 {
		return
	}
	if left < 0 {
		panic("wire: region released twice")
	}
	a := r.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.out, r); i >= 0 {
		a.out = slices.Delete(a.out, i, i+1)
	}
	a.release(r.off, r.n)
	a.serve()
}

// release gives pages beyond the budget back to the system: they served one large record.
func (a *Arena) release(off, n int) {
	if a.trim == nil || off+n <= a.budget {
		return
	}
	from := max(off, a.budget)
	a.trim(from, off+n-from)
}
